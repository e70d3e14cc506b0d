// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.int_to_ptr refuses.

tt.func @narrow(%i: i32) {
  // expected-error @below {{operand #0 must be i64 or tensor of i64}}
  %0 = tt.int_to_ptr %i : i32 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @shape(%i: tensor<8xi64>) {
  // expected-error @below {{if an operand is non-scalar, then there must be at least one non-scalar result}}
  %0 = tt.int_to_ptr %i : tensor<8xi64> -> !tt.ptr<f32>
  tt.return
}
