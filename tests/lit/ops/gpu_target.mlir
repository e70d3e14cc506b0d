// RUN: tl-opt %s | tl-opt | FileCheck %s
// What a module says of its GPU, and a product of its instruction, is printed as it is read.

// CHECK: module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = [#ttg.matrix_instruction<family = "mma", shape = [16, 8, 8], element = tf32, sum = f32>]>} {
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
    matrix_instructions = [#ttg.matrix_instruction<family = "mma", shape = [16, 8, 8], element = tf32, sum = f32>]>} {

// CHECK: tt.dot {{.*}} {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
tt.func public @product(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  %d = tt.dot %a, %a, %c {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
      : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

}
