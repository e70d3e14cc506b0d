// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.splat refuses.

tt.func @element_type(%s: f32) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %0 = tt.splat %s : f32 -> tensor<4xi32>
  tt.return
}

// -----

tt.func @power_of_two(%s: f32) {
  // expected-error @below {{tensor extents must be powers of two, found 24}}
  %0 = tt.splat %s : f32 -> tensor<24xf32>
  tt.return
}

// -----

tt.func @source(%s: tensor<1xf32>) {
  // expected-error @below {{must be scalar or tensor without axes, but got 'tensor<1xf32>'}}
  %0 = tt.splat %s : tensor<1xf32> -> tensor<4xf32>
  tt.return
}
