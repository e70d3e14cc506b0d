// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.reduce round-trips: to a tensor, to a scalar, and of several tensors at once.

// CHECK-LABEL: tt.func @sums(
tt.func @sums(%x: tensor<8x4xf32>, %y: tensor<8xf32>) {
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}> ({
  // CHECK: tt.reduce.return %{{.*}} : f32
  // CHECK: }) : (tensor<8x4xf32>) -> tensor<4xf32>
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  // CHECK: }) : (tensor<8xf32>) -> f32
  %1 = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// CHECK-LABEL: tt.func @largest_with_index(
tt.func @largest_with_index(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
  // CHECK: }) : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32)
  %0:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %g = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %g, %a, %b : f32
    %w = arith.select %g, %ai, %bi : i32
    tt.reduce.return %v, %w : f32, i32
  }) : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32)
  tt.return
}
