// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.fp_to_fp.

tt.func @narrowing(%x: f32) {
  // expected-error @below {{needs a rounding mode to narrow 'f32' to 'f8E5M2'}}
  %0 = tt.fp_to_fp %x : f32 -> f8E5M2
  tt.return
}

// -----

tt.func @widening(%x: f16) {
  // expected-error @below {{has a rounding mode but widens 'f16' to 'f32'}}
  %0 = tt.fp_to_fp %x, rounding = rtne : f16 -> f32
  tt.return
}

// -----

tt.func @integer(%x: i32) {
  // expected-error @below {{operand #0 must be float or tensor of floats}}
  %0 = tt.fp_to_fp %x : i32 -> f32
  tt.return
}
