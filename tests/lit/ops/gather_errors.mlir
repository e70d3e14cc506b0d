// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.gather.

tt.func @element(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{keeps the element type: source has 'f32', result has 'f16'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @result(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{result has the shape of the indices: indices are 4, result is 8}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @rank(%x: tensor<8x2xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{source and indices differ in rank: source is 8x2, indices are 4}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @axis(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{axis 1 is out of range for a tensor of rank 1}}
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @extent(%x: tensor<8x2xf32>, %i: tensor<8x4xi32>) {
  // expected-error @below {{indices exceed the source in axis 1: source is 8x2, indices are 8x4}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x2xf32>, tensor<8x4xi32>) -> tensor<8x4xf32>
  tt.return
}
