// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.dot_scaled round-trips with scales on both, one or no side, and packed along either axis.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%a: tensor<128x64xf8E4M3FN>, %sa: tensor<128x2xi8>, %b: tensor<32x128xi8>, %sb: tensor<128x2xi8>, %c: tensor<128x128xf32>, %n: tensor<64x64xi8>) {
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
  %0 = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
  // CHECK: tt.dot_scaled %{{[a-z0-9]+}} scale %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8> -> tensor<128x128xf32>
  %1 = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8> -> tensor<128x128xf32>
  // CHECK: tt.dot_scaled %{{.*}} {fastMath = false, rhs_k_pack = false} : tensor<128x64xf8E4M3FN> * tensor<64x64xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
  %2 = tt.dot_scaled %a, %n scale %sb, %c lhs = e4m3 rhs = e2m1 {fastMath = false, rhs_k_pack = false} : tensor<128x64xf8E4M3FN> * tensor<64x64xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
  tt.return
}
