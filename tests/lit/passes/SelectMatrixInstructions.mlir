// RUN: tl-opt --select-matrix-instructions %s | FileCheck %s
// Products are anchored to the layouts of the first instruction of the module's list that computes them.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
    matrix_instructions = [#ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 8], element = f16, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 8], element = tf32, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 32], element = i8, sum = i32>,
                           #ttg.matrix_instruction<family = "mma", shape = [8, 8, 4], element = f64, sum = f64>]>} {

// CHECK-LABEL: @halves
// CHECK: tt.dot
// CHECK-SAME: ttg.anchor = #ttg.layout<mma [64, 32], warps = [2, 2]>
// CHECK-SAME: ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>
// CHECK-SAME: ttg.operand_anchors = [#ttg.layout<dot_operand mma [64, 16], index = 0, bits = 16, warps = [2, 2]>, #ttg.layout<dot_operand mma [16, 32], index = 1, bits = 16, warps = [2, 2]>]
tt.func public @halves(%a: tensor<64x16xf16>, %b: tensor<16x32xf16>, %c: tensor<64x32xf32>) {
  %d = tt.dot %a, %b, %c : tensor<64x16xf16> * tensor<16x32xf16> -> tensor<64x32xf32>
  tt.return
}

// Sums may be rounded to the result, and fp8 is widened to f16.
// CHECK-LABEL: @narrow
// CHECK: tt.dot {{.*}} element = f16, sum = f32>
// CHECK: tt.dot {{.*}} element = f16, sum = f32>
tt.func public @narrow(%a: tensor<16x16xf16>, %b: tensor<16x16xf8E5M2>, %e: tensor<16x16xf8E4M3FN>, %c: tensor<16x16xf16>, %s: tensor<16x16xf32>) {
  %d = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
  %f = tt.dot %b, %e, %s : tensor<16x16xf8E5M2> * tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}

// Full precision of f32 is not what an instruction for tf32 computes, nor are rounded sums of f32 a result.
// CHECK-LABEL: @singles
// CHECK: tt.dot {{.*}} inputPrecision = tf32 {{.*}} element = tf32
// CHECK-NOT: ttg.instruction
// CHECK: tt.return
tt.func public @singles(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>, %h: tensor<16x16xf16>) {
  %d = tt.dot %a, %a, %c, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = tt.dot %a, %a, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %f = tt.dot %a, %a, %h, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf16>
  tt.return
}

// CHECK-LABEL: @others
// CHECK: tt.dot {{.*}} element = i8, sum = i32>
// CHECK: tt.dot {{.*}} {ttg.anchor = #ttg.layout<blocked [8, 8], registers = [1, 2], lanes = [8, 4],
// CHECK-SAME: element = f64, sum = f64>
tt.func public @others(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>, %x: tensor<8x8xf64>) {
  %d = tt.dot %a, %b, %c : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %e = tt.dot %x, %x, %x : tensor<8x8xf64> * tensor<8x8xf64> -> tensor<8x8xf64>
  tt.return
}

// What is smaller than every instruction is computed by the shortest: what is missing counts as nothing.
// CHECK-LABEL: @small
// CHECK: tt.dot {{.*}} shape = [16, 8, 8], element = f16
// CHECK: tt.dot {{.*}} shape = [16, 8, 16], element = f16
// CHECK: tt.dot {{.*}} shape = [16, 8, 8], element = f16
tt.func public @small(%a: tensor<16x8xf16>, %b: tensor<8x8xf16>, %c: tensor<16x8xf32>,
                      %d: tensor<1x32xf16>, %e: tensor<32x8xf16>, %f: tensor<1x8xf32>,
                      %g: tensor<4x4xf16>, %h: tensor<4x4xf32>) {
  %x = tt.dot %a, %b, %c : tensor<16x8xf16> * tensor<8x8xf16> -> tensor<16x8xf32>
  %y = tt.dot %d, %e, %f : tensor<1x32xf16> * tensor<32x8xf16> -> tensor<1x8xf32>
  %z = tt.dot %g, %g, %h : tensor<4x4xf16> * tensor<4x4xf16> -> tensor<4x4xf32>
  tt.return
}

// A lane's k are for us to choose: bytes that lie together along k and are widened come four at a time.
// CHECK-LABEL: @widened
// CHECK: tt.dot {{.*}}ttg.operand_anchors = [#ttg.layout<dot_operand mma [16, 64], index = 0, bits = 8, warps = [1, 4]>,
tt.func public @widened(%a: tensor<16x64xf16>, %p: tensor<64x64x!tt.ptr<i8>> {tt.divisibility = 16 : i32, tt.contiguity = dense<[64, 1]> : tensor<2xi32>}, %c: tensor<16x64xf32>) {
  %b = tt.load %p : tensor<64x64x!tt.ptr<i8>>
  %h = arith.sitofp %b : tensor<64x64xi8> to tensor<64x64xf16>
  %d = tt.dot %a, %h, %c : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
  tt.return
}

// What has a type that no instruction has, or hardly any multiply-adds, is computed by those: the thread's
// elements of the result are a grid.
// CHECK-LABEL: @multiply_adds
// CHECK-NOT: ttg.instruction
// CHECK: tt.dot {{.*}} {ttg.anchor = #ttg.layout<blocked [2, 2], {{.*}}>} : tensor<2x2xf16>
// CHECK-NOT: ttg.instruction
// CHECK: tt.return
tt.func public @multiply_adds(%a: tensor<2x2xf16>, %b: tensor<2x2xf32>,
                              %f: tensor<16x16xbf16>, %g: tensor<16x16xf32>) {
  %x = tt.dot %a, %a, %b : tensor<2x2xf16> * tensor<2x2xf16> -> tensor<2x2xf32>
  %z = tt.dot %f, %f, %g : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// Warps go where the result is longest.
// CHECK-LABEL: @warps
// CHECK: tt.dot {{.*}} #ttg.layout<mma [16, 64], warps = [1, 4]>
// CHECK: tt.dot {{.*}} #ttg.layout<mma [64, 8], warps = [4, 1]>
tt.func public @warps(%a: tensor<16x16xf16>, %b: tensor<16x64xf16>, %c: tensor<16x64xf32>, %d: tensor<64x16xf16>, %e: tensor<16x8xf16>, %f: tensor<64x8xf32>) {
  %x = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x64xf16> -> tensor<16x64xf32>
  %y = tt.dot %d, %e, %f : tensor<64x16xf16> * tensor<16x8xf16> -> tensor<64x8xf32>
  tt.return
}

// The matrices of a batch go to warps of their own; what warps are left share one.
// CHECK-LABEL: @batches
// CHECK: tt.dot {{.*}}ttg.anchor = #ttg.layout<mma [8, 16, 16], warps = [4, 1, 1]>
// CHECK-SAME: ttg.operand_anchors = [#ttg.layout<mma [8, 16, 32], warps = [4, 1, 1]>, #ttg.layout<blocked [8, 32, 16], registers = [1, 2, 1], lanes = [1, 4, 8], warps = [4, 1, 1], order = [1, 2, 0]>]
// CHECK: tt.dot {{.*}}ttg.anchor = #ttg.layout<mma [2, 16, 32], warps = [2, 1, 2]>
tt.func public @batches(%a: tensor<8x16x32xf16>, %b: tensor<8x32x16xf16>, %c: tensor<8x16x16xf32>,
                        %d: tensor<2x16x16xf16>, %e: tensor<2x16x32xf16>, %f: tensor<2x16x32xf32>) {
  %x = tt.dot %a, %b, %c : tensor<8x16x32xf16> * tensor<8x32x16xf16> -> tensor<8x16x16xf32>
  %y = tt.dot %d, %e, %f : tensor<2x16x16xf16> * tensor<2x16x32xf16> -> tensor<2x16x32xf32>
  tt.return
}

}
