// RUN: tlc compile %s --target sm_90a --num-warps 4 --emit ptx | FileCheck %s
// RUN: tlc compile %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s --check-prefix=EIGHT
// RUN: tlc compile %s --target sm_80 --num-warps 4 --emit ptx | FileCheck %s --check-prefix=OLD
// A tile of rows of floats is copied as it lies and read into registers, four rows of the transposed product at a time.

// One group of warps: the program's barrier.
// CHECK-LABEL: .entry rows(
// CHECK-NOT: mbarrier
// CHECK: cp.async.wait_group 1;
// CHECK: fence.proxy.async.shared::cta;
// CHECK: bar.sync
// CHECK-COUNT-8: ld.shared.v4.b32
// CHECK-NOT: ld.shared
// CHECK: wgmma.fence.sync.aligned;
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32
// CHECK: cp.async.cg.shared.global {{.*}}, 16
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: ld.shared
// CHECK: cp.async.wait_group 0;
// The result needs no way through shared memory either.
// CHECK-NOT: st.shared
// CHECK: st.global.v4.b32
// CHECK: ret;

// Two of them drift apart: while one reads, the other one multiplies.
// EIGHT-LABEL: .entry rows(
// EIGHT: mbarrier.init
// EIGHT: mbarrier.try_wait
// EIGHT-COUNT-4: ld.shared.v2.b32
// EIGHT: wgmma.mma_async
// EIGHT-NOT: wgmma.wait_group
// EIGHT: mbarrier.try_wait
// EIGHT: cp.async.cg.shared.global
// EIGHT: cp.async.mbarrier.arrive.noinc.shared.b64
// EIGHT: mbarrier.arrive.shared.b64
// EIGHT: ret;

// OLD-LABEL: .entry rows(
// OLD-NOT: wgmma
// OLD: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// OLD: ret;
tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4096 = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x128xi32>
  %qcb = tt.broadcast %qce : tensor<1x128xi32> -> tensor<32x128xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x128xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %far = arith.muli %i, %c4096 : i32
    %fa = tt.splat %far : i32 -> tensor<128x32xi32>
    %fb = tt.splat %far : i32 -> tensor<32x128xi32>
    %pi = tt.addptr %p, %fa : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
    %qi = tt.addptr %q, %fb : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
    %a = tt.load %pi : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %qi : tensor<32x128x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x128xf32> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %or = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %om = tt.expand_dims %or {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %on = tt.expand_dims %or {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %op = arith.constant dense<128> : tensor<128x1xi32>
  %od = arith.muli %om, %op : tensor<128x1xi32>
  %ob = tt.broadcast %od : tensor<128x1xi32> -> tensor<128x128xi32>
  %oc = tt.broadcast %on : tensor<1x128xi32> -> tensor<128x128xi32>
  %oo = arith.addi %ob, %oc : tensor<128x128xi32>
  %os = tt.splat %z : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %oa = tt.addptr %os, %oo : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %oa, %r : tensor<128x128x!tt.ptr<f32>>
  tt.return
}
