// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.reshape.

tt.func @elements(%x: tensor<8x4xf32>) {
  // expected-error @below {{keeps the number of elements: 8x4 has 32, 64 has 64}}
  %0 = tt.reshape %x : tensor<8x4xf32> -> tensor<64xf32>
  tt.return
}

// -----

tt.func @layout(%x: tensor<8x4xf32, 1 : i32>) {
  // expected-error @below {{needs a layout on both the source and the result, or on neither}}
  %0 = tt.reshape %x : tensor<8x4xf32, 1 : i32> -> tensor<32xf32>
  tt.return
}
