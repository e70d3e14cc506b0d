// RUN: tl-opt --reorder-broadcasts %s | FileCheck %s
// Elementwise operations move in front of splats and broadcasts where they mean the same there.

// CHECK-LABEL: tt.func @splats(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f32>, %[[I:[a-z0-9]+]]: i32
tt.func @splats(%p: !tt.ptr<f32>, %i: i32) -> tensor<64x!tt.ptr<f32>> {
  // CHECK: %[[C:.*]] = arith.constant 4 : i32
  // CHECK: %[[M:.*]] = arith.muli %[[I]], %[[C]] : i32
  // CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[M]] : !tt.ptr<f32>, i32
  // CHECK: %[[R:.*]] = tt.splat %[[Q]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  // CHECK: tt.return %[[R]]
  %c = arith.constant dense<4> : tensor<64xi32>
  %is = tt.splat %i : i32 -> tensor<64xi32>
  %m = arith.muli %is, %c : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %m : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.return %q : tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: tt.func @comparison(
tt.func @comparison(%i: i32, %j: i32) -> tensor<64xi1> {
  // CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
  // CHECK-NEXT: tt.splat %[[C]] : i1 -> tensor<64xi1>
  %a = tt.splat %i : i32 -> tensor<64xi32>
  %b = tt.splat %j : i32 -> tensor<64xi32>
  %c = arith.cmpi slt, %a, %b : tensor<64xi32>
  tt.return %c : tensor<64xi1>
}

// CHECK-LABEL: tt.func @broadcasts(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x1xf32>, %[[S:[a-z0-9]+]]: f32
tt.func @broadcasts(%x: tensor<8x1xf32>, %s: f32) -> tensor<8x4xf32> {
  // CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<8x1xf32>
  // CHECK: %[[T:.*]] = tt.splat %[[S]] : f32 -> tensor<8x1xf32>
  // CHECK: %[[A:.*]] = arith.addf %[[X]], %[[T]] : tensor<8x1xf32>
  // CHECK: %[[M:.*]] = arith.mulf %[[A]], %[[C]] : tensor<8x1xf32>
  // CHECK: tt.broadcast %[[M]] : tensor<8x1xf32> -> tensor<8x4xf32>
  %c = arith.constant dense<2.0> : tensor<8x4xf32>
  %b = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %t = tt.splat %s : f32 -> tensor<8x4xf32>
  %a = arith.addf %b, %t : tensor<8x4xf32>
  %m = arith.mulf %a, %c : tensor<8x4xf32>
  tt.return %m : tensor<8x4xf32>
}

// CHECK-LABEL: tt.func @broadcasts_of_two_shapes_stay(
tt.func @broadcasts_of_two_shapes_stay(%x: tensor<8x1xf32>, %y: tensor<1x4xf32>) -> tensor<8x4xf32> {
  // CHECK: arith.addf %{{.*}} : tensor<8x4xf32>
  %a = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %b = tt.broadcast %y : tensor<1x4xf32> -> tensor<8x4xf32>
  %c = arith.addf %a, %b : tensor<8x4xf32>
  tt.return %c : tensor<8x4xf32>
}

// A promise about the whole tensor has no meaning for a scalar.
// CHECK-LABEL: tt.func @hints_stay(
tt.func @hints_stay(%i: i32) -> tensor<64xi32> {
  // CHECK: arith.addi %{{.*}} {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<64xi32>
  %a = tt.splat %i : i32 -> tensor<64xi32>
  %c = arith.addi %a, %a {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<64xi32>
  tt.return %c : tensor<64xi32>
}

// Assembly text handles several elements at a time, and a load is not the same for every element.
// CHECK-LABEL: tt.func @text_and_memory_stay(
tt.func @text_and_memory_stay(%i: i32, %p: !tt.ptr<f32>) {
  // CHECK: tt.elementwise_inline_asm {{.*}} : tensor<64xi32> -> tensor<64xi32>
  // CHECK: tt.load %{{.*}} {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  %a = tt.splat %i : i32 -> tensor<64xi32>
  %b = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 4 : i32, pure = false} %a : tensor<64xi32> -> tensor<64xi32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %v = tt.load %q {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.return
}
