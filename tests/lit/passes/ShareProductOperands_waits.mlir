// RUN: tl-opt --share-product-operands %s | FileCheck %s
// Products of groups of warps go on while the threads compute: waits stand where results are needed.

#rows = #ttg.layout<blocked [64, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// The second goes on while the first one's result is computed with.
// CHECK-LABEL: @two
// CHECK: %[[X:.*]] = ttg.warp_group_dot
// CHECK: %[[Y:.*]] = ttg.warp_group_dot
// CHECK-NEXT: %[[A:.*]] = ttg.warp_group_dot_wait %[[X]] {pendings = 1 : i32}
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[A]]
// CHECK-NEXT: %[[B:.*]] = ttg.warp_group_dot_wait %[[Y]] {pendings = 0 : i32}
// CHECK-NEXT: arith.mulf %[[E]], %[[B]]
tt.func public @two(%a: tensor<64x64xf16, #rows>, %b: tensor<64x64xf16, #rows>, %c: tensor<64x64xf32, #d>) {
  %x = tt.dot %a, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
  %y = tt.dot %b, %a, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
  %e = math.exp2 %x : tensor<64x64xf32, #d>
  %f = arith.mulf %e, %y : tensor<64x64xf32, #d>
  tt.return
}

// Not past the end of an iteration, nor past another loop, which has products of its own.
// CHECK-LABEL: @loops
// CHECK: %[[X:.*]] = ttg.warp_group_dot
// CHECK-NEXT: %[[Y:.*]] = ttg.warp_group_dot
// CHECK-DAG: ttg.warp_group_dot_wait %[[Y]] {pendings = 0 : i32}
// CHECK-DAG: ttg.warp_group_dot_wait %[[X]] {pendings = 1 : i32}
// CHECK: scf.for
// CHECK: %[[Z:.*]] = ttg.warp_group_dot
// CHECK-NEXT: %[[V:.*]] = ttg.warp_group_dot
// CHECK-DAG: ttg.warp_group_dot_wait %[[V]] {pendings = 0 : i32}
// CHECK-DAG: ttg.warp_group_dot_wait %[[Z]] {pendings = 1 : i32}
// CHECK: scf.yield
tt.func public @loops(%a: tensor<64x64xf16, #rows>, %b: tensor<64x64xf16, #rows>, %c: tensor<64x64xf32, #d>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.dot %a, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
  %y = tt.dot %b, %a, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<64x64xf32, #d>, tensor<64x64xf32, #d>) : i32 {
    %z = tt.dot %a, %b, %p {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
      : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
    %v = tt.dot %b, %a, %q {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
      : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
    scf.yield %z, %v : tensor<64x64xf32, #d>, tensor<64x64xf32, #d>
  }
  tt.return
}

// Nor is the next one in the way that adds to the result: its operands are computed meanwhile.
// CHECK-LABEL: @chain
// CHECK: %[[X:.*]] = ttg.warp_group_dot
// CHECK: math.exp2
// CHECK: %[[A:.*]] = ttg.warp_group_dot_wait %[[X]] {pendings = 0 : i32}
// CHECK-NEXT: ttg.warp_group_dot %{{.*}}, %{{.*}}, %[[A]]
tt.func public @chain(%a: tensor<64x64xf16, #rows>, %b: tensor<64x64xf16, #rows>, %c: tensor<64x64xf32, #d>) {
  %x = tt.dot %a, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
  %e = math.exp2 %a : tensor<64x64xf16, #rows>
  %y = tt.dot %e, %b, %x {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 16], element = f16, sum = f32>}
    : tensor<64x64xf16, #rows> * tensor<64x64xf16, #rows> -> tensor<64x64xf32, #d>
  %f = math.exp2 %y : tensor<64x64xf32, #d>
  tt.return
}

}
