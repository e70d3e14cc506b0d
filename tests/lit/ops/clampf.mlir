// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.clampf round-trips with both ways to treat NaN.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>) {
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<8xf32>
  %0 = tt.clampf %x, %x, %x, propagateNan = none : tensor<8xf32>
  // CHECK: tt.clampf %{{.*}}, propagateNan = all : tensor<8xf32>
  %1 = tt.clampf %x, %x, %x, propagateNan = all : tensor<8xf32>
  tt.return
}
