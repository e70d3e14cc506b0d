// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.return round-trips.

// CHECK-LABEL: tt.func @two(
tt.func @two(%x: f32, %i: i32) -> (f32, i32) {
  // CHECK: tt.return %{{.*}}, %{{.*}} : f32, i32
  tt.return %x, %i : f32, i32
}
