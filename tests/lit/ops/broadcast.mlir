// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.broadcast round-trips; identity, constants, splats and chains fold.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8x1xf32>) {
  // CHECK: tt.broadcast %{{.*}} : tensor<8x1xf32> -> tensor<8x4xf32>
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  tt.return
}

// FOLD-LABEL: tt.func @identity(
tt.func @identity(%x: tensor<8x1xf32>) -> tensor<8x1xf32> {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x1xf32>
  tt.return %0 : tensor<8x1xf32>
}

// FOLD-LABEL: tt.func @of_constant(
tt.func @of_constant() -> tensor<8x4xf32> {
  // FOLD: arith.constant dense<1.000000e+00> : tensor<8x4xf32>
  %c = arith.constant dense<1.0> : tensor<8x1xf32>
  %0 = tt.broadcast %c : tensor<8x1xf32> -> tensor<8x4xf32>
  tt.return %0 : tensor<8x4xf32>
}

// FOLD-LABEL: tt.func @of_splat(
tt.func @of_splat(%s: f32) -> tensor<8x4xf32> {
  // FOLD-NEXT: tt.splat %{{.*}} : f32 -> tensor<8x4xf32>
  %c = tt.splat %s : f32 -> tensor<8x1xf32>
  %0 = tt.broadcast %c : tensor<8x1xf32> -> tensor<8x4xf32>
  tt.return %0 : tensor<8x4xf32>
}

// FOLD-LABEL: tt.func @chain(
tt.func @chain(%x: tensor<1x1xf32>) -> tensor<8x4xf32> {
  // FOLD-NEXT: tt.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<8x4xf32>
  %c = tt.broadcast %x : tensor<1x1xf32> -> tensor<8x1xf32>
  %0 = tt.broadcast %c : tensor<8x1xf32> -> tensor<8x4xf32>
  tt.return %0 : tensor<8x4xf32>
}
