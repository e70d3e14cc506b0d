// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.join round-trips; the halves of a split join to what was split.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>) {
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<8xf32> -> tensor<8x2xf32>
  %0 = tt.join %x, %x : tensor<8xf32> -> tensor<8x2xf32>
  tt.return
}

// FOLD-LABEL: tt.func @of_split(
tt.func @of_split(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  // FOLD-NEXT: tt.return %arg0
  %a, %b = tt.split %x : tensor<8x2xf32> -> tensor<8xf32>
  %0 = tt.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>
  tt.return %0 : tensor<8x2xf32>
}

// FOLD-LABEL: tt.func @swapped_split(
tt.func @swapped_split(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  // FOLD: tt.join
  %a, %b = tt.split %x : tensor<8x2xf32> -> tensor<8xf32>
  %0 = tt.join %b, %a : tensor<8xf32> -> tensor<8x2xf32>
  tt.return %0 : tensor<8x2xf32>
}

// FOLD-LABEL: tt.func @of_constant(
tt.func @of_constant() -> tensor<8x2xi32> {
  // FOLD: arith.constant dense<3> : tensor<8x2xi32>
  %c = arith.constant dense<3> : tensor<8xi32>
  %0 = tt.join %c, %c : tensor<8xi32> -> tensor<8x2xi32>
  tt.return %0 : tensor<8x2xi32>
}
