// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// RUN: tl-opt --check-legality %s | FileCheck %s --check-prefix=NEW
// tt.splat round-trips for numbers and pointers; a constant folds, and a tensor without axes becomes a scalar.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%s: f32, %p: !tt.ptr<f16>) {
  // CHECK: tt.splat %{{.*}} : f32 -> tensor<64x32xf32>
  %0 = tt.splat %s : f32 -> tensor<64x32xf32>
  // CHECK: tt.splat %{{.*}} : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  %1 = tt.splat %p : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  tt.return
}

// FOLD-LABEL: tt.func @constant_folds(
tt.func @constant_folds() -> tensor<4xi32> {
  // FOLD: %[[C:.*]] = arith.constant dense<7> : tensor<4xi32>
  // FOLD-NEXT: tt.return %[[C]]
  %c = arith.constant 7 : i32
  %0 = tt.splat %c : i32 -> tensor<4xi32>
  tt.return %0 : tensor<4xi32>
}

// NEW-LABEL: tt.func @no_axes(
tt.func @no_axes(%x: tensor<f32>) -> tensor<4xf32> {
  // NEW: %[[S:.*]] = tt.unsplat %{{.*}} : tensor<f32>
  // NEW: tt.splat %[[S]] : f32 -> tensor<4xf32>
  %0 = tt.splat %x : tensor<f32> -> tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}
