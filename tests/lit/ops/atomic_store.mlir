// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.atomic_store round-trips with and without a mask.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%p: !tt.ptr<i32>, %v: i32, %ps: tensor<64x!tt.ptr<f32>>, %vs: tensor<64xf32>, %m: tensor<64xi1>) {
  // CHECK: tt.atomic_store release, gpu, %{{.*}}, %{{.*}} : !tt.ptr<i32>
  tt.atomic_store release, gpu, %p, %v : !tt.ptr<i32>
  // CHECK: tt.atomic_store relaxed, cta, %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>
  tt.atomic_store relaxed, cta, %ps, %vs, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
