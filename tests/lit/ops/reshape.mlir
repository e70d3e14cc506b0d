// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.reshape round-trips with its marks; identity, constants, splats, chains and a removed axis fold.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8x4xf32>) {
  // CHECK: tt.reshape %{{.*}} : tensor<8x4xf32> -> tensor<32xf32>
  %0 = tt.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder : tensor<8x4xf32> -> tensor<32xf32>
  %1 = tt.reshape %x allow_reorder : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<8x4xf32> -> tensor<32xf32>
  %2 = tt.reshape %x allow_reorder efficient_layout : tensor<8x4xf32> -> tensor<32xf32>
  tt.return
}

// FOLD-LABEL: tt.func @identity(
tt.func @identity(%x: tensor<8xf32>) -> tensor<8xf32> {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.reshape %x : tensor<8xf32> -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// FOLD-LABEL: tt.func @of_constant(
tt.func @of_constant() -> tensor<8xi32> {
  // FOLD: arith.constant dense<3> : tensor<8xi32>
  %c = arith.constant dense<3> : tensor<2x4xi32>
  %0 = tt.reshape %c : tensor<2x4xi32> -> tensor<8xi32>
  tt.return %0 : tensor<8xi32>
}

// FOLD-LABEL: tt.func @of_splat(
tt.func @of_splat(%s: f32) -> tensor<8xf32> {
  // FOLD-NEXT: tt.splat %{{.*}} : f32 -> tensor<8xf32>
  %c = tt.splat %s : f32 -> tensor<2x4xf32>
  %0 = tt.reshape %c : tensor<2x4xf32> -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// FOLD-LABEL: tt.func @chain_keeps_the_mark(
tt.func @chain_keeps_the_mark(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  // FOLD-NEXT: tt.reshape %{{.*}} allow_reorder : tensor<2x4xf32> -> tensor<4x2xf32>
  %c = tt.reshape %x allow_reorder : tensor<2x4xf32> -> tensor<8xf32>
  %0 = tt.reshape %c : tensor<8xf32> -> tensor<4x2xf32>
  tt.return %0 : tensor<4x2xf32>
}

// FOLD-LABEL: tt.func @removed_axis(
tt.func @removed_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  // FOLD-NEXT: tt.return %arg0
  %c = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %0 = tt.reshape %c : tensor<1x8xf32> -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}
