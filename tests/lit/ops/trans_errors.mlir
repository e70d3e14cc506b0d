// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.trans refuses.

tt.func @permutation(%x: tensor<8x4xf32>) {
  // expected-error @below {{order must be a permutation of the 2 axes of the source, found [1, 1]}}
  %0 = tt.trans %x {order = array<i32: 1, 1>} : tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @length(%x: tensor<8x4xf32>) {
  // expected-error @below {{order must be a permutation of the 2 axes of the source, found [0]}}
  %0 = tt.trans %x {order = array<i32: 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @range(%x: tensor<8x4xf32>) {
  // expected-error @below {{order must be a permutation of the 2 axes of the source, found [0, -2]}}
  %0 = tt.trans %x {order = array<i32: 0, -2>} : tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @result(%x: tensor<8x4xf32>) {
  // expected-error @below {{order [1, 0] of 8x4 gives 4x8, found 8x4}}
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<8x4xf32>
  tt.return
}
