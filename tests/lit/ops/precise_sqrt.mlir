// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.precise_sqrt round-trips.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>) {
  // CHECK: tt.precise_sqrt %{{.*}} : tensor<8xf32>
  %0 = tt.precise_sqrt %x : tensor<8xf32>
  tt.return
}
