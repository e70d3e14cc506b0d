// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.assert refuses.

tt.func @condition(%x: i32) {
  // expected-error @below {{operand #0 must be i1 or tensor of i1}}
  tt.assert %x, "m" : i32
  tt.return
}
