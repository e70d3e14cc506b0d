// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.gather round-trips along any axis.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8x4xf32>, %i: tensor<16x4xi32>) {
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32, efficient_layout} :
  %1 = tt.gather %x[%i] {axis = 0 : i32, efficient_layout} : (tensor<8x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
  tt.return
}
