// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize --cse %s | FileCheck %s
// tt.print round-trips with and without values, and is never dropped.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xi32>, %s: f32) {
  // CHECK: tt.print " x: " {hex = true, isSigned = array<i32: 1, 0>} : %{{.*}}, %{{.*}} : tensor<8xi32>, f32
  tt.print " x: " {hex = true, isSigned = array<i32: 1, 0>} : %x, %s : tensor<8xi32>, f32
  // CHECK: tt.print " x: " {hex = false, isSigned = array<i32: 1>, written = [tensor<5xi32>]} : %{{.*}} : tensor<8xi32>
  tt.print " x: " {hex = false, isSigned = array<i32: 1>, written = [tensor<5xi32>]} : %x : tensor<8xi32>
  // CHECK: tt.print " here" {hex = false, isSigned = array<i32>}
  tt.print " here" {hex = false, isSigned = array<i32>}
  tt.return
}
