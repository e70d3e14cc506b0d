// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.splat round-trips for numbers and pointers; a constant folds.

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
