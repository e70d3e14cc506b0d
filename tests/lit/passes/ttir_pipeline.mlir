// RUN: tl-opt --ttir-pipeline %s | FileCheck %s
// RUN: tl-opt --ttir-pipeline --scalarize-induction %s | FileCheck %s
// The passes together: helpers are inlined unless they say no, and unused ones go.

tt.func private @square(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  tt.return %y : f32
}

// CHECK-NOT: @square
// CHECK-LABEL: tt.func public @kernel(
tt.func public @kernel(%p: !tt.ptr<f32>, %c: i1) {
  // CHECK: %[[V:.*]] = tt.load
  // CHECK-NEXT: %[[S:.*]] = arith.mulf %[[V]], %[[V]]
  // CHECK: tt.call @kept(
  // CHECK-NEXT: tt.store
  %v = tt.load %p : !tt.ptr<f32>
  %s = tt.call @square(%v) : (f32) -> f32
  %e = tt.call @early(%s, %c) : (f32, i1) -> f32
  %k = tt.call @kept(%e) : (f32) -> f32
  tt.store %p, %k : !tt.ptr<f32>
  tt.return
}

// CHECK-NOT: @early
tt.func private @early(%x: f32, %c: i1) -> f32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %x : f32
^bb2:
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}

// CHECK: tt.func private @kept(
tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
  tt.return %x : f32
}
