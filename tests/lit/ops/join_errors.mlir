// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.join refuses.

tt.func @result(%x: tensor<8xf32>) {
  // expected-error @below {{joining two tensors of 8 gives 8x2, found 2x8}}
  %0 = tt.join %x, %x : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func @types(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{requires all operands to have the same type}}
  %0 = "tt.join"(%x, %y) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8x2xf32>
  tt.return
}
