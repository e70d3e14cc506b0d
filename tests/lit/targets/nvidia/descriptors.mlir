// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: env TL_TMA=1 %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=ALL
// RUN: env TL_TMA=0 %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=POINTERS
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=POINTERS
// RUN: %each_kernel %s --target sm_100a --emit ptx | FileCheck %s --check-prefix=POINTERS
// RUN: env TL_TMA=1 %each_kernel %s --target sm_100a --emit ptx | FileCheck %s --check-prefix=ALL
// Blocks of descriptors use TMA of sm_90a where its rules are known to hold and it is not
// slower; with TL_TMA=1 wherever the rules hold, on later GPUs too; otherwise by pointers.

// POINTERS-NOT: {{tensormap|cp.async.bulk}}

// The launch makes the maps: parameters of 128 bytes after the others. Only shared memory is fenced, as
// nothing has been written before, and the end of the store is not waited for.
// CHECK-LABEL: .entry copied(
// CHECK: .param .u32 copied_param_3,
// CHECK-NEXT: .param .align 64 .b8 copied_param_4[128],
// CHECK-NEXT: .param .align 64 .b8 copied_param_5[128]
// CHECK-NOT: tensormap.replace
// CHECK: prefetch.tensormap
// CHECK-NOT: fence.proxy.async;
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK-NOT: fence.proxy.async;
// CHECK: fence.proxy.async.shared::cta;
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.wait_group.read 0;
// CHECK-NOT: {{ld|st}}.global
// CHECK: ret;
tt.func public @copied(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                       %m: i32, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %i = tt.get_program_id x : i32
  %p = tt.get_program_id y : i32
  %j = arith.muli %p, %c64 : i32
  %s = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  %e = tt.make_tensor_descriptor %o, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  %v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  tt.descriptor_store %e[%i, %j], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
  tt.return
}

// A copy after a store waits until the store is done; one thread starts both.
// CHECK-LABEL: .entry again(
// CHECK: cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.wait_group 0;
// CHECK-NOT: fence.proxy.async;
// CHECK: cp.async.bulk.tensor.1d.shared::cluster.global
// CHECK: cp.async.bulk.wait_group.read 0;
// CHECK: ret;
tt.func public @again(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c = arith.constant dense<3.0> : tensor<64xf32>
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  tt.descriptor_store %d[%c0], %c : !tt.tensordesc<64xf32>, tensor<64xf32>
  %v = tt.descriptor_load %d[%c0] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.descriptor_store %d[%c0], %w : !tt.tensordesc<64xf32>, tensor<64xf32>
  tt.return
}

// What threads have written is fenced before TMA reads it; what TMA has written is waited for,
// by all, and fenced before threads read it.
// CHECK-LABEL: .entry turns(
// CHECK: st.global
// CHECK: fence.proxy.async;
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.1d.shared::cluster.global
// CHECK: cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.wait_group 0;
// CHECK: bar.sync
// CHECK: fence.proxy.async;
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK: ld.global
// CHECK: ret;
tt.func public @turns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c = arith.constant dense<3.0> : tensor<64xf32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %p, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  tt.store %q, %c : tensor<64x!tt.ptr<f32>>
  %v = tt.descriptor_load %d[%c0] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.descriptor_store %d[%c0], %w : !tt.tensordesc<64xf32>, tensor<64xf32>
  %l = tt.load %q : tensor<64x!tt.ptr<f32>>
  %m = arith.addf %l, %l : tensor<64xf32>
  tt.store %q, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A stride of which nothing is known, and a column.
// CHECK-LABEL: .entry unknown(
// ALL-LABEL: .entry unknown(
// CHECK-NOT: cp.async.bulk
// ALL-NOT: cp.async.bulk
// CHECK: ret;
// ALL: ret;
tt.func public @unknown(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) {
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %c0 = arith.constant 0 : i32
  %i = tt.get_program_id x : i32
  %s = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  %v = tt.descriptor_load %d[%i, %c0] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  %e = tt.make_tensor_descriptor %x, [%m, %n], [%c64, %one] : <f32>, <32x64xf32>
  tt.descriptor_store %e[%c0, %i], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
  tt.return
}

// Not a product of parameters: each program would make the map.
// CHECK-LABEL: .entry own(
// CHECK-NOT: tensormap
// CHECK: ret;
// ALL-LABEL: .entry own(
// ALL: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%{{.*}}], 7;
// ALL: cp.async.bulk.tensor.1d.shared::cluster.global
// ALL: ret;
tt.func public @own(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %m = arith.addi %n, %c64 : i32
  %d = tt.make_tensor_descriptor %x, [%m], [%one] : <f32>, <64xf32>
  %v = tt.descriptor_load %d[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.descriptor_store %d[%c64], %v : !tt.tensordesc<64xf32>, tensor<64xf32>
  tt.return
}

// Integers are combined by TMA, floats are not.
// CHECK-LABEL: .entry combined(
// CHECK: cp.reduce.async.bulk.tensor.1d.global.shared::cta.max.tile.bulk_group
// CHECK: ret;
tt.func public @combined(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c = arith.constant dense<3> : tensor<128xi32>
  %c128 = arith.constant 128 : i32
  %p = tt.get_program_id x : i32
  %i = arith.muli %p, %c128 : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <i32>, <128xi32>
  tt.descriptor_reduce max, %d[%i], %c : !tt.tensordesc<128xi32>, tensor<128xi32>
  tt.return
}

// Of several blocks each may come before each; none of these has threads that write.
// CHECK-LABEL: .entry branches(
// CHECK-NOT: fence.proxy.async;
// CHECK: cp.async.bulk.tensor.1d.shared::cluster.global
// CHECK-NOT: fence.proxy.async;
// CHECK: cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.wait_group 0;
// CHECK-NOT: fence.proxy.async;
// CHECK: ret;
tt.func public @branches(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %c = arith.cmpi sgt, %n, %c0 : i32
  cf.cond_br %c, ^some, ^none
^some:
  %v = tt.descriptor_load %d[%c0] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.descriptor_store %d[%c0], %w : !tt.tensordesc<64xf32>, tensor<64xf32>
  tt.return
^none:
  tt.return
}

// Boxes of neighbouring loads are under way together as long as they are small: of four of 32 KiB the third
// waits until two have arrived.
// CHECK-LABEL: .entry large(
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK-COUNT-2: mbarrier.try_wait
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK-COUNT-2: mbarrier.try_wait
// CHECK: ret;
tt.func public @large(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %s = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %x, [%n, %n], [%s, %one] : <f32>, <64x128xf32>
  %a = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<64x128xf32> -> tensor<64x128xf32>
  %b = tt.descriptor_load %d[%c64, %c0] : !tt.tensordesc<64x128xf32> -> tensor<64x128xf32>
  %c = tt.descriptor_load %d[%c0, %c64] : !tt.tensordesc<64x128xf32> -> tensor<64x128xf32>
  %e = tt.descriptor_load %d[%c64, %c64] : !tt.tensordesc<64x128xf32> -> tensor<64x128xf32>
  %ab = arith.addf %a, %b : tensor<64x128xf32>
  %ce = arith.addf %c, %e : tensor<64x128xf32>
  %v = arith.addf %ab, %ce : tensor<64x128xf32>
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<64x128xf32>, tensor<64x128xf32>
  tt.return
}
