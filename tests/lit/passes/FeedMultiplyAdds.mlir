// RUN: tl-opt --feed-multiply-adds %s | FileCheck %s
// Operands of products that no instruction computes go to shared memory.

#rows = #ttg.layout<blocked [64, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#columns = #ttg.layout<blocked [32, 64], registers = [4, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>
#other = #ttg.layout<blocked [32, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>
#narrow = #ttg.layout<blocked [32, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#narrowproduct = #ttg.layout<blocked [64, 32], registers = [4, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
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

// Each number of A is a factor of 64 products, so that four rows lie together, which one access
// reads; of B the columns do already.
// CHECK-LABEL: @read_often
// CHECK: ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<64x32xf32, #ttg.shared<linear [64, 32], offset = {{\[\[}}1, 0], [2, 0],
// CHECK: ttg.local_alloc %arg1 : {{.*}} -> !ttg.memdesc<32x64xf32, #ttg.shared<{{.*}}[32, 64], {{offset = \[\[0, 1\], \[0, 2\],|order = \[1, 0\]}}
tt.func public @read_often(%a: tensor<64x32xf32, #rows>, %b: tensor<32x64xf32, #other>, %c: tensor<64x64xf32, #product>) -> tensor<64x64xf32, #product> {
  %d = tt.dot %a, %b, %c : tensor<64x32xf32, #rows> * tensor<32x64xf32, #other> -> tensor<64x64xf32, #product>
  tt.return %d : tensor<64x64xf32, #product>
}

// No copy brings a single element of two bytes: neighbours along k lie together.
// CHECK-LABEL: @small
// CHECK: ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<64x32xf16, #ttg.shared<{{.*}}[64, 32], {{offset = \[\[0, 1\], \[0, 2\],|order = \[1, 0\]}}
tt.func public @small(%a: tensor<64x32xf16, #rows>, %b: tensor<32x64xf16, #other>, %c: tensor<64x64xf32, #product>) -> tensor<64x64xf32, #product> {
  %d = tt.dot %a, %b, %c : tensor<64x32xf16, #rows> * tensor<32x64xf16, #other> -> tensor<64x64xf32, #product>
  tt.return %d : tensor<64x64xf32, #product>
}

// So they do if each number is a factor of 32 products alone.
// CHECK-LABEL: @read_seldom
// CHECK: ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<64x32xf32, #ttg.shared<{{.*}}[64, 32], {{offset = \[\[0, 1\], \[0, 2\],|order = \[1, 0\]}}
tt.func public @read_seldom(%a: tensor<64x32xf32, #rows>, %b: tensor<32x32xf32, #narrow>, %c: tensor<64x32xf32, #narrowproduct>) -> tensor<64x32xf32, #narrowproduct> {
  %d = tt.dot %a, %b, %c : tensor<64x32xf32, #rows> * tensor<32x32xf32, #narrow> -> tensor<64x32xf32, #narrowproduct>
  tt.return %d : tensor<64x32xf32, #narrowproduct>
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
