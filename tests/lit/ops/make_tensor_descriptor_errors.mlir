// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.make_tensor_descriptor and of the descriptor type.

tt.func @axes(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{needs one extent and one stride per axis: expected 2, found 1}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <32x64xf16>
  tt.return
}

// -----

tt.func @six_axes(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{describes at most 5 axes, found 6}}
  %0 = tt.make_tensor_descriptor %p, [%n, %n, %n, %n, %n, %n], [%s, %s, %s, %s, %s, %s] : <f16>, <1x1x1x1x1x8xf16>
  tt.return
}

// -----

tt.func @base(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @below {{base points to 'f32' but the descriptor has 'f16'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <64xf16>
  tt.return
}

// -----

tt.func @padding(%p: !tt.ptr<i32>, %n: i32, %s: i64) {
  // expected-error @below {{pads with NaN only floats, found 'i32'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <i32>, <64xi32>
  tt.return
}

// -----

// expected-error @below {{expected the shape and element type of a block}}
tt.func @no_shape(%d: !tt.tensordesc<f32>) {
  tt.return
}

// -----

// expected-error @below {{a tensor descriptor needs at least one axis}}
tt.func @no_axes(%d: !tt.tensordesc<tensor<f32>>) {
  tt.return
}

// -----

// expected-error @below {{tensor has more than 1048576 elements when its extents grow to powers of two, found 1025x1000}}
tt.func @size(%d: !tt.tensordesc<1025x1000xf32>) {
  tt.return
}

// -----

// expected-error @below {{a tensor descriptor needs integer or float elements, found '!tt.ptr<f32>'}}
tt.func @element(%d: !tt.tensordesc<8x!tt.ptr<f32>>) {
  tt.return
}

// -----

tt.func @order(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{has an order other than from the last axis to the first}}
  %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] {order = array<i32: 0, 1>} : <f16>, <32x64xf16>
  tt.return
}
