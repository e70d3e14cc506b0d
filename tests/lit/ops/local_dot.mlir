// RUN: tl-opt %s | tl-opt | FileCheck %s
// ttg.local_dot round-trips, for matrices and batches of them.

#product = #ttg.layout<blocked [16, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#batch = #ttg.layout<blocked [2, 16, 32], registers = [1, 1, 4], lanes = [1, 4, 8], warps = [2, 2, 1], order = [2, 1, 0]>

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%c: tensor<16x32xf32, #product>, %d: tensor<2x16x32xi32, #batch>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<16x8xf32, #ttg.shared<rows [16, 8], order = [1, 0]>>
  %b = ttg.local_alloc : () -> !ttg.memdesc<8x32xf32, #ttg.shared<rows [8, 32], order = [0, 1]>>
  // CHECK: ttg.local_dot %{{.*}}, %{{.*}}, %{{.*}} : !ttg.memdesc<16x8xf32, #ttg.shared<rows [16, 8], order = [1, 0]>>, !ttg.memdesc<8x32xf32, #ttg.shared<rows [8, 32], order = [0, 1]>> -> tensor<16x32xf32,
  %0 = ttg.local_dot %a, %b, %c : !ttg.memdesc<16x8xf32, #ttg.shared<rows [16, 8], order = [1, 0]>>, !ttg.memdesc<8x32xf32, #ttg.shared<rows [8, 32], order = [0, 1]>> -> tensor<16x32xf32, #product>
  %x = ttg.local_alloc : () -> !ttg.memdesc<2x16x8xi8, #ttg.shared<rows [2, 16, 8], order = [2, 1, 0]>>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x8x32xi8, #ttg.shared<rows [2, 8, 32], order = [2, 1, 0]>>
  // CHECK: ttg.local_dot {{.*}} -> tensor<2x16x32xi32,
  %1 = ttg.local_dot %x, %y, %d : !ttg.memdesc<2x16x8xi8, #ttg.shared<rows [2, 16, 8], order = [2, 1, 0]>>, !ttg.memdesc<2x8x32xi8, #ttg.shared<rows [2, 8, 32], order = [2, 1, 0]>> -> tensor<2x16x32xi32, #batch>
  tt.return
}
