// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.cat.

tt.func @rank(%x: tensor<8x2xf32>) {
  // expected-error @below {{concatenates 1-D tensors, found 8x2}}
  %0 = tt.cat %x, %x : tensor<8x2xf32> -> tensor<32xf32>
  tt.return
}

// -----

tt.func @extent(%x: tensor<8xf32>) {
  // expected-error @below {{of two tensors of 8 elements has 16 elements, found 8}}
  %0 = tt.cat %x, %x : tensor<8xf32> -> tensor<8xf32>
  tt.return
}
