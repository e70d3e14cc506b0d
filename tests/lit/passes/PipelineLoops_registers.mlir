// RUN: tl-opt --pipeline-loops %s | FileCheck %s
// RUN: sed 's/, ttg.loads_in_registers//; s/shared_bytes = 65536/shared_bytes = 16000/' %s | tl-opt --pipeline-loops | FileCheck %s
// RUN: sed 's/, ttg.loads_in_registers//' %s | tl-opt --pipeline-loops | FileCheck %s --check-prefix=COPIES
// Loads one iteration ahead through registers: without asynchronous copies, and where two buffers are too much.

#l = #ttg.layout<blocked [64, 64], registers = [1, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>
#w = #ttg.layout<blocked [64, 64], registers = [64, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>
#d = #ttg.layout<mfma [64, 64], side = 32, warps = [2, 2]>
#a = #ttg.layout<dot_operand mfma [64, 64], index = 0, side = 32, k_width = 8, warps = [2, 2]>
#b = #ttg.layout<dot_operand mfma [64, 64], index = 1, side = 32, k_width = 8, warps = [2, 2]>
#m = #ttg.shared<swizzled [64, 64], vector = 8, per_phase = 1, max_phase = 8, order = [1, 0]>
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 64, access_bytes = 16, sector_bytes = 64, shared_bytes = 65536, matrix_instructions = []>, ttg.loads_in_registers} {

// The next iteration is loaded first and stored last. Only in the last iteration there is nothing to load.
// CHECK-LABEL: @product
// CHECK: %[[M:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #
// CHECK: %[[FIRST:.*]] = tt.load %{{.*}}, %{{.*}} :
// CHECK: ttg.local_store %[[FIRST]], %[[M]]
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK: %[[NEXT:.*]] = tt.load %{{.*}}, %{{.*}} :
// CHECK: ttg.local_load %[[M]]
// CHECK: ttg.local_load %[[M]]
// CHECK: tt.dot
// CHECK: ttg.local_store %[[NEXT]], %[[M]]
// CHECK: scf.yield
// CHECK: ttg.local_dealloc %[[M]]
// CHECK-NOT: ttg.async
// COPIES-LABEL: @product
// COPIES: ttg.async_copy_global_to_local
tt.func public @product(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) -> tensor<64x64xf32, #d> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %next = arith.constant dense<64> : tensor<64x64xi32, #l>
  %sum:2 = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero, %q = %p) -> (tensor<64x64xf32, #d>, tensor<64x64x!tt.ptr<f16>, #l>) : i32 {
    %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #m>
    %a = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #a>
    %b = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #b>
    %s = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #d>
    %n = tt.addptr %q, %next : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    scf.yield %s, %n : tensor<64x64xf32, #d>, tensor<64x64x!tt.ptr<f16>, #l>
  }
  tt.return %sum#0 : tensor<64x64xf32, #d>
}

// What no thread has registers for stays in its iteration.
// CHECK-LABEL: @large
// CHECK-NOT: tt.load
// CHECK: scf.for
// CHECK-NEXT: tt.load
// CHECK-NEXT: ttg.local_alloc %
// CHECK-NOT: tt.load
tt.func public @large(%p: tensor<64x64x!tt.ptr<f16>, #w> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) -> tensor<64x64xf32, #d> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #w>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #w>) -> !ttg.memdesc<64x64xf16, #m>
    %a = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #a>
    %b = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #b>
    %s = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #d>
    scf.yield %s : tensor<64x64xf32, #d>
  }
  tt.return %sum : tensor<64x64xf32, #d>
}

}
