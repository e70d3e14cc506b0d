// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.unsplat round-trips; of a splat it is the scalar, of a constant the constant.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%t: tensor<1x1xf32>) {
  // CHECK: tt.unsplat %{{.*}} : tensor<1x1xf32>
  %0 = tt.unsplat %t : tensor<1x1xf32>
  tt.return
}

// FOLD-LABEL: tt.func @of_splat(
// FOLD-SAME: %[[S:[a-z0-9]+]]: f32
tt.func @of_splat(%s: f32) -> f32 {
  // FOLD-NEXT: tt.return %[[S]]
  %0 = tt.splat %s : f32 -> tensor<1xf32>
  %1 = tt.unsplat %0 : tensor<1xf32>
  tt.return %1 : f32
}

// FOLD-LABEL: tt.func @of_constant(
tt.func @of_constant() -> f32 {
  // FOLD: arith.constant 2.000000e+00 : f32
  %0 = arith.constant dense<2.0> : tensor<1xf32>
  %1 = tt.unsplat %0 : tensor<1xf32>
  tt.return %1 : f32
}
