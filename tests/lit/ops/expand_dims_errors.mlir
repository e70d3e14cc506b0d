// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.expand_dims refuses.

tt.func @axis(%x: tensor<8xf32>) {
  // expected-error @below {{axis 2 is out of range for an expanded tensor of rank 2}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @negative_axis(%x: tensor<8xf32>) {
  // expected-error @below {{axis -1 is out of range for an expanded tensor of rank 2}}
  %0 = tt.expand_dims %x {axis = -1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @result(%x: tensor<8xf32>) {
  // expected-error @below {{axis 0 in 8 gives 1x8, found 8x1}}
  %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}
