// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.print.

tt.func @signs(%x: i32) {
  // expected-error @below {{needs one entry of isSigned per value: expected 1, found 2}}
  tt.print "x" {hex = false, isSigned = array<i32: 1, 1>} : %x : i32
  tt.return
}

// -----

tt.func @written(%x: tensor<4xi32>) {
  // expected-error @below {{needs one type of written per value: expected 1, found 2}}
  tt.print "x" {hex = false, isSigned = array<i32: 1>, written = [tensor<3xi32>, i32]} : %x : tensor<4xi32>
  tt.return
}

// -----

tt.func @larger(%x: tensor<4x4xi32>) {
  // expected-error @below {{cannot print 3x5 of 4x4}}
  tt.print "x" {hex = false, isSigned = array<i32: 1>, written = [tensor<3x5xi32>]} : %x : tensor<4x4xi32>
  tt.return
}
