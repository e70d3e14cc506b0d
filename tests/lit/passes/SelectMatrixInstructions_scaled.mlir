// RUN: tl-opt --decompose-scaled-products --select-matrix-instructions %s | FileCheck %s
// Products of scaled narrow floats that an instruction computes as they are keep their form, and their operands and scales
// get the layouts that it takes; the others become ordinary products.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 64, access_bytes = 16, sector_bytes = 64, shared_bytes = 163840,
    matrix_instructions = [#ttg.matrix_instruction<family = "scaled_mfma", shape = [32, 32, 64], element = i8, sum = f32>,
                           #ttg.matrix_instruction<family = "scaled_mfma", shape = [16, 16, 128], element = i8, sum = f32>,
                           #ttg.matrix_instruction<family = "mfma", shape = [16, 16, 32], element = bf16, sum = f32>]>} {

// CHECK-LABEL: @large
// CHECK: tt.dot_scaled
// CHECK-SAME: ttg.instruction = #ttg.matrix_instruction<family = "scaled_mfma", shape = [32, 32, 64], element = i8, sum = f32>
// CHECK-SAME: ttg.operand_anchors = [
tt.func public @large(%a: tensor<64x128xf8E4M3FN>, %sa: tensor<64x4xi8>, %b: tensor<64x64xi8>, %sb: tensor<64x4xi8>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x128xf8E4M3FN>, tensor<64x4xi8> * tensor<64x64xi8>, tensor<64x4xi8> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// What leaves the warps no tiles of their own takes the smaller ones.
// CHECK-LABEL: @small
// CHECK: tt.dot_scaled {{.*}} shape = [16, 16, 128]
tt.func public @small(%a: tensor<32x128xf8E5M2>, %sa: tensor<32x4xi8>, %b: tensor<128x32xf8E5M2>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<32x128xf8E5M2>, tensor<32x4xi8> * tensor<128x32xf8E5M2> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Too short along k; scales with a mantissa, of groups of 16; pairs along the rows; another format.
// CHECK-LABEL: @others
// CHECK-NOT: tt.dot_scaled
// CHECK-COUNT-4: tt.dot %
// CHECK-NOT: tt.dot_scaled
// CHECK: tt.return
tt.func public @others(%a: tensor<32x32xf8E5M2>, %sa: tensor<32x1xi8>, %b: tensor<32x32xf8E5M2>, %c: tensor<32x32xf32>,
                       %p: tensor<32x64xi8>, %sp: tensor<32x8xf8E4M3FN>, %q: tensor<64x32xi8>,
                       %r: tensor<16x128xi8>, %sr: tensor<32x4xi8>, %s: tensor<128x32xf8E5M2>, %h: tensor<128x32xbf16>) {
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<32x32xf8E5M2>, tensor<32x1xi8> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %e = tt.dot_scaled %p scale %sp, %q, %d lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<32x64xi8>, tensor<32x8xf8E4M3FN> * tensor<64x32xi8> -> tensor<32x32xf32>
  %f = tt.dot_scaled %r scale %sr, %s, %e lhs = e2m1 rhs = e5m2 {fastMath = false, lhs_k_pack = false} : tensor<16x128xi8>, tensor<32x4xi8> * tensor<128x32xf8E5M2> -> tensor<32x32xf32>
  %g = tt.dot_scaled %p scale %sr, %h, %f lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<32x64xi8>, tensor<32x4xi8> * tensor<128x32xbf16> -> tensor<32x32xf32>
  tt.return
}

}
