// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.atomic_cas round-trips for scalars and tensors, with a mask and without.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%p: !tt.ptr<i32>, %i: i32, %ps: tensor<8x!tt.ptr<i64>>, %is: tensor<8xi64>,
                       %b: i1, %bs: tensor<8xi1>) {
  // CHECK: tt.atomic_cas acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32) -> i32
  %0 = tt.atomic_cas acq_rel, gpu, %p, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
  // CHECK: tt.atomic_cas acquire, sys, %{{.*}} : (tensor<8x!tt.ptr<i64>>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  %1 = tt.atomic_cas acquire, sys, %ps, %is, %is : (tensor<8x!tt.ptr<i64>>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  // CHECK: tt.atomic_cas release, gpu, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32, i1) -> i32
  %2 = tt.atomic_cas release, gpu, %p, %i, %i, %b : (!tt.ptr<i32>, i32, i32, i1) -> i32
  // CHECK: tt.atomic_cas relaxed, cta, %{{.*}} : (tensor<8x!tt.ptr<i64>>, tensor<8xi64>, tensor<8xi64>, tensor<8xi1>) -> tensor<8xi64>
  %3 = tt.atomic_cas relaxed, cta, %ps, %is, %is, %bs : (tensor<8x!tt.ptr<i64>>, tensor<8xi64>, tensor<8xi64>, tensor<8xi1>) -> tensor<8xi64>
  tt.return
}
