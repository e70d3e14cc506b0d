// RUN: tl-opt --feed-multiply-adds %s | FileCheck %s
// Operands of products that no instruction computes go to shared memory.

#rows = #ttg.layout<blocked [64, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#columns = #ttg.layout<blocked [32, 64], registers = [4, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>
#other = #ttg.layout<blocked [32, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>
#product = #ttg.layout<blocked [64, 64], registers = [4, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// One is computed before the loop, and put there once; the other where it is computed. Both where they are needed.
// CHECK-LABEL: @loop
// CHECK: tt.print
// CHECK: %[[A:.*]] = ttg.local_alloc %arg0
// CHECK-NEXT: scf.for
// CHECK: arith.addf
// CHECK: tt.print
// CHECK: %[[B:.*]] = ttg.local_alloc %{{.*}} : (tensor<32x64xf32,
// CHECK: ttg.local_dot %[[A]], %[[B]], %{{.*}} : !ttg.memdesc<64x32xf32, {{.*}}>, !ttg.memdesc<32x64xf32, {{.*}}> -> tensor<64x64xf32,
// CHECK-NOT: tt.dot
tt.func public @loop(%a: tensor<64x32xf32, #rows>, %b: tensor<32x64xf32, #other>, %c: tensor<64x64xf32, #product>, %n: i32) -> tensor<64x64xf32, #product> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tt.print "n: " {hex = false, isSigned = array<i32: 1>} : %n : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #product>) : i32 {
    %t = arith.addf %b, %b : tensor<32x64xf32, #other>
    tt.print "i: " {hex = false, isSigned = array<i32: 1>} : %i : i32
    %d = tt.dot %a, %t, %sum : tensor<64x32xf32, #rows> * tensor<32x64xf32, #other> -> tensor<64x64xf32, #product>
    scf.yield %d : tensor<64x64xf32, #product>
  }
  tt.return %r : tensor<64x64xf32, #product>
}

// A constant stands in the entry block, the product in another: it is put there in that block.
// CHECK-LABEL: @after_a_return
// CHECK: arith.constant dense<2.0
// CHECK: ^bb2:
// CHECK: %[[B:.*]] = ttg.local_alloc %{{.*}} : (tensor<32x64xf32,
// CHECK: ttg.local_dot %{{.*}}, %[[B]],
tt.func public @after_a_return(%a: tensor<64x32xf32, #rows>, %c: tensor<64x64xf32, #product>, %leaves: i1) -> tensor<64x64xf32, #product> {
  %b = arith.constant dense<2.0> : tensor<32x64xf32, #other>
  cf.cond_br %leaves, ^return, ^go
^return:
  tt.return %c : tensor<64x64xf32, #product>
^go:
  %d = tt.dot %a, %b, %c : tensor<64x32xf32, #rows> * tensor<32x64xf32, #other> -> tensor<64x64xf32, #product>
  tt.return %d : tensor<64x64xf32, #product>
}

// A transposition is a view of what is transposed.
// CHECK-LABEL: @transposed
// CHECK: %[[A:.*]] = ttg.local_alloc %arg0 : (tensor<64x32xf32,
// CHECK: %[[M:.*]] = ttg.local_alloc %arg0 : (tensor<64x32xf32,
// CHECK: %[[T:.*]] = ttg.memdesc_trans %[[M]] {order = array<i32: 1, 0>}
// CHECK-NOT: tt.trans
// CHECK: ttg.local_dot %[[A]], %[[T]], %arg1
tt.func public @transposed(%a: tensor<64x32xf32, #rows>, %c: tensor<64x64xf32, #product>) -> tensor<64x64xf32, #product> {
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x32xf32, #rows> -> tensor<32x64xf32, #columns>
  %d = tt.dot %a, %t, %c : tensor<64x32xf32, #rows> * tensor<32x64xf32, #columns> -> tensor<64x64xf32, #product>
  tt.return %d : tensor<64x64xf32, #product>
}

}
