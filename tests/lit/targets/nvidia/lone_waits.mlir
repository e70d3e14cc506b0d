// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Where only some threads of a warp go through a loop until others are done, the warp is brought together after it, with a mask
// that ptxas does not know, or it drops this.

// CHECK-LABEL: .entry poll(
// CHECK: ld.acquire.gpu.global.b32
// CHECK: mov.u32 [[GT:%r[0-9]+]], %lanemask_gt;
// CHECK: mov.u32 [[LE:%r[0-9]+]], %lanemask_le;
// CHECK: or.b32 [[ALL:%r[0-9]+]], [[GT]], [[LE]];
// CHECK: bar.warp.sync [[ALL]];
// CHECK: bar.sync
// CHECK: ret;
tt.func public @poll(%p: !tt.ptr<i32>, %i: i32, %out: !tt.ptr<i1>) {
  %0 = tt.atomic_poll acquire, gpu, %p, %i : !tt.ptr<i32>, i32 -> i1
  tt.store %out, %0 : !tt.ptr<i1>
  tt.return
}

// Once for all the elements of a thread.
// CHECK-LABEL: .entry greatest(
// CHECK: atom.{{.*}}cas
// CHECK-NOT: bar.warp.sync
// CHECK: atom.{{.*}}cas
// CHECK: bar.warp.sync %r
// CHECK-NOT: bar.warp.sync
// CHECK: ret;
tt.func public @greatest(%p: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %v = arith.constant dense<3> : tensor<256xi16>
  %all = arith.constant dense<true> : tensor<256xi1>
  %s = tt.splat %p : !tt.ptr<i16> -> tensor<256x!tt.ptr<i16>>
  %a = tt.addptr %s, %r : tensor<256x!tt.ptr<i16>>, tensor<256xi32>
  %old = tt.atomic_rmw max, relaxed, gpu, %a, %v, %all : (tensor<256x!tt.ptr<i16>>, tensor<256xi16>, tensor<256xi1>) -> tensor<256xi16>
  %so = tt.splat %out : !tt.ptr<i16> -> tensor<256x!tt.ptr<i16>>
  %o = tt.addptr %so, %r : tensor<256x!tt.ptr<i16>>, tensor<256xi32>
  tt.store %o, %old : tensor<256x!tt.ptr<i16>>
  tt.return
}
