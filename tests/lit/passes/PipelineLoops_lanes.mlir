// RUN: tl-opt --pipeline-loops %s | FileCheck %s
// RUN: sed 's/shared_bytes = 65536/shared_bytes = 32768/' %s | tl-opt --pipeline-loops | FileCheck %s --check-prefix=HALF
// Copies in lane order. Who waits for them counts them, and so has to know whether the later ones have been started.

#l = #ttg.layout<linear [64, 64], register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 8], [4, 16]], warp = [[8, 32], [16, 0]], block = []>
#t = #ttg.layout<blocked [64, 64], registers = [4, 4], lanes = [4, 16], warps = [4, 1], order = [1, 0]>
#d = #ttg.layout<mfma [64, 64], side = 32, warps = [2, 2]>
#a = #ttg.layout<dot_operand mfma [64, 64], index = 0, side = 32, k_width = 8, warps = [2, 2]>
#b = #ttg.layout<dot_operand mfma [64, 64], index = 1, side = 32, k_width = 8, warps = [2, 2]>
#m = #ttg.shared<swizzled [64, 64], vector = 8, per_phase = 2, max_phase = 8, order = [1, 0]>
#n = #ttg.shared<swizzled [64, 64], vector = 4, per_phase = 1, max_phase = 16, order = [0, 1]>
module attributes {ttg.banks = 64 : i32, ttg.gpu = #ttg.gpu<warps = 4, lanes = 64, access_bytes = 16, sector_bytes = 64, shared_bytes = 65536, matrix_instructions = []>, ttg.loads_in_registers, ttg.lane_copies = array<i32: 4, 16>} {

// Two iterations ahead in a half of shared memory, so that a second program has room.
// CHECK-LABEL: @copied
// CHECK: ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16
// CHECK-COUNT-2: ttg.async_commit_group
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %
// CHECK: %[[NOW:.*]] = arith.addi %[[I]], %
// CHECK-NEXT: %[[STARTED:.*]] = arith.cmpi slt, %[[NOW]], %
// CHECK-NEXT: ttg.async_wait if %[[STARTED]] {num = 1 : i32}
// CHECK-NEXT: ttg.barrier local
// CHECK: tt.dot
// CHECK: ttg.async_copy_global_to_local
// CHECK-NEXT: ttg.async_commit_group
// CHECK: scf.yield
// CHECK: ttg.async_wait {num = 0 : i32}
// Where a second program has no room for that, one iteration ahead, started as soon as the last one is there.
// HALF-LABEL: @copied
// HALF: ttg.local_alloc {ordered} : () -> !ttg.memdesc<2x64x64xf16
// HALF: scf.for
// HALF: ttg.async_wait {num = 0 : i32}
// HALF-NEXT: ttg.barrier local
// HALF: ttg.async_copy_global_to_local
// HALF: tt.dot
tt.func public @copied(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) -> tensor<64x64xf32, #d> {
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

// Lanes that are masked copy zeros: copies of later iterations are counted as without masks.
// CHECK-LABEL: @masked
// CHECK: ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16
// CHECK: scf.for
// CHECK: ttg.async_wait if %{{.*}} {num = 1 : i32}
// CHECK: tt.dot
// CHECK: ttg.async_copy_global_to_local
tt.func public @masked(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %mask: tensor<64x64xi1, #l> {tt.constancy = dense<[1, 64]> : tensor<2xi32>}, %count: i32) -> tensor<64x64xf32, #d> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #m>
    %a = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #a>
    %b = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #b>
    %s = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #d>
    scf.yield %s : tensor<64x64xf32, #d>
  }
  tt.return %sum : tensor<64x64xf32, #d>
}

// Where something else is loaded instead, a warp that is masked makes no copy, so that nobody knows how many there are: all are
// waited for, and none are two iterations ahead.
// CHECK-LABEL: @filled
// CHECK: ttg.local_alloc {ordered} : () -> !ttg.memdesc<2x64x64xf16
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: ttg.async_copy_global_to_local
// CHECK: tt.dot
tt.func public @filled(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %mask: tensor<64x64xi1, #l> {tt.constancy = dense<[1, 64]> : tensor<2xi32>}, %count: i32) -> tensor<64x64xf32, #d> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %ones = arith.constant dense<1.0> : tensor<64x64xf16, #l>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p, %mask, %ones : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #m>
    %a = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #a>
    %b = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #b>
    %s = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #d>
    scf.yield %s : tensor<64x64xf32, #d>
  }
  tt.return %sum : tensor<64x64xf32, #d>
}

// A load whose lanes lie otherwise waits in registers meanwhile, and is stored when its products have been computed.
// CHECK-LABEL: @both
// CHECK: %[[RING:.*]] = ttg.local_alloc {ordered} : () -> !ttg.memdesc<2x64x64xf16
// CHECK: %[[M:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: ttg.barrier local
// CHECK: ttg.async_copy_global_to_local
// CHECK: %[[NEXT:.*]] = tt.load
// CHECK: ttg.local_load %[[M]]
// CHECK: tt.dot
// CHECK: ttg.local_store %[[NEXT]], %[[M]]
// CHECK: scf.yield
tt.func public @both(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x64x!tt.ptr<f16>, #t> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) -> tensor<64x64xf32, #d> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #m>
    %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #t>
    %n = ttg.local_alloc %y : (tensor<64x64xf16, #t>) -> !ttg.memdesc<64x64xf16, #n>
    %a = ttg.local_load %m : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #a>
    %b = ttg.local_load %n : !ttg.memdesc<64x64xf16, #n> -> tensor<64x64xf16, #b>
    %s = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #d>
    scf.yield %s : tensor<64x64xf32, #d>
  }
  tt.return %sum : tensor<64x64xf32, #d>
}

}
