// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.call round-trips with and without results.

tt.func private @f(%x: f32, %y: i32) -> f32 {
  tt.return %x : f32
}
tt.func private @g() {
  tt.return
}

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: f32, %y: i32) {
  // CHECK: %{{.*}} = tt.call @f(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
  %0 = tt.call @f(%x, %y) : (f32, i32) -> f32
  // CHECK: tt.call @g() : () -> ()
  tt.call @g() : () -> ()
  tt.return
}
