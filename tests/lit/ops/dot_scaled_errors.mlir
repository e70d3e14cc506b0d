// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.dot_scaled.

tt.func @inner(%a: tensor<128x64xf8E4M3FN>, %sa: tensor<128x2xi8>, %b: tensor<32x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @below {{inner dimensions differ: lhs is 128x64, rhs is 32x128}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @packed_inner(%a: tensor<128x64xf8E4M3FN>, %sa: tensor<128x2xi8>, %b: tensor<64x128xi8>, %c: tensor<128x128xf32>) {
  // expected-error @below {{inner dimensions differ: lhs is 128x64, rhs is 128x128}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x128xi8> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @rank(%a: tensor<64xf8E4M3FN>, %sa: tensor<128x2xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @below {{operands must all have rank 2 or all rank 3: lhs is 64, rhs is 64x128, accumulator is 128x128}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @lhs_format(%a: tensor<128x64xf16>, %sa: tensor<128x2xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @below {{lhs of format e4m3 cannot have elements 'f16'}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf16>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @rhs_format(%a: tensor<128x64xf8E4M3FN>, %sa: tensor<128x2xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @below {{rhs of format bf16 cannot have elements 'f8E4M3FN'}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @group(%a: tensor<128x64xf8E4M3FN>, %sa: tensor<128x1xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @below {{scales must cover 16 or 32 elements each, found 64}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x1xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @part_of_a_group(%a: tensor<16x50xf8E4M3FN>, %sa: tensor<16x3xi8>, %b: tensor<50x16xf8E4M3FN>, %c: tensor<16x16xf32>) {
  // expected-error @below {{scales of 16 elements each must cover all, found 50}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x50xf8E4M3FN>, tensor<16x3xi8> * tensor<50x16xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @scale_shape(%a: tensor<128x64xf8E4M3FN>, %sa: tensor<64x2xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @below {{lhs scale must be 128x2, found 64x2}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

// -----

tt.func @scale_element(%a: tensor<128x64xf8E4M3FN>, %sa: tensor<128x2xi32>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @below {{lhs scale must have elements i8 or f8E4M3FN, found 'i32'}}
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi32> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}
