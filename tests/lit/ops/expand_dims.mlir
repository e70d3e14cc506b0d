// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.expand_dims round-trips; of a constant, a splat and a broadcast it folds.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>) {
  // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  // CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %1 = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  tt.return
}

// FOLD-LABEL: tt.func @of_constant(
tt.func @of_constant() -> tensor<1x8xi32> {
  // FOLD: arith.constant dense<3> : tensor<1x8xi32>
  %c = arith.constant dense<3> : tensor<8xi32>
  %0 = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  tt.return %0 : tensor<1x8xi32>
}

// FOLD-LABEL: tt.func @of_splat(
tt.func @of_splat(%s: f32) -> tensor<8x1xf32> {
  // FOLD-NEXT: tt.splat %{{.*}} : f32 -> tensor<8x1xf32>
  %c = tt.splat %s : f32 -> tensor<8xf32>
  %0 = tt.expand_dims %c {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return %0 : tensor<8x1xf32>
}

// FOLD-LABEL: tt.func @of_broadcast(
tt.func @of_broadcast(%x: tensor<1x8xf32>) -> tensor<4x1x8xf32> {
  // FOLD: %[[E:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<1x8xf32> -> tensor<1x1x8xf32>
  // FOLD: tt.broadcast %[[E]] : tensor<1x1x8xf32> -> tensor<4x1x8xf32>
  %c = tt.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %0 = tt.expand_dims %c {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>
  tt.return %0 : tensor<4x1x8xf32>
}
