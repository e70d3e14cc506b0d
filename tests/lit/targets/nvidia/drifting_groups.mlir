// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ttgir | FileCheck %s --check-prefix=FENCE
// Threads that compute an operand from copies say when they have read them as products do: two groups of warps drift apart, and
// one computes while the other one multiplies.

// What wgmma reads of the copies of threads is handed to it; what threads alone read is not.
// FENCE-LABEL: tt.func public @widened(
// FENCE: ttg.wait_barrier
// FENCE-NEXT: ttg.fence_async_shared
// FENCE-LABEL: tt.func public @described(
// FENCE-NOT: ttg.fence_async_shared
// FENCE: tt.return

// CHECK-LABEL: .entry widened(
// CHECK: mbarrier.init
// CHECK: bar.sync
// CHECK-NOT: bar.sync
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: bar.sync
// CHECK: mbarrier.try_wait
// CHECK-NOT: bar.sync
// CHECK: wgmma.mma_async
// CHECK-NOT: bar.sync
// CHECK: cp.async.mbarrier.arrive.noinc.shared.b64
// CHECK-NOT: bar.sync
// CHECK: mbarrier.arrive.shared.b64
tt.func public @widened(%w: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8192 = arith.constant 8192 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %half = arith.constant dense<0.3> : tensor<128x64xf16>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %ka = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %kb = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<128x1xi32>
  %c128 = arith.constant dense<128> : tensor<64x1xi32>
  %c128r = arith.constant dense<128> : tensor<128x1xi32>
  %ar = arith.muli %rows, %c64 : tensor<128x1xi32>
  %arb = tt.broadcast %ar : tensor<128x1xi32> -> tensor<128x64xi32>
  %akb = tt.broadcast %ka : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %arb, %akb : tensor<128x64xi32>
  %br = arith.muli %kb, %c128 : tensor<64x1xi32>
  %brb = tt.broadcast %br : tensor<64x1xi32> -> tensor<64x128xi32>
  %bcb = tt.broadcast %columns : tensor<1x128xi32> -> tensor<64x128xi32>
  %bo = arith.addi %brb, %bcb : tensor<64x128xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %step = arith.muli %i, %c8192 : i32
    %wi = tt.addptr %w, %step : !tt.ptr<i16>, i32
    %xi = tt.addptr %x, %step : !tt.ptr<f16>, i32
    %wp = tt.splat %wi : !tt.ptr<i16> -> tensor<128x64x!tt.ptr<i16>>
    %xp = tt.splat %xi : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
    %wa = tt.addptr %wp, %ao : tensor<128x64x!tt.ptr<i16>>, tensor<128x64xi32>
    %xa = tt.addptr %xp, %bo : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %q = tt.load %wa : tensor<128x64x!tt.ptr<i16>>
    %b = tt.load %xa : tensor<64x128x!tt.ptr<f16>>
    %f = arith.sitofp %q : tensor<128x64xi16> to tensor<128x64xf16>
    %a = arith.mulf %f, %half : tensor<128x64xf16>
    %d = tt.dot %a, %b, %s : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %or = arith.muli %rows, %c128r : tensor<128x1xi32>
  %orb = tt.broadcast %or : tensor<128x1xi32> -> tensor<128x128xi32>
  %ocb = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %oo = arith.addi %orb, %ocb : tensor<128x128xi32>
  %op = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %oa = tt.addptr %op, %oo : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %oa, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// Before the first thread copies by TMA, its whole warp waits until the buffer is free: lanes that wait for one that spins may
// be let go on without it.
// CHECK-LABEL: .entry described(
// CHECK: mov.u32 [[THREAD:%r[0-9]+]], %tid.x;
// CHECK: shr.u32 [[NUMBER:%r[0-9]+]], [[THREAD]], 5;
// CHECK: setp.ne.b32 [[OTHERS:%p[0-9]+]], [[THREAD]], 0;
// CHECK: setp.eq.b32 [[WARP:%p[0-9]+]], [[NUMBER]], 0;
// CHECK: wgmma.mma_async
// CHECK: cp.async.mbarrier.arrive.noinc
// CHECK: @[[WARP]] bra
// CHECK: mbarrier.try_wait
// CHECK: @[[OTHERS]] bra
// CHECK-NOT: mbarrier.try_wait
// CHECK: cp.async.bulk.tensor
tt.func public @described(%w: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %x: !tt.tensordesc<64x128xf16>, %e0: i32, %e1: i32, %s0: i64, %s1: i64, %n: i32, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8192 = arith.constant 8192 : i32
  %step64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %half = arith.constant dense<0.3> : tensor<128x64xf16>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %ka = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<128x1xi32>
  %c128r = arith.constant dense<128> : tensor<128x1xi32>
  %ar = arith.muli %rows, %c64 : tensor<128x1xi32>
  %arb = tt.broadcast %ar : tensor<128x1xi32> -> tensor<128x64xi32>
  %akb = tt.broadcast %ka : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %arb, %akb : tensor<128x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %step = arith.muli %i, %c8192 : i32
    %wi = tt.addptr %w, %step : !tt.ptr<i16>, i32
    %wp = tt.splat %wi : !tt.ptr<i16> -> tensor<128x64x!tt.ptr<i16>>
    %wa = tt.addptr %wp, %ao : tensor<128x64x!tt.ptr<i16>>, tensor<128x64xi32>
    %q = tt.load %wa : tensor<128x64x!tt.ptr<i16>>
    %row = arith.muli %i, %step64 : i32
    %b = tt.descriptor_load %x[%row, %c0] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %f = arith.sitofp %q : tensor<128x64xi16> to tensor<128x64xf16>
    %a = arith.mulf %f, %half : tensor<128x64xf16>
    %d = tt.dot %a, %b, %s : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %or = arith.muli %rows, %c128r : tensor<128x1xi32>
  %orb = tt.broadcast %or : tensor<128x1xi32> -> tensor<128x128xi32>
  %ocb = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %oo = arith.addi %orb, %ocb : tensor<128x128xi32>
  %op = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %oa = tt.addptr %op, %oo : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %oa, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}
