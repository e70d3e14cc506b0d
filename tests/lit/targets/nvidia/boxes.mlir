// RUN: tl-opt --lower-to-ptx="target=sm_90a num-warps=4" %s | FileCheck %s
// RUN: not tl-opt --lower-to-ptx="target=sm_80 num-warps=4" %s 2>&1 | FileCheck %s --check-prefix=OLD
// Boxes of a tensor by TMA, counted by a barrier in shared memory.

#l = #ttg.layout<blocked [32, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#s = #ttg.shared<rows [32, 64], order = [1, 0]>
#b = #ttg.shared<rows [1], order = [0]>

// The barrier is seen by all before one thread starts the copy; who has waited sees the box.
// OLD: the sm_80 target has no barriers in shared memory and no copies of boxes
// CHECK-LABEL: .entry there_and_back(
// CHECK: mov.b32 [[COUNT:%r[0-9]+]], 1;
// CHECK-NEXT: mbarrier.init.shared.b64 [{{.*}}], [[COUNT]];
// CHECK: fence.proxy.async
// CHECK: bar.sync
// CHECK: mov.b32 [[BYTES:%r[0-9]+]], 4096;
// CHECK-NEXT: mbarrier.arrive.expect_tx.shared.b64 %{{.*}}, [{{.*}}], [[BYTES]];
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%{{.*}}], [%{{.*}}, {%{{.*}}, %{{.*}}}], [%{{.*}}];
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done
// CHECK-NOT: bar.sync
// CHECK: ld.shared.v4.b32
// CHECK: bar.sync
// CHECK: st.shared.v4.b32
// CHECK: fence.proxy.async
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%{{.*}}, {%{{.*}}, %{{.*}}}], [{{.*}}];
// CHECK: cp.async.bulk.commit_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
// CHECK: cp.async.bulk.wait_group 0
// CHECK: mbarrier.inval
// CHECK: ret;
tt.func public @there_and_back(%map: !tt.ptr<i8>, %i: i32, %j: i32) {
  %phase = arith.constant 0 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #b>
  ttg.init_barrier %b, 1 : !ttg.memdesc<1xi64, #b>
  ttg.barrier_expect %b, 4096 : !ttg.memdesc<1xi64, #b>
  ttg.tma_load %map[%i, %j], %m, %b : !tt.ptr<i8> -> !ttg.memdesc<32x64xf16, #s>, !ttg.memdesc<1xi64, #b>
  ttg.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #b>
  %v = ttg.local_load %m : !ttg.memdesc<32x64xf16, #s> -> tensor<32x64xf16, #l>
  %w = arith.addf %v, %v : tensor<32x64xf16, #l>
  ttg.local_store %w, %m : tensor<32x64xf16, #l> -> !ttg.memdesc<32x64xf16, #s>
  ttg.tma_store %m, %map[%i, %j] : !ttg.memdesc<32x64xf16, #s> -> !tt.ptr<i8>
  ttg.tma_reduce add, %m, %map[%i, %j] : !ttg.memdesc<32x64xf16, #s> -> !tt.ptr<i8>
  ttg.tma_store_wait {num = 0 : i32}
  ttg.inval_barrier %b : !ttg.memdesc<1xi64, #b>
  tt.return
}

// One warp writes the map, field by field, and publishes it.
// CHECK-LABEL: .entry map(
// CHECK: tensormap.replace.tile.global_address.shared::cta.b1024.b64
// CHECK: tensormap.replace.tile.rank.shared::cta.b1024.b32 [%{{.*}}], 1;
// CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%{{.*}}], 0, 64;
// CHECK: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%{{.*}}], 0,
// CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%{{.*}}], 1, 32;
// CHECK: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%{{.*}}], 6;
// CHECK: tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%{{.*}}], 1;
// CHECK: tensormap.cp_fenceproxy
// CHECK: fence.proxy.tensormap::generic.acquire.gpu
// CHECK: ret;
tt.func public @map(%map: !tt.ptr<i8>, %base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64) {
  %one = arith.constant 1 : i64
  ttg.make_tensor_map %map, %base, [%rows, %columns], [%stride, %one] {box = array<i32: 32, 64>, nan} : !tt.ptr<i8>, !tt.ptr<f16>
  tt.return
}
