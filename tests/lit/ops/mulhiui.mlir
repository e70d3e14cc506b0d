// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.mulhiui round-trips; constants and zero fold.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xi32>) {
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : tensor<8xi32>
  %0 = tt.mulhiui %x, %x : tensor<8xi32>
  tt.return
}

// FOLD-LABEL: tt.func @constants(
tt.func @constants() -> i32 {
  // FOLD: %[[C:.*]] = arith.constant 15 : i32
  // FOLD: tt.return %[[C]]
  %a = arith.constant -1 : i32
  %b = arith.constant 16 : i32
  %0 = tt.mulhiui %a, %b : i32
  tt.return %0 : i32
}

// FOLD-LABEL: tt.func @zero(
tt.func @zero(%x: tensor<8xi32>) -> tensor<8xi32> {
  // FOLD: %[[C:.*]] = arith.constant dense<0>
  // FOLD: tt.return %[[C]]
  %a = arith.constant dense<0> : tensor<8xi32>
  %0 = tt.mulhiui %x, %a : tensor<8xi32>
  tt.return %0 : tensor<8xi32>
}
