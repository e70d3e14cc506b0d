// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.advance refuses.

tt.func @offsets(%b: !tt.ptr<tensor<32x64xf16>>, %i: i32) {
  // expected-error @below {{needs one offset per axis: expected 2, found 1}}
  %0 = tt.advance %b, [%i] : <tensor<32x64xf16>>
  tt.return
}
