// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.make_tensor_ptr of earlier releases round-trips, and so do accesses by block pointers, which look like pointers to
// tensors.

// CHECK-LABEL: tt.func @round_trip(
// CHECK-SAME: !tt.ptr<tensor<8xf32>>
tt.func @round_trip(%p: !tt.ptr<f16>, %n: i64, %i: i32, %b: !tt.ptr<tensor<8xf32>, 1>, %v: tensor<32x64xf16>) {
  %one = arith.constant 1 : i64
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %one], [%i, %i] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  // CHECK: tt.make_tensor_ptr {{.*}} {order = array<i32: 0>} : <tensor<8xf16>>
  %1 = tt.make_tensor_ptr %p, [%n], [%one], [%i] {order = array<i32: 0>} : !tt.ptr<tensor<8xf16>>
  // CHECK: tt.load %{{.*}} : !tt.ptr<tensor<8xf32>>
  %2 = tt.load %b : !tt.ptr<tensor<8xf32>>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, cachePolicy = {{.*}}cg{{.*}}, padding = 2 : i32} : !tt.ptr<tensor<32x64xf16>>
  %3 = tt.load %0 cacheModifier = cg {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<32x64xf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<32x64xf16>>
  tt.store %0, %v {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<32x64xf16>>
  tt.return
}
