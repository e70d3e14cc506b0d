// RUN: tl-opt %s --split-input-file --verify-diagnostics
// The rules of rows, which tt.descriptor_scatter shares with the gather.

tt.func @few_rows(%d: !tt.tensordesc<1x64xf16>, %x: tensor<4xi32>, %y: i32, %v: tensor<4x64xf16>) {
  // expected-error @below {{needs at least 8 rows, found 4}}
  tt.descriptor_scatter %d[%x, %y], %v : !tt.tensordesc<1x64xf16>, tensor<4xi32>, i32, tensor<4x64xf16>
  tt.return
}

// -----

tt.func @shape(%d: !tt.tensordesc<1x64xf16>, %x: tensor<8xi32>, %y: i32, %v: tensor<8x32xf16>) {
  // expected-error @below {{block must be 8x64, found 8x32}}
  tt.descriptor_scatter %d[%x, %y], %v : !tt.tensordesc<1x64xf16>, tensor<8xi32>, i32, tensor<8x32xf16>
  tt.return
}
