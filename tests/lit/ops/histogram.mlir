// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.histogram round-trips with and without a mask.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<64xi32>, %m: tensor<64xi1>) {
  // CHECK: tt.histogram %{{.*}} : tensor<64xi32> -> tensor<256xi32>
  %0 = tt.histogram %x : tensor<64xi32> -> tensor<256xi32>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<64xi32> -> tensor<256xi32>
  %1 = tt.histogram %x, %m : tensor<64xi32> -> tensor<256xi32>
  tt.return
}
