// RUN: tl-opt --receive-descriptors %s | FileCheck %s
// A kernel makes the descriptors that it takes as parameters, of the parameters after them.

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64 {tt.divisibility = 8 : i32}, %{{.*}}: i64, %[[Q:.*]]: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %[[K:.*]]: i32, %{{.*}}: i64)
tt.func public @kernel(%d: !tt.tensordesc<tensor<32x64xf16>>, %m: i32, %n: i32, %s: i64, %one: i64,
                       %e: !tt.tensordesc<64xui8>, %k: i32, %t: i64) {
  // CHECK: tt.make_tensor_descriptor %[[Q]], [%[[K]]], [%{{.*}}] : <i8>, <64xui8>
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i64
  // CHECK: %[[D:.*]] = tt.make_tensor_descriptor %[[P]], [%[[M]], %[[N]]], [%[[S]], %[[ONE]]] : <f16>, <32x64xf16>
  // CHECK: tt.descriptor_load %[[D]][
  %0 = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  %1 = tt.descriptor_load %e[%m] : !tt.tensordesc<64xui8> -> tensor<64xi8>
  tt.return
}

// Callers give the descriptors of a callee.
// CHECK-LABEL: tt.func private @callee(
// CHECK-SAME: !tt.tensordesc<64xui8>
tt.func private @callee(%e: !tt.tensordesc<64xui8>) {
  tt.return
}
