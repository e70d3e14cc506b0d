// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.make_tensor_ptr, accesses by block pointers and their type refuse.

tt.func @numbers(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{needs one extent, one stride and one offset per axis: expected 2, found 1}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<32x64xf16>>
  tt.return
}

// -----

tt.func @order(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{has an order that is no permutation of its axes}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 1>} : <tensor<32x64xf16>>
  tt.return
}

// -----

// expected-note @below {{prior use here}}
tt.func @element(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{expects different type than prior uses: '!tt.ptr<f16>' vs '!tt.ptr<f32>'}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<64xf16>>
  tt.return
}

// -----

// expected-error @below {{a block pointer needs at least one axis}}
tt.func @no_axis(%p: !tt.ptr<tensor<f16>>) {
  tt.return
}

// -----

// expected-error @below {{a block pointer needs integer or float elements, found '!tt.ptr<f16>'}}
tt.func @pointers(%p: !tt.ptr<tensor<8x!tt.ptr<f16>>>) {
  tt.return
}

// -----

// expected-error @below {{a pointer cannot point to 'tensor<*xf16>'; a block pointer points to a tensor of static shape}}
tt.func @unranked(%p: !tt.ptr<tensor<*xf16>>) {
  tt.return
}

// -----

tt.func @axis(%b: !tt.ptr<tensor<8xf32>>) {
  // expected-error @below {{checks axis 1 of a block with 1 axis}}
  %0 = tt.load %b {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @twice(%b: !tt.ptr<tensor<8xf32>>, %v: tensor<8xf32>) {
  // expected-error @below {{checks axis 0 twice}}
  tt.store %b, %v {boundaryCheck = array<i32: 0, 0>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @mask(%b: !tt.ptr<tensor<8xf32>>, %m: tensor<8xi1>) {
  // expected-error @below {{has a mask, which block pointers do not take}}
  %0 = "tt.load"(%b, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tt.ptr<tensor<8xf32>>, tensor<8xi1>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @not_a_block(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>) {
  // expected-error @below {{has a boundaryCheck, which only block pointers have}}
  tt.store %p, %v {boundaryCheck = array<i32: 0>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @not_a_padded_block(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{has a padding, which only block pointers have}}
  %0 = tt.load %p {padding = 1 : i32} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @padding(%b: !tt.ptr<tensor<8xi32>>) {
  // expected-error @below {{pads with NaN, which 'i32' does not have}}
  %0 = tt.load %b {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<8xi32>>
  tt.return
}

// -----

tt.func @arithmetic(%b: !tt.ptr<tensor<8xi32>>, %i: i32) {
  // expected-error @below {{'result' must be pointer or tensor of pointers, but got '!tt.ptr<tensor<8xi32>>'}}
  %0 = tt.addptr %b, %i : !tt.ptr<tensor<8xi32>>, i32
  tt.return
}
