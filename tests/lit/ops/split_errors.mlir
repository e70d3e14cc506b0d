// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.split refuses.

tt.func @extent(%x: tensor<8x4xf32>) {
  // expected-error @below {{needs at least 2 axes and an innermost extent of 2, found 8x4}}
  %a, %b = tt.split %x : tensor<8x4xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @one_axis(%x: tensor<2xf32>) {
  // expected-error @below {{needs at least 2 axes and an innermost extent of 2, found 2}}
  %a, %b = tt.split %x : tensor<2xf32> -> tensor<1xf32>
  tt.return
}

// -----

tt.func @result(%x: tensor<8x2xf32>) {
  // expected-error @below {{splitting 8x2 gives 8, found 16}}
  %a, %b = tt.split %x : tensor<8x2xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @element(%x: tensor<8x2xf32>) {
  // expected-error @below {{keeps the element type: source has 'f32', results have 'f16'}}
  %a, %b = tt.split %x : tensor<8x2xf32> -> tensor<8xf16>
  tt.return
}
