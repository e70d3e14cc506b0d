// RUN: env TL_TMA=1 %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=POINTERS
// With TL_TMA=1, blocks of descriptors go by the copy unit where its rules are known to hold; else, and
// where they are not, by pointers.

// POINTERS-NOT: cp.async.bulk
// CHECK-LABEL: .entry copied(
// CHECK: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%{{.*}}], 7;
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group
// CHECK-NOT: {{ld|st}}.global
// CHECK: ret;
tt.func public @copied(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                       %m: i32, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %i = tt.get_program_id x : i32
  %j = tt.get_program_id y : i32
  %s = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  %e = tt.make_tensor_descriptor %o, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  %v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  tt.descriptor_store %e[%i, %j], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
  tt.return
}

// A stride of which nothing is known.
// CHECK-LABEL: .entry stride(
// CHECK-NOT: cp.async.bulk
// CHECK: ret;
tt.func public @stride(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) {
  %one = arith.constant 1 : i64
  %i = tt.get_program_id x : i32
  %s = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
  tt.return
}

// Integers are combined by the unit, floats are not.
// CHECK-LABEL: .entry combined(
// CHECK: cp.reduce.async.bulk.tensor.1d.global.shared::cta.max.tile.bulk_group
// CHECK: ret;
tt.func public @combined(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %one = arith.constant 1 : i64
  %c = arith.constant dense<3> : tensor<128xi32>
  %i = tt.get_program_id x : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <i32>, <128xi32>
  tt.descriptor_reduce max, %d[%i], %c : !tt.tensordesc<128xi32>, tensor<128xi32>
  tt.return
}
