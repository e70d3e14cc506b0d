// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.split round-trips; of a join it gives the operands, of a constant the constant.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8x2xf32>) {
  // CHECK: %{{.*}}, %{{.*}} = tt.split %{{.*}} : tensor<8x2xf32> -> tensor<8xf32>
  %a, %b = tt.split %x : tensor<8x2xf32> -> tensor<8xf32>
  tt.return
}

// FOLD-LABEL: tt.func @of_join(
tt.func @of_join(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // FOLD-NEXT: tt.return %arg1
  %j = tt.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %a, %b = tt.split %j : tensor<8x2xf32> -> tensor<8xf32>
  tt.return %b : tensor<8xf32>
}

// FOLD-LABEL: tt.func @of_constant(
tt.func @of_constant() -> tensor<8xi32> {
  // FOLD: arith.constant dense<3> : tensor<8xi32>
  %c = arith.constant dense<3> : tensor<8x2xi32>
  %a, %b = tt.split %c : tensor<8x2xi32> -> tensor<8xi32>
  tt.return %b : tensor<8xi32>
}
