// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.atomic_poll round-trips with and without a timeout.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%p: !tt.ptr<i32>, %i: i32, %t: i64) {
  // CHECK: tt.atomic_poll acquire, gpu, %{{.*}}, %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %0 = tt.atomic_poll acquire, gpu, %p, %i : !tt.ptr<i32>, i32 -> i1
  // CHECK: tt.atomic_poll relaxed, sys, %{{.*}}, %{{.*}} timeout %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %1 = tt.atomic_poll relaxed, sys, %p, %i timeout %t : !tt.ptr<i32>, i32 -> i1
  tt.return
}
