// RUN: tl-opt %s --split-input-file --verify-diagnostics
// The message of the verifier of tt.print.

tt.func @signs(%x: i32) {
  // expected-error @below {{needs one entry of isSigned per value: expected 1, found 2}}
  tt.print "x" {hex = false, isSigned = array<i32: 1, 1>} : %x : i32
  tt.return
}
