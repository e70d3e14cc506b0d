// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=ORDER
// The barrier of the grid: one thread of each program counts at gpu scope and waits for the last
// one, between two barriers of the program. Its counter is a hidden parameter. That thread's warp is
// brought together again with a mask that ptxas does not know, or it drops this.

// CHECK-LABEL: .entry meet(
// CHECK-DAG: .param .u64 {{.*}}meet_param_0
// CHECK-DAG: .param .u64 {{.*}}meet_param_1
// CHECK-NOT: ld.global.nc
// CHECK: st.global
// CHECK: bar{{.*}}.sync
// CHECK: atom.acq_rel.gpu.global.add.u32
// CHECK: ld.acquire.gpu.global.b32
// CHECK: mov.u32 [[GT:%r[0-9]+]], %lanemask_gt;
// CHECK: mov.u32 [[LE:%r[0-9]+]], %lanemask_le;
// CHECK: or.b32 [[ALL:%r[0-9]+]], [[GT]], [[LE]];
// CHECK: bar.warp.sync [[ALL]];
// CHECK: bar{{.*}}.sync
// CHECK-NOT: ld.global.nc
// CHECK: ld.global
// CHECK: ret;
tt.func public @meet(%x: !tt.ptr<i32>) {
  %id = tt.get_program_id x : i32
  %p = tt.addptr %x, %id : !tt.ptr<i32>, i32
  tt.store %p, %id : !tt.ptr<i32>
  tt.grid_barrier
  %v = tt.load %x : !tt.ptr<i32>
  %w = arith.addi %v, %id : i32
  tt.store %p, %w : !tt.ptr<i32>
  tt.return
}

// ORDER-LABEL: .entry meet_or_fail(
// ORDER: bar.warp.sync %r
// ORDER-NOT: bar.sync
// ORDER: bar{{.*}}.red.or
// CHECK-LABEL: .entry meet_or_fail(
// CHECK-DAG: atom.acq_rel.gpu.global.add.u32
// CHECK-DAG: ld.acquire.gpu.global.b32
// CHECK-DAG: ld.relaxed.sys.global.b32
// CHECK-DAG: bar.warp.sync %r
// CHECK-DAG: bar{{.*}}.red.or
// CHECK: ret;
tt.func public @meet_or_fail(%x: !tt.ptr<i32>, %n: i32, %s: i32) {
  %c0 = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %s : i32 {
    tt.grid_barrier
  }
  tt.return
}
