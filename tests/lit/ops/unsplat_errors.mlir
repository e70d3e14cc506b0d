// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.unsplat.

tt.func @two_elements(%t: tensor<2xf32>) {
  // expected-error @below {{needs a tensor of exactly one element, found 2}}
  %0 = tt.unsplat %t : tensor<2xf32>
  tt.return
}

// -----

tt.func @scalar(%s: f32) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = tt.unsplat %s : f32
  tt.return
}
