// RUN: tl-opt --share-product-operands %s | FileCheck %s
// Products of groups of warps find their operands in shared memory, or in registers in the instruction's layout.

#rows = #ttg.layout<blocked [64, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#columns = #ttg.layout<blocked [64, 64], registers = [8, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>
#longrows = #ttg.layout<blocked [64, 128], registers = [1, 16], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#longcolumns = #ttg.layout<blocked [128, 64], registers = [16, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// Each operand lies in memory as registers count its neighbours; the result is waited for at once.
// CHECK-LABEL: @memory
// CHECK-DAG: %[[A:.*]] = ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>>
// CHECK-DAG: %[[B:.*]] = ttg.local_alloc %arg1 : {{.*}} -> !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [0, 1]>>
// CHECK: %[[S:.*]] = ttg.warp_group_dot %[[A]], %[[B]], %arg2 {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
// CHECK-NEXT: ttg.warp_group_dot_wait %[[S]] {pendings = 0 : i32}
// CHECK-NOT: tt.dot
tt.func public @memory(%a: tensor<64x64xf16, #rows>, %b: tensor<64x64xf16, #columns>, %c: tensor<64x64xf32, #d>) {
  %x = tt.dot %a, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #columns> -> tensor<64x64xf32, #d>
  tt.return
}

// One operand of two products is put there once, and so is a tile that is multiplied with its own transpose: that is a
// view.
// CHECK-LABEL: @twice
// CHECK-DAG: %[[A:.*]] = ttg.local_alloc %arg0
// CHECK-DAG: %[[T:.*]] = ttg.memdesc_trans %[[A]]
// CHECK-DAG: %[[B:.*]] = ttg.local_alloc %arg1
// CHECK-NOT: ttg.local_alloc
// CHECK: ttg.warp_group_dot %[[A]], %[[B]], %arg2
// CHECK: ttg.warp_group_dot %[[A]], %[[T]], %arg2
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.return
tt.func public @twice(%a: tensor<64x64xf16, #rows>, %b: tensor<64x64xf16, #columns>, %c: tensor<64x64xf32, #d>) {
  %x = tt.dot %a, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #columns> -> tensor<64x64xf32, #d>
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #columns>
  %y = tt.dot %a, %t, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #columns> -> tensor<64x64xf32, #d>
  tt.return
}

// What has the layout of the instruction's first operand stays in registers.
// CHECK-LABEL: @registers
// CHECK: %[[H:.*]] = arith.truncf %arg2
// CHECK-NOT: ttg.local_alloc %[[H]]
// CHECK: ttg.warp_group_dot %[[H]], %{{.*}}, %arg2 {{.*}} : tensor<64x64xf16, {{.*}}>, !ttg.memdesc<64x64xf16
tt.func public @registers(%b: tensor<64x64xf16, #rows>, %unused: i32, %c: tensor<64x64xf32, #d>) {
  %h = arith.truncf %c : tensor<64x64xf32, #d> to tensor<64x64xf16, #d>
  %x = tt.dot %h, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #d> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
  tt.return
}

// Instructions read elements that are not of 16 bits along k only: they are put there so, wherever they come from.
// CHECK-LABEL: @bytes
// CHECK: ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<64x64xi8, #ttg.shared<hardware_swizzled [64, 64], bits = 8, bytes = 64, order = [0, 1]>>
tt.func public @bytes(%b: tensor<64x64xi8, #rows>, %a: tensor<64x64xi8, #rows>, %c: tensor<64x64xi32, #d>) {
  %x = tt.dot %a, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 32], element = i8, sum = i32>}
    : tensor<64x64xi8, #rows> * tensor<64x64xi8, #rows> -> tensor<64x64xi32, #d>
  tt.return
}

// Other instructions' products stay.
// CHECK-LABEL: @others
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.dot
tt.func public @others(%a: tensor<64x64xf16, #rows>, %c: tensor<64x64xf32, #rows>) {
  %x = tt.dot %a, %a, %c : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #rows>
  tt.return
}

// Sums of fp8 may have 95 products in a row, those of two instructions: sums of parts of k are added as f32.
// CHECK-LABEL: @imprecise
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[A:.*]] = ttg.warp_group_dot %[[M:.*]], %[[N:.*]], %[[ZERO]] {instruction = array<i32: 64, 64, 32>, ttg.part = array<i32: 0, 64>, warps = array<i32: 4, 1>}
// CHECK-NEXT: %[[X:.*]] = ttg.warp_group_dot_wait %[[A]] {pendings = 0 : i32}
// CHECK-NEXT: %[[P:.*]] = arith.addf %arg2, %[[X]]
// CHECK-NEXT: %[[B:.*]] = ttg.warp_group_dot %[[M]], %[[N]], %[[ZERO]] {{.*}} ttg.part = array<i32: 64, 128>
// CHECK-NEXT: %[[Y:.*]] = ttg.warp_group_dot_wait %[[B]]
// CHECK-NEXT: arith.addf %[[P]], %[[Y]]
// All of k at once.
// CHECK: ttg.warp_group_dot {{.*}}, %arg2 {instruction = array<i32: 64, 64, 32>, warps = array<i32: 4, 1>}
// CHECK-NOT: ttg.warp_group_dot %
// CHECK: tt.return
tt.func public @imprecise(%a: tensor<64x128xf8E4M3FN, #longrows>, %b: tensor<128x64xf8E4M3FN, #longcolumns>, %c: tensor<64x64xf32, #d>) {
  %x = tt.dot %a, %b, %c {maxNumImpreciseAcc = 95 : i32, ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 32], element = f8E4M3FN, sum = f32>}
    : tensor<64x128xf8E4M3FN, #longrows> * tensor<128x64xf8E4M3FN, #longcolumns> -> tensor<64x64xf32, #d>
  %y = tt.dot %a, %b, %c {maxNumImpreciseAcc = 128 : i32, ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 32], element = f8E4M3FN, sum = f32>}
    : tensor<64x128xf8E4M3FN, #longrows> * tensor<128x64xf8E4M3FN, #longcolumns> -> tensor<64x64xf32, #d>
  tt.return
}

}
