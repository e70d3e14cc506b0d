// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.scan round-trips in both directions and of several tensors at once.

// CHECK-LABEL: tt.func @both_ways(
tt.func @both_ways(%x: tensor<8x4xf32>) {
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = true}> ({
  // CHECK: tt.scan.return %{{.*}} : f32
  // CHECK: }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: <{axis = 0 : i32, reverse = false}>
  %1:2 = "tt.scan"(%x, %x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %e = arith.addf %a, %c : f32
    %f = arith.mulf %b, %d : f32
    tt.scan.return %e, %f : f32, f32
  }) : (tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  tt.return
}
