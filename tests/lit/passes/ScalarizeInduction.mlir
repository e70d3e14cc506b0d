// RUN: tl-opt --scalarize-induction --canonicalize --cse %s | FileCheck %s
// Tensors that a loop advances by one amount in every lane are carried as a scalar.

// CHECK-LABEL: tt.func @pointers(
// CHECK-SAME: %[[P0:[a-z0-9]+]]: tensor<64x!tt.ptr<f32>>
tt.func @pointers(%p0: tensor<64x!tt.ptr<f32>>, %n: i32, %lo: i32, %z: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i64
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
  // CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %[[C0]], %{{.*}} = %{{.*}}) -> (i64, tensor<64xf32>)
  // CHECK: %[[OS:.*]] = tt.splat %[[O]] : i64 -> tensor<64xi64>
  // CHECK: %[[P:.*]] = tt.addptr %[[P0]], %[[OS]]
  // CHECK: tt.load %[[P]]
  // CHECK: %[[N:.*]] = arith.addi %[[O]], %[[C64]] : i64
  // CHECK: scf.yield %[[N]]
  %c = arith.constant dense<64> : tensor<64xi32>
  %r:2 = scf.for %i = %lo to %n step %n iter_args(%p = %p0, %a = %z) -> (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) : i32 {
    %v = tt.load %p : tensor<64x!tt.ptr<f32>>
    %b = arith.addf %a, %v : tensor<64xf32>
    %q = tt.addptr %p, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %q, %b : tensor<64x!tt.ptr<f32>>, tensor<64xf32>
  }
  tt.return %r#1 : tensor<64xf32>
}

