// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.dot.

tt.func @inner(%a: tensor<64x32xf32>, %b: tensor<16x64xf32>, %c: tensor<64x64xf32>) {
  // expected-error @below {{inner dimensions differ: lhs is 64x32, rhs is 16x64}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<16x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @outer(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x32xf32>) {
  // expected-error @below {{accumulator has the wrong shape: lhs is 64x32, rhs is 32x64, accumulator is 64x32}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x32xf32>
  tt.return
}

// -----

tt.func @rank(%a: tensor<64xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) {
  // expected-error @below {{operands must all have rank 2 or all rank 3: lhs is 64, rhs is 32x64, accumulator is 64x64}}
  %0 = tt.dot %a, %b, %c : tensor<64xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @batch(%a: tensor<2x16x16xf32>, %b: tensor<4x16x16xf32>, %c: tensor<2x16x16xf32>) {
  // expected-error @below {{batch extents differ: lhs is 2x16x16, rhs is 4x16x16, accumulator is 2x16x16}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x16xf32> * tensor<4x16x16xf32> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func @widths(%a: tensor<16x16xf16>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @below {{element types do not go together: lhs has 'f16', rhs has 'f32'}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @kinds(%a: tensor<16x16xf16>, %b: tensor<16x16xi16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{element types do not go together: lhs has 'f16', rhs has 'i16'}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xi16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @accumulator(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{accumulator of 'i8' products cannot have elements 'f32'}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @pointers(%a: tensor<16x16x!tt.ptr<f32>>, %c: tensor<16x16xf32>) {
  // expected-error @below {{needs numbers, found elements '!tt.ptr<f32>', '!tt.ptr<f32>' and 'f32'}}
  %0 = tt.dot %a, %a, %c : tensor<16x16x!tt.ptr<f32>> * tensor<16x16x!tt.ptr<f32>> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @imprecise(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{needs maxNumImpreciseAcc >= 0, found -1}}
  %0 = tt.dot %a, %a, %c {maxNumImpreciseAcc = -1 : i32} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}
