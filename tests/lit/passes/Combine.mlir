// RUN: tl-opt --combine %s | FileCheck %s
// Each rewrite happens where it is right, and does not where it would change a result.

// CHECK-LABEL: tt.func @product_takes_accumulator(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<16x16xf32>, %[[C:[a-z0-9]+]]: tensor<16x16xf32>
tt.func @product_takes_accumulator(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: %[[D:.*]] = tt.dot %[[A]], %[[A]], %[[C]], inputPrecision = tf32
  // CHECK-NEXT: tt.return %[[D]]
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %a, %z, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %r = arith.addf %c, %d : tensor<16x16xf32>
  tt.return %r : tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @integer_product_takes_accumulator(
tt.func @integer_product_takes_accumulator(%a: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  // CHECK-NOT: arith.addi
  %z = arith.constant dense<0> : tensor<16x16xi32>
  %d = tt.dot %a, %a, %z : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xi32>
  %r = arith.addi %d, %c : tensor<16x16xi32>
  tt.return %r : tensor<16x16xi32>
}

// CHECK-LABEL: tt.func @product_with_accumulator_stays(
tt.func @product_with_accumulator_stays(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: tt.dot
  // CHECK-NEXT: arith.addf
  %d = tt.dot %a, %a, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %r = arith.addf %d, %c : tensor<16x16xf32>
  tt.return %r : tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @product_used_twice_stays(
tt.func @product_used_twice_stays(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  // CHECK: tt.dot
  // CHECK-NEXT: arith.addf
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %a, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %r = arith.addf %d, %c : tensor<16x16xf32>
  tt.return %r, %d : tensor<16x16xf32>, tensor<16x16xf32>
}

// A product in front of a loop is not moved into it.
// CHECK-LABEL: tt.func @product_stays_outside(
tt.func @product_stays_outside(%a: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  // CHECK: tt.dot
  // CHECK: scf.for
  // CHECK-NEXT: arith.addf
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %a, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %r = scf.for %i = %n to %n step %n iter_args(%x = %z) -> (tensor<16x16xf32>) : i32 {
    %s = arith.addf %x, %d : tensor<16x16xf32>
    scf.yield %s : tensor<16x16xf32>
  }
  tt.return %r : tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @wide_offsets_merge(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f32>, %[[I:[a-z0-9]+]]: i64, %[[J:[a-z0-9]+]]: i64
tt.func @wide_offsets_merge(%p: !tt.ptr<f32>, %i: i64, %j: i64) -> !tt.ptr<f32> {
  // CHECK-NEXT: %[[S:.*]] = arith.addi %[[I]], %[[J]] : i64
  // CHECK-NEXT: tt.addptr %[[P]], %[[S]] : !tt.ptr<f32>, i64
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %r = tt.addptr %q, %j : !tt.ptr<f32>, i64
  tt.return %r : !tt.ptr<f32>
}

// The sum of two 32-bit offsets may wrap around where the pointers do not.
// CHECK-LABEL: tt.func @narrow_offsets_stay(
tt.func @narrow_offsets_stay(%p: !tt.ptr<f32>, %i: i32, %j: i32) -> !tt.ptr<f32> {
  // CHECK-COUNT-2: tt.addptr
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %r = tt.addptr %q, %j : !tt.ptr<f32>, i32
  tt.return %r : !tt.ptr<f32>
}

// CHECK-LABEL: tt.func @constant_offsets_merge(
tt.func @constant_offsets_merge(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  // CHECK: %[[S:.*]] = arith.constant 12 : i32
  // CHECK: tt.addptr %{{.*}}, %[[S]] : !tt.ptr<f32>, i32
  // CHECK-NOT: tt.addptr
  %a = arith.constant 5 : i32
  %b = arith.constant 7 : i32
  %q = tt.addptr %p, %a : !tt.ptr<f32>, i32
  %r = tt.addptr %q, %b : !tt.ptr<f32>, i32
  tt.return %r : !tt.ptr<f32>
}

// CHECK-LABEL: tt.func @constant_offsets_that_wrap_stay(
tt.func @constant_offsets_that_wrap_stay(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  // CHECK-COUNT-2: tt.addptr
  %a = arith.constant 2147483647 : i32
  %q = tt.addptr %p, %a : !tt.ptr<f32>, i32
  %r = tt.addptr %q, %a : !tt.ptr<f32>, i32
  tt.return %r : !tt.ptr<f32>
}

// CHECK-LABEL: tt.func @select_becomes_other(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tt.ptr<f32>>, %[[M:[a-z0-9]+]]: tensor<8xi1>, %[[X:[a-z0-9]+]]: tensor<8xf32>
tt.func @select_becomes_other(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[V:.*]] = tt.load %[[P]], %[[M]], %[[X]]
  // CHECK-NEXT: tt.return %[[V]]
  %v = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %r = arith.select %m, %v, %x : tensor<8xi1>, tensor<8xf32>
  tt.return %r : tensor<8xf32>
}

// The load stays in front of the store, and the value is only known after it.
// CHECK-LABEL: tt.func @select_of_later_value_stays(
tt.func @select_of_later_value_stays(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %q: tensor<8x!tt.ptr<f32>>) -> tensor<8xf32> {
  // CHECK: arith.select
  %v = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.store %p, %v, %m : tensor<8x!tt.ptr<f32>>
  %x = tt.load %q : tensor<8x!tt.ptr<f32>>
  %r = arith.select %m, %v, %x : tensor<8xi1>, tensor<8xf32>
  tt.return %r : tensor<8xf32>
}

// CHECK-LABEL: tt.func @select_of_other_mask_stays(
tt.func @select_of_other_mask_stays(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: arith.select
  %v = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %r = arith.select %n, %v, %x : tensor<8xi1>, tensor<8xf32>
  tt.return %r : tensor<8xf32>
}

// CHECK-LABEL: tt.func @sum_becomes_product(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16x32xf32>, %[[Y:[a-z0-9]+]]: tensor<32x64xf32>
tt.func @sum_becomes_product(%x: tensor<16x32xf32>, %y: tensor<32x64xf32>) -> tensor<16x64xf32> {
  // CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
  // CHECK: tt.dot %[[X]], %[[Y]], %[[Z]] : tensor<16x32xf32> * tensor<32x64xf32> -> tensor<16x64xf32>
  // CHECK-NOT: tt.reduce
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %b = tt.expand_dims %y {axis = 0 : i32} : tensor<32x64xf32> -> tensor<1x32x64xf32>
  %c = tt.broadcast %a : tensor<16x32x1xf32> -> tensor<16x32x64xf32>
  %d = tt.broadcast %b : tensor<1x32x64xf32> -> tensor<16x32x64xf32>
  %e = arith.mulf %c, %d : tensor<16x32x64xf32>
  %s = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %t = arith.addf %p, %q : f32
    tt.reduce.return %t : f32
  }) : (tensor<16x32x64xf32>) -> tensor<16x64xf32>
  tt.return %s : tensor<16x64xf32>
}

// CHECK-LABEL: tt.func @small_sum_stays(
tt.func @small_sum_stays(%x: tensor<8x32xf32>, %y: tensor<32x64xf32>) -> tensor<8x64xf32> {
  // CHECK: tt.reduce
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<8x32xf32> -> tensor<8x32x1xf32>
  %b = tt.expand_dims %y {axis = 0 : i32} : tensor<32x64xf32> -> tensor<1x32x64xf32>
  %c = tt.broadcast %a : tensor<8x32x1xf32> -> tensor<8x32x64xf32>
  %d = tt.broadcast %b : tensor<1x32x64xf32> -> tensor<8x32x64xf32>
  %e = arith.mulf %c, %d : tensor<8x32x64xf32>
  %s = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %t = arith.addf %p, %q : f32
    tt.reduce.return %t : f32
  }) : (tensor<8x32x64xf32>) -> tensor<8x64xf32>
  tt.return %s : tensor<8x64xf32>
}

// CHECK-LABEL: tt.func @sum_of_all_may_reorder(
tt.func @sum_of_all_may_reorder(%x: tensor<8x4xf32>) -> f32 {
  // CHECK: tt.reshape %{{.*}} allow_reorder
  %r = tt.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
  %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %t = arith.addf %p, %q : f32
    tt.reduce.return %t : f32
  }) : (tensor<32xf32>) -> f32
  tt.return %s : f32
}

