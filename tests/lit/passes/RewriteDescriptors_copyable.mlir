// RUN: tl-opt --rewrite-descriptors=keep-copyable %s | FileCheck %s
// Descriptors stay whose blocks a copy unit can move; the others become pointers.

// CHECK-LABEL: @kept
// CHECK: tt.make_tensor_descriptor
// CHECK: tt.descriptor_load
// CHECK: tt.descriptor_store
tt.func public @kept(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 16 : i32}, %i: i32) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <32x64xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>
  tt.return
}

// Nothing is known of the base.
// CHECK-LABEL: @base
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @base(%x: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64 {tt.divisibility = 16 : i32}, %i: i32) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <32x64xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.return
}

// The last axis has gaps.
// CHECK-LABEL: @gaps
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @gaps(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 16 : i32}, %i: i32) {
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %s] : <f16>, <32x64xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.return
}

// Rows of eight bytes, and more than 256 elements along an axis.
// CHECK-LABEL: @boxes
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @boxes(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 16 : i32}, %i: i32) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <64x4xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x4xf16> -> tensor<64x4xf16>
  %e = tt.make_tensor_descriptor %x, [%n], [%one] : <f16>, <512xf16>
  %w = tt.descriptor_load %e[%i] : !tt.tensordesc<512xf16> -> tensor<512xf16>
  tt.return
}

// Rows are gathered by pointers; floats are combined by pointers.
// CHECK-LABEL: @others
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @others(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 16 : i32}, %i: i32,
                       %rows: tensor<32xi32>, %v: tensor<32x64xf32>) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <1x64xf32>
  %t = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<1x64xf32>, tensor<32xi32>, i32) -> tensor<32x64xf32>
  %e = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  tt.descriptor_reduce add, %e[%i, %i], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
  tt.return
}

// Where a loop hands it on, it is in parts.
// CHECK-LABEL: @handed_on
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @handed_on(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %i: i32) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %e = scf.for %k = %c0 to %n step %c1 iter_args(%a = %d) -> (!tt.tensordesc<64xf32>) : i32 {
    %v = tt.descriptor_load %a[%k] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    scf.yield %a : !tt.tensordesc<64xf32>
  }
  tt.return
}
