// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.splat refuses.

tt.func @element_type(%s: f32) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %0 = tt.splat %s : f32 -> tensor<4xi32>
  tt.return
}

// -----

tt.func @no_elements(%s: f32) {
  // expected-error @below {{tensor extents must be at least 1, found 4x0}}
  %0 = tt.splat %s : f32 -> tensor<4x0xf32>
  tt.return
}

// -----

tt.func @padding(%s: f32) {
  // expected-error @below {{tensor has more than 1048576 elements when its extents grow to powers of two, found 1025x1000}}
  %0 = tt.splat %s : f32 -> tensor<1025x1000xf32>
  tt.return
}

// -----

tt.func @source(%s: tensor<1xf32>) {
  // expected-error @below {{must be scalar or tensor without axes, but got 'tensor<1xf32>'}}
  %0 = tt.splat %s : tensor<1xf32> -> tensor<4xf32>
  tt.return
}