// CHECK-LABEL: tt.func @used_after_the_loop(
// CHECK-SAME: %[[P0:[a-z0-9]+]]: tensor<64x!tt.ptr<f32>>, %[[N:[a-z0-9]+]]: i32
tt.func @used_after_the_loop(%p0: tensor<64x!tt.ptr<f32>>, %n: i32, %lo: i32) -> tensor<64x!tt.ptr<f32>> {
  // CHECK: %[[R:.*]] = scf.for {{.*}} -> (i64)
  // CHECK: arith.extsi %[[N]] : i32 to i64
  // CHECK: %[[S:.*]] = tt.splat %[[R]] : i64 -> tensor<64xi64>
  // CHECK: %[[Q:.*]] = tt.addptr %[[P0]], %[[S]]
  // CHECK: tt.return %[[Q]]
  %s = tt.splat %n : i32 -> tensor<64xi32>
  %r = scf.for %i = %lo to %n step %n iter_args(%p = %p0) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    %q = tt.addptr %p, %s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %q : tensor<64x!tt.ptr<f32>>
  }
  tt.return %r : tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: tt.func @integers_both_ways(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>
tt.func @integers_both_ways(%x: tensor<8xi32>, %n: i32, %lo: i32, %p: tensor<8x!tt.ptr<i32>>) {
  // CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i32)
  // CHECK: %[[S:.*]] = tt.splat %[[O]] : i32 -> tensor<8xi32>
  // CHECK: arith.addi %[[X]], %[[S]] : tensor<8xi32>
  // CHECK: arith.subi %[[O]], %{{.*}} : i32
  %c = arith.constant dense<3> : tensor<8xi32>
  %s = tt.splat %n : i32 -> tensor<8xi32>
  %r = scf.for %i = %lo to %n step %n iter_args(%a = %x) -> (tensor<8xi32>) : i32 {
    tt.store %p, %a : tensor<8x!tt.ptr<i32>>
    %b = arith.addi %c, %a : tensor<8xi32>
    %d = arith.subi %b, %s : tensor<8xi32>
    scf.yield %d : tensor<8xi32>
  }
  tt.return
}

// The inner loop's advance is one scalar of the outer loop.
// CHECK-LABEL: tt.func @nested(
tt.func @nested(%p0: tensor<64x!tt.ptr<f32>>, %n: i32, %lo: i32, %x: tensor<64xf32>) {
  // CHECK: scf.for {{.*}} -> (i64)
  // CHECK: scf.for {{.*}} -> (i64)
  // CHECK-NOT: iter_args({{.*}}tensor
  // CHECK: tt.return
  %c = arith.constant dense<1> : tensor<64xi32>
  %r = scf.for %i = %lo to %n step %n iter_args(%p = %p0) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    %s = scf.for %j = %lo to %n step %n iter_args(%q = %p) -> (tensor<64x!tt.ptr<f32>>) : i32 {
      tt.store %q, %x : tensor<64x!tt.ptr<f32>>
      %t = tt.addptr %q, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %t : tensor<64x!tt.ptr<f32>>
    }
    %u = tt.addptr %s, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %u : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// CHECK-LABEL: tt.func @lanes_that_advance_differently_stay(
tt.func @lanes_that_advance_differently_stay(%p0: tensor<64x!tt.ptr<f32>>, %n: i32, %lo: i32, %x: tensor<64xf32>) {
  // CHECK: scf.for {{.*}} -> (tensor<64x!tt.ptr<f32>>)
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = scf.for %i = %lo to %n step %n iter_args(%p = %p0) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
    %u = tt.addptr %p, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %u : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// CHECK-LABEL: tt.func @floats_stay(
tt.func @floats_stay(%x: tensor<8xf32>, %n: i32, %lo: i32, %p: tensor<8x!tt.ptr<f32>>) {
  // CHECK: scf.for {{.*}} -> (tensor<8xf32>)
  %c = arith.constant dense<3.0> : tensor<8xf32>
  %r = scf.for %i = %lo to %n step %n iter_args(%a = %x) -> (tensor<8xf32>) : i32 {
    tt.store %p, %a : tensor<8x!tt.ptr<f32>>
    %b = arith.addf %a, %c : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  tt.return
}

// The condition hands the tensor on in another place (which the canonicaliser then undoes); it is used
// before, inside and after.
// CHECK-LABEL: tt.func @while(
// CHECK-SAME: %[[P0:[a-z0-9]+]]: tensor<8x!tt.ptr<i32>>
tt.func @while(%p0: tensor<8x!tt.ptr<i32>>, %n: i32) -> tensor<8x!tt.ptr<i32>> {
  // CHECK: %[[R:.*]]:2 = scf.while (%[[O:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) : (i64, i32) -> (i64, i32)
  // CHECK: %[[S:.*]] = tt.splat %[[O]] : i64 -> tensor<8xi64>
  // CHECK: %[[P:.*]] = tt.addptr %[[P0]], %[[S]]
  // CHECK: tt.load %[[P]]
  // CHECK: scf.condition(%{{.*}}) %[[O]], %{{.*}} : i64, i32
  // CHECK: ^bb0(%[[A:.*]]: i64, %{{.*}}: i32):
  // CHECK: tt.store
  // CHECK: %[[N:.*]] = arith.addi %[[A]], %{{.*}} : i64
  // CHECK: scf.yield %[[N]], %{{.*}} : i64, i32
  // CHECK: %[[T:.*]] = tt.splat %[[R]]#0 : i64 -> tensor<8xi64>
  // CHECK: %[[Q:.*]] = tt.addptr %[[P0]], %[[T]]
  // CHECK: tt.return %[[Q]]
  %c = arith.constant dense<8> : tensor<8xi32>
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%p = %p0, %k = %n) : (tensor<8x!tt.ptr<i32>>, i32) -> (i32, tensor<8x!tt.ptr<i32>>) {
    %v = tt.load %p {isVolatile = true} : tensor<8x!tt.ptr<i32>>
    %t = arith.cmpi sgt, %k, %zero : i32
    scf.condition(%t) %k, %p : i32, tensor<8x!tt.ptr<i32>>
  } do {
  ^bb0(%k: i32, %p: tensor<8x!tt.ptr<i32>>):
    %v = tt.splat %k : i32 -> tensor<8xi32>
    tt.store %p, %v : tensor<8x!tt.ptr<i32>>
    %q = tt.addptr %p, %c : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %l = arith.subi %k, %one : i32
    scf.yield %q, %l : tensor<8x!tt.ptr<i32>>, i32
  }
  tt.return %r#1 : tensor<8x!tt.ptr<i32>>
}

// CHECK-LABEL: tt.func @while_that_hands_on_twice_stays(
tt.func @while_that_hands_on_twice_stays(%p0: tensor<8x!tt.ptr<i32>>, %b: i1) {
  // CHECK: scf.while {{.*}}tensor<8x!tt.ptr<i32>>
  %c = arith.constant dense<8> : tensor<8xi32>
  %r:2 = scf.while (%p = %p0) : (tensor<8x!tt.ptr<i32>>) -> (tensor<8x!tt.ptr<i32>>, tensor<8x!tt.ptr<i32>>) {
    scf.condition(%b) %p, %p : tensor<8x!tt.ptr<i32>>, tensor<8x!tt.ptr<i32>>
  } do {
  ^bb0(%p: tensor<8x!tt.ptr<i32>>, %x: tensor<8x!tt.ptr<i32>>):
    tt.store %x, %c : tensor<8x!tt.ptr<i32>>
    %q = tt.addptr %p, %c : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    scf.yield %q : tensor<8x!tt.ptr<i32>>
  }
  tt.return
}
