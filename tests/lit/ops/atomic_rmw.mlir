// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.atomic_rmw round-trips for every kind, ordering and scope.

// CHECK-LABEL: tt.func @kinds(
tt.func @kinds(%p: !tt.ptr<i32>, %q: !tt.ptr<f16>, %v: i32, %h: f16) {
  // CHECK: tt.atomic_rmw and, relaxed, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %0 = tt.atomic_rmw and, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw or, acquire, cta, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw or, acquire, cta, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw xor, release, sys, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_rmw xor, release, sys, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw add, acq_rel, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %3 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw max, acq_rel, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %4 = tt.atomic_rmw max, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw min, acq_rel, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %5 = tt.atomic_rmw min, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw umax, acq_rel, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %6 = tt.atomic_rmw umax, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw umin, acq_rel, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %7 = tt.atomic_rmw umin, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw exch, acq_rel, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %8 = tt.atomic_rmw exch, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<f16>, f16) -> f16
  %9 = tt.atomic_rmw fadd, relaxed, gpu, %q, %h : (!tt.ptr<f16>, f16) -> f16
  tt.return
}

// CHECK-LABEL: tt.func @masked(
tt.func @masked(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: tensor<64xi1>) {
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  tt.return
}
