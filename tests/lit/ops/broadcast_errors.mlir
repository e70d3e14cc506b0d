// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.broadcast.

tt.func @rank(%x: tensor<8xf32>) {
  // expected-error @below {{keeps the rank: source is 8, result is 8x4}}
  %0 = tt.broadcast %x : tensor<8xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @extent(%x: tensor<8x2xf32>) {
  // expected-error @below {{repeats only extents of 1: axis 1 of 8x2 cannot become 4}}
  %0 = tt.broadcast %x : tensor<8x2xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @element(%x: tensor<8x1xf32>) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf16>
  tt.return
}
