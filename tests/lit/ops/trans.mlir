// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.trans round-trips in any rank; identity, constants and chains fold.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8x4xf32>, %y: tensor<2x4x8xf32>) {
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %1 = tt.trans %y {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  tt.return
}

// FOLD-LABEL: tt.func @identity(
tt.func @identity(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.trans %x {order = array<i32: 0, 1>} : tensor<8x4xf32> -> tensor<8x4xf32>
  tt.return %0 : tensor<8x4xf32>
}

// FOLD-LABEL: tt.func @twice(
tt.func @twice(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return %1 : tensor<8x4xf32>
}

// FOLD-LABEL: tt.func @composed(
tt.func @composed(%x: tensor<2x4x8xf32>) -> tensor<4x8x2xf32> {
  // FOLD-NEXT: tt.trans %{{.*}} {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %0 = tt.trans %x {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %1 = tt.trans %0 {order = array<i32: 2, 0, 1>} : tensor<8x2x4xf32> -> tensor<4x8x2xf32>
  tt.return %1 : tensor<4x8x2xf32>
}

// FOLD-LABEL: tt.func @of_constant(
tt.func @of_constant() -> tensor<4x2xi32> {
  // FOLD: arith.constant dense<3> : tensor<4x2xi32>
  %c = arith.constant dense<3> : tensor<2x4xi32>
  %0 = tt.trans %c {order = array<i32: 1, 0>} : tensor<2x4xi32> -> tensor<4x2xi32>
  tt.return %0 : tensor<4x2xi32>
}
