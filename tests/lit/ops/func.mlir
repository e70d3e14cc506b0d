// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.func round-trips with visibility, argument attributes, results and declarations.

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME: %{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: i32) attributes {noinline = false} {
tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
  tt.return
}

// CHECK-LABEL: tt.func private @helper(
// CHECK-SAME: %{{.*}}: f32) -> (f32, f32) {
tt.func private @helper(%x: f32) -> (f32, f32) {
  tt.return %x, %x : f32, f32
}

// CHECK: tt.func private @declared(i32) -> f32
tt.func private @declared(i32) -> f32
