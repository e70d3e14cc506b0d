// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the parser and the verifier of tt.store.

tt.func @value_type(%p: !tt.ptr<f32>, %v: i32) {
  // expected-error @below {{value has elements 'i32' but the pointer points to 'f32'}}
  "tt.store"(%p, %v) : (!tt.ptr<f32>, i32) -> ()
  tt.return
}

// -----

tt.func @value_shape(%p: tensor<64x!tt.ptr<f32>>, %v: f32) {
  // expected-error @below {{value and pointer differ in shape: value is scalar, pointer is 64}}
  "tt.store"(%p, %v) : (tensor<64x!tt.ptr<f32>>, f32) -> ()
  tt.return
}

// -----

tt.func @mask_shape(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: tensor<8xi1>) {
  // expected-error @below {{mask and pointer differ in shape: mask is 8, pointer is 64}}
  "tt.store"(%p, %v, %m) : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<8xi1>) -> ()
  tt.return
}

// -----

tt.func @no_value(%p: !tt.ptr<f32>) {
  // expected-error @below {{expected a pointer, a value and a mask}}
  tt.store %p : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @not_a_pointer(%p: i32) {
  // expected-error @below {{expected a pointer or a tensor of pointers, found 'i32'}}
  tt.store %p, %p : i32
  tt.return
}

// -----

tt.func @unknown_attribute(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error @below {{has an unknown attribute 'padding'}}
  tt.store %p, %v {padding = 1 : i32} : !tt.ptr<f32>
  tt.return
}
