// RUN: tl-opt --unroll-loops %s --split-input-file --verify-diagnostics
// Factors that make no sense are refused.

tt.func @not_a_number(%n: i32) {
  // expected-error @below {{tt.loop_unroll_factor must be an integer, found "four"}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.loop_unroll_factor = "four"}
  tt.return
}

// -----

tt.func @huge(%n: i32) {
  // expected-error @below {{tt.loop_unroll_factor must be from 1 to 1024, found 100000}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.loop_unroll_factor = 100000 : i32}
  tt.return
}
