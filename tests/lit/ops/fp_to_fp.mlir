// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.fp_to_fp round-trips; its own type and zero fold, with the sign of zero kept where the format has one.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>, %y: tensor<8xf8E5M2>) {
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %0 = tt.fp_to_fp %x, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<8xf32> -> tensor<8xf16>
  %1 = tt.fp_to_fp %x, rounding = rtz : tensor<8xf32> -> tensor<8xf16>
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<8xf8E5M2> -> tensor<8xf32>
  %2 = tt.fp_to_fp %y : tensor<8xf8E5M2> -> tensor<8xf32>
  tt.return
}

// FOLD-LABEL: tt.func @same_type(
tt.func @same_type(%x: f32) -> f32 {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.fp_to_fp %x : f32 -> f32
  tt.return %0 : f32
}

// FOLD-LABEL: tt.func @zero(
tt.func @zero() -> tensor<8xf8E4M3FN> {
  // FOLD: arith.constant dense<0.000000e+00> : tensor<8xf8E4M3FN>
  %c = arith.constant dense<0.0> : tensor<8xf32>
  %0 = tt.fp_to_fp %c, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
  tt.return %0 : tensor<8xf8E4M3FN>
}

// FOLD-LABEL: tt.func @negative_zero(
tt.func @negative_zero() -> f16 {
  // FOLD: arith.constant -0.000000e+00 : f16
  %c = arith.constant -0.0 : f32
  %0 = tt.fp_to_fp %c, rounding = rtz : f32 -> f16
  tt.return %0 : f16
}

// FOLD-LABEL: tt.func @negative_zero_without_sign(
tt.func @negative_zero_without_sign() -> f8E5M2FNUZ {
  // FOLD: arith.constant 0.000000e+00 : f8E5M2FNUZ
  %c = arith.constant -0.0 : f32
  %0 = tt.fp_to_fp %c, rounding = rtne : f32 -> f8E5M2FNUZ
  tt.return %0 : f8E5M2FNUZ
}
