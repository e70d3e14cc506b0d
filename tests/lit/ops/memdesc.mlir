// RUN: tl-opt %s | tl-opt | FileCheck %s
// Parts and other names of shared memory: one of several tensors, a part that lies in one piece, the
// axes in another order.

#l = #ttg.layout<blocked [64, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#s = #ttg.shared<rows [64, 32], order = [1, 0]>
#half = #ttg.shared<rows [32, 32], order = [1, 0]>
#t = #ttg.shared<rows [32, 64], order = [0, 1]>

// CHECK-LABEL: @views
// CHECK: %[[ALL:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #{{.*}}>
// CHECK: %[[ONE:.*]] = ttg.memdesc_index %[[ALL]][%{{.*}}] : !ttg.memdesc<3x64x32xf16, #{{.*}}> -> !ttg.memdesc<64x32xf16
// CHECK: ttg.memdesc_subview %[[ONE]] {offsets = array<i64: 32, 0>} : !ttg.memdesc<64x32xf16, #{{.*}}> -> !ttg.memdesc<32x32xf16
// CHECK: ttg.memdesc_trans %[[ONE]] {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #{{.*}}> -> !ttg.memdesc<32x64xf16
tt.func @views(%i: i32) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #s>
  %one = ttg.memdesc_index %m[%i] : !ttg.memdesc<3x64x32xf16, #s> -> !ttg.memdesc<64x32xf16, #s>
  %part = ttg.memdesc_subview %one {offsets = array<i64: 32, 0>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<32x32xf16, #half>
  %turned = ttg.memdesc_trans %one {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<32x64xf16, #t>
  tt.return
}
