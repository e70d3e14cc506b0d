// RUN: tl-opt %s | tl-opt | FileCheck %s
// Shared memory is reserved, written and read as a tensor.

#l = #ttg.layout<blocked [32, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#s = #ttg.shared<rows [32, 32], order = [1, 0]>

// CHECK-LABEL: @through
// CHECK: %[[M:.*]] = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>>
// CHECK: ttg.local_store %{{.*}}, %[[M]] : tensor<32x32xf16, #{{.*}}> -> !ttg.memdesc<32x32xf16
// CHECK: ttg.local_load %[[M]] : !ttg.memdesc<32x32xf16
// CHECK: ttg.local_alloc %{{.*}} : (tensor<32x32xf16
tt.func @through(%x: tensor<32x32xf16, #l>) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #s>
  ttg.local_store %x, %m : tensor<32x32xf16, #l> -> !ttg.memdesc<32x32xf16, #s>
  %y = ttg.local_load %m : !ttg.memdesc<32x32xf16, #s> -> tensor<32x32xf16, #l>
  %n = ttg.local_alloc %y : (tensor<32x32xf16, #l>) -> !ttg.memdesc<32x32xf16, #s>
  tt.return
}
