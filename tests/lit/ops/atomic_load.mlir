// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.atomic_load round-trips with and without a mask.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%p: !tt.ptr<i32>, %c: i1, %ps: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>) {
  // CHECK: tt.atomic_load acquire, gpu, %{{.*}} : (!tt.ptr<i32>) -> i32
  %0 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> i32
  // CHECK: tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i1) -> i32
  %1 = tt.atomic_load acquire, gpu, %p, %c : (!tt.ptr<i32>, i1) -> i32
  // CHECK: tt.atomic_load relaxed, sys, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>) -> tensor<64xf32>
  %2 = tt.atomic_load relaxed, sys, %ps, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>) -> tensor<64xf32>
  tt.return
}