// A reduction of pairs needs both tensors in one order.
// CHECK-LABEL: tt.func @pairs_keep_their_order(
tt.func @pairs_keep_their_order(%x: tensor<8x4xf32>, %i: tensor<32xi32>) -> i32 {
  // CHECK-NOT: allow_reorder
  %r = tt.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
  %s:2 = "tt.reduce"(%r, %i) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
    tt.reduce.return %p, %pi : f32, i32
  }) : (tensor<32xf32>, tensor<32xi32>) -> (f32, i32)
  tt.return %s#1 : i32
}

// What is divided is the quotient times the divisor, in any order, and the remainder.
// CHECK-LABEL: tt.func @divided_and_put_together(
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %{{[a-z0-9]+}}: i32, %[[T:[a-z0-9]+]]: tensor<8xi32>
tt.func @divided_and_put_together(%x: i32, %y: i32, %t: tensor<8xi32>, %u: tensor<8xi32>) -> (i32, tensor<8xi32>) {
  // CHECK: tt.return %[[X]], %[[T]]
  %q = arith.divsi %x, %y : i32
  %r = arith.remsi %x, %y : i32
  %m = arith.muli %q, %y : i32
  %s = arith.addi %m, %r : i32
  %v = arith.divui %t, %u : tensor<8xi32>
  %w = arith.remui %t, %u : tensor<8xi32>
  %n = arith.muli %u, %v : tensor<8xi32>
  %p = arith.addi %w, %n : tensor<8xi32>
  tt.return %s, %p : i32, tensor<8xi32>
}

// Another divisor, another number, and the remainder of other signs.
// CHECK-LABEL: tt.func @not_put_together(
tt.func @not_put_together(%x: i32, %y: i32, %z: i32) -> (i32, i32, i32) {
  // CHECK-COUNT-3: arith.addi
  %q = arith.divsi %x, %y : i32
  %m = arith.muli %q, %y : i32
  %r1 = arith.remsi %x, %z : i32
  %s1 = arith.addi %m, %r1 : i32
  %r2 = arith.remsi %z, %y : i32
  %s2 = arith.addi %m, %r2 : i32
  %r3 = arith.remui %x, %y : i32
  %s3 = arith.addi %m, %r3 : i32
  tt.return %s1, %s2, %s3 : i32, i32, i32
}
