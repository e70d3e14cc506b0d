// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.histogram.

tt.func @rank(%x: tensor<64xi32>) {
  // expected-error @below {{counts into a 1-D tensor, found 16x16}}
  %0 = tt.histogram %x : tensor<64xi32> -> tensor<16x16xi32>
  tt.return
}

// -----

tt.func @mask(%x: tensor<64xi32>, %m: tensor<32xi1>) {
  // expected-error @below {{the mask is i1 of the source's shape}}
  %0 = "tt.histogram"(%x, %m) : (tensor<64xi32>, tensor<32xi1>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @floats(%x: tensor<64xf32>) {
  // expected-error @below {{'src' must be tensor of integer values}}
  %0 = tt.histogram %x : tensor<64xf32> -> tensor<8xi32>
  tt.return
}
