// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.descriptor_gather.

tt.func @block_rows(%d: !tt.tensordesc<32x64xf16>, %x: tensor<32xi32>, %y: i32) {
  // expected-error @below {{needs a descriptor of one row, found 32x64}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<32x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @rows_rank(%d: !tt.tensordesc<1x64xf16>, %x: tensor<8x4xi32>, %y: i32) {
  // expected-error @below {{needs row numbers in a 1-D tensor, found 8x4}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf16>, tensor<8x4xi32>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @few_rows(%d: !tt.tensordesc<1x64xf16>, %x: tensor<4xi32>, %y: i32) {
  // expected-error @below {{needs at least 8 rows, found 4}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf16>, tensor<4xi32>, i32) -> tensor<4x64xf16>
  tt.return
}

// -----

tt.func @few_columns(%d: !tt.tensordesc<1x8xf16>, %x: tensor<8xi32>, %y: i32) {
  // expected-error @below {{needs at least 16 columns of 'f16', found 8}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x8xf16>, tensor<8xi32>, i32) -> tensor<8x8xf16>
  tt.return
}

// -----

tt.func @wide_elements(%d: !tt.tensordesc<1x64xf64>, %x: tensor<8xi32>, %y: i32) {
  // expected-error @below {{needs elements of at most 32 bits, found 'f64'}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf64>, tensor<8xi32>, i32) -> tensor<8x64xf64>
  tt.return
}

// -----

tt.func @element(%d: !tt.tensordesc<1x64xf16>, %x: tensor<8xi32>, %y: i32) {
  // expected-error @below {{block has elements 'f32' but the descriptor has 'f16'}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf16>, tensor<8xi32>, i32) -> tensor<8x64xf32>
  tt.return
}

// -----

tt.func @shape(%d: !tt.tensordesc<1x64xf16>, %x: tensor<8xi32>, %y: i32) {
  // expected-error @below {{block must be 8x64, found 16x64}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf16>, tensor<8xi32>, i32) -> tensor<16x64xf16>
  tt.return
}

// -----

tt.func @offset_type(%d: !tt.tensordesc<1x64xf16>, %x: tensor<8xi64>, %y: i32) {
  // expected-error @below {{operand #1 must be tensor of 16-bit signless integer or 32-bit signless integer values}}
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf16>, tensor<8xi64>, i32) -> tensor<8x64xf16>
  tt.return
}
