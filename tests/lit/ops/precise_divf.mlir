// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.precise_divf round-trips.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>, %s: f32) {
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %0 = tt.precise_divf %x, %x : tensor<8xf32>
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : f32
  %1 = tt.precise_divf %s, %s : f32
  tt.return
}
