// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.dot round-trips with every precision, in rank 2 and 3, for floats, fp8 and integers.

// CHECK-LABEL: tt.func @precisions(
tt.func @precisions(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) {
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %2 = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x6 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %3 = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tt.dot %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : tensor<64x32xf32>
  %4 = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return
}

// CHECK-LABEL: tt.func @others(
tt.func @others(%a: tensor<2x16x32xi8>, %b: tensor<2x32x16xi8>, %c: tensor<2x16x16xi32>, %d: tensor<16x32xf8E4M3FN>, %e: tensor<32x16xf8E5M2>, %f: tensor<16x16xf32>) {
  // CHECK: tt.dot %{{.*}} : tensor<2x16x32xi8> * tensor<2x32x16xi8> -> tensor<2x16x16xi32>
  %0 = tt.dot %a, %b, %c : tensor<2x16x32xi8> * tensor<2x32x16xi8> -> tensor<2x16x16xi32>
  // CHECK: tt.dot %{{.*}} {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf8E4M3FN> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  %1 = tt.dot %d, %e, %f {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf8E4M3FN> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return
}
