// RUN: tl-opt %s --keep-order --combine=keep-order | FileCheck %s
// With atomics that give the same in every order a kernel stays as it is, but that nothing may
// reorder what it adds up.

// CHECK-LABEL: tt.func public @atomics
// CHECK: tt.atomic_rmw add, relaxed, gpu
// CHECK: tt.atomic_rmw or, relaxed, gpu
// CHECK: tt.atomic_rmw max, relaxed, gpu
// CHECK: tt.atomic_store release, gpu
// CHECK: tt.atomic_poll acquire, gpu
// CHECK: tt.descriptor_reduce add
tt.func public @atomics(%pi: !tt.ptr<i32>, %i: i32, %desc: !tt.tensordesc<16x16xi32>, %t: tensor<16x16xi32>) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %pi, %i : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw or, relaxed, gpu, %pi, %i : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_rmw max, relaxed, gpu, %pi, %i : (!tt.ptr<i32>, i32) -> i32
  tt.atomic_store release, gpu, %pi, %i : !tt.ptr<i32>
  %seen = tt.atomic_poll acquire, gpu, %pi, %i : !tt.ptr<i32>, i32 -> i1
  tt.descriptor_reduce add, %desc[%i, %i], %t : !tt.tensordesc<16x16xi32>, tensor<16x16xi32>
  tt.return
}

// The larger of two floats is found as that of integers, whose old values are put together and then
// not used.
// CHECK-LABEL: tt.func public @unused
tt.func public @unused(%p: !tt.ptr<i32>, %i: i32, %isPositive: i1) {
  %a = tt.atomic_rmw max, relaxed, gpu, %p, %i, %isPositive : (!tt.ptr<i32>, i32, i1) -> i32
  %b = tt.atomic_rmw umin, relaxed, gpu, %p, %i, %isPositive : (!tt.ptr<i32>, i32, i1) -> i32
  %old = arith.select %isPositive, %a, %b : i32
  %bits = arith.bitcast %old : i32 to f32
  tt.return
}

// CHECK-LABEL: tt.func public @reshape
// CHECK-NOT: allow_reorder
// CHECK: tt.return
tt.func public @reshape(%x: tensor<16x32xf32>, %to: !tt.ptr<f32>) {
  %r = tt.reshape %x allow_reorder : tensor<16x32xf32> -> tensor<512xf32>
  %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<512xf32>) -> f32
  tt.store %to, %s : !tt.ptr<f32>
  tt.return
}

// A sum of products is no tt.dot, which only large ones would be.
// CHECK-LABEL: tt.func public @product
// CHECK-NOT: tt.dot
// CHECK: tt.return
tt.func public @product(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %x3 = tt.expand_dims %x {axis = 2 : i32} : tensor<16x16xf32> -> tensor<16x16x1xf32>
  %y3 = tt.expand_dims %y {axis = 0 : i32} : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %xb = tt.broadcast %x3 : tensor<16x16x1xf32> -> tensor<16x16x16xf32>
  %yb = tt.broadcast %y3 : tensor<1x16x16xf32> -> tensor<16x16x16xf32>
  %p = arith.mulf %xb, %yb : tensor<16x16x16xf32>
  %s = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16x16xf32>) -> tensor<16x16xf32>
  tt.return %s : tensor<16x16xf32>
}
