// RUN: tl-opt --lift-assertions %s | FileCheck %s
// RUN: tl-opt --lift-assertions=debug=false %s | FileCheck %s --check-prefix=UNCHECKED
// Assertions that are not checked go. What the function of a reduction asserts is asserted after it, one assertion for each message.

// CHECK-LABEL: tt.func @reduce(
// UNCHECKED-LABEL: tt.func @reduce(
tt.func @reduce(%x: tensor<64xi32>, %zero: i32) -> i32 {
  // CHECK: %[[TRUE:.*]] = arith.constant dense<true> : tensor<64xi1>
  // CHECK: %[[R:.*]]:3 = "tt.reduce"(%{{.*}}, %[[TRUE]], %[[TRUE]])
  // CHECK: ^bb0(%[[A:.*]]: i32, %[[P:.*]]: i1, %[[U:.*]]: i1, %[[B:.*]]: i32, %[[Q:.*]]: i1, %[[V:.*]]: i1):
  // CHECK-NOT: tt.assert
  // CHECK: %[[HOLD:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
  // CHECK: %[[BOTH:.*]] = arith.andi %[[P]], %[[Q]] : i1
  // CHECK: %[[ALL:.*]] = arith.andi %[[BOTH]], %[[HOLD]] : i1
  // CHECK: %[[UV:.*]] = arith.andi %[[U]], %[[V]] : i1
  // CHECK: %[[MORE:.*]] = arith.andi %[[UV]], %{{.*}} : i1
  // CHECK: tt.reduce.return %{{.*}}, %[[ALL]], %[[MORE]] : i32, i1, i1
  // CHECK: tt.assert %[[R]]#1, "negative" : i1
  // CHECK: tt.assert %[[R]]#2, "overflow" {tt.always_checked} : i1
  // CHECK: tt.return %[[R]]#0
  // UNCHECKED: %[[R:.*]]:2 = "tt.reduce"
  // UNCHECKED-NOT: negative
  // UNCHECKED: tt.assert %[[R]]#1, "overflow" {tt.always_checked} : i1
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi sge, %a, %zero : i32
    tt.assert %c, "negative" : i1
    %d = arith.cmpi sge, %b, %zero : i32
    tt.assert %d, "negative" : i1
    %sum = arith.addi %a, %b : i32
    %e = arith.cmpi sge, %sum, %a : i32
    tt.assert %e, "overflow" {tt.always_checked} : i1
    tt.reduce.return %sum : i32
  }) : (tensor<64xi32>) -> i32
  tt.return %s : i32
}

// CHECK-LABEL: tt.func @scan(
tt.func @scan(%x: tensor<4x8xi32>, %zero: i32) -> tensor<4x8xi32> {
  // CHECK: %[[R:.*]]:2 = "tt.scan"(%{{.*}}, %{{.*}}) <{axis = 1 : i32, reverse = true}>
  // CHECK: tt.assert %[[R]]#1, "negative" : tensor<4x8xi1>
  // UNCHECKED-LABEL: tt.func @scan(
  // UNCHECKED-NOT: tt.assert
  %s = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi sge, %a, %zero : i32
    tt.assert %c, "negative" : i1
    %sum = arith.addi %a, %b : i32
    tt.scan.return %sum : i32
  }) : (tensor<4x8xi32>) -> tensor<4x8xi32>
  tt.return %s : tensor<4x8xi32>
}

// A branch yields what it asserts, and true where it is not taken.
// CHECK-LABEL: tt.func @branch(
// UNCHECKED-LABEL: tt.func @branch(
tt.func @branch(%x: tensor<64xi32>, %zero: i32) -> i32 {
  // CHECK: %[[R:.*]]:3 = "tt.reduce"
  // CHECK: %[[NEGATIVE:.*]] = arith.cmpi sge
  // CHECK: %[[I:.*]]:3 = scf.if %{{.*}} -> (i32, i1, i1) {
  // CHECK-NOT: tt.assert
  // CHECK: %[[GREATER:.*]] = arith.cmpi sge
  // CHECK: %[[INNER:.*]] = scf.if %{{.*}} -> (i1) {
  // CHECK: %[[EQUAL:.*]] = arith.cmpi ne
  // CHECK: scf.yield %[[EQUAL]] : i1
  // CHECK: } else {
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK: scf.yield %[[TRUE]] : i1
  // CHECK: scf.yield %{{.*}}, %[[GREATER]], %[[INNER]] : i32, i1, i1
  // CHECK: } else {
  // CHECK: %[[SMALLER:.*]] = arith.cmpi sle
  // CHECK: %[[OTHER:.*]] = arith.constant true
  // CHECK: scf.yield %{{.*}}, %[[SMALLER]], %[[OTHER]] : i32, i1, i1
  // CHECK: %[[BOTH:.*]] = arith.andi %[[NEGATIVE]], %[[I]]#1 : i1
  // CHECK: tt.reduce.return %[[I]]#0
  // CHECK: tt.assert %[[R]]#1, "negative" : i1
  // CHECK: tt.assert %[[R]]#2, "equal" : i1
  // UNCHECKED-NOT: tt.assert
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi sge, %a, %zero : i32
    tt.assert %c, "negative" : i1
    %r = scf.if %c -> i32 {
      %d = arith.cmpi sge, %b, %zero : i32
      tt.assert %d, "negative" : i1
      scf.if %d {
        %e = arith.cmpi ne, %a, %b : i32
        tt.assert %e, "equal" : i1
      }
      scf.yield %a : i32
    } else {
      %d = arith.cmpi sle, %b, %zero : i32
      tt.assert %d, "negative" : i1
      scf.yield %b : i32
    }
    tt.reduce.return %r : i32
  }) : (tensor<64xi32>) -> i32
  tt.return %s : i32
}

// A loop carries whether all that was asserted held.
// CHECK-LABEL: tt.func @loop(
tt.func @loop(%x: tensor<64xi32>, %n: i32) -> tensor<64xi32> {
  // CHECK: %[[R:.*]]:2 = "tt.scan"
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK: %[[L:.*]]:2 = scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[SO_FAR:.*]] = %[[TRUE]]) -> (i32, i1)
  // CHECK-NOT: tt.assert
  // CHECK: %[[HOLDS:.*]] = arith.cmpi sge
  // CHECK: %[[ALL:.*]] = arith.andi %[[SO_FAR]], %[[HOLDS]] : i1
  // CHECK: scf.yield %{{.*}}, %[[ALL]] : i32, i1
  // CHECK: arith.andi %{{.*}}, %[[L]]#1 : i1
  // CHECK: tt.assert %[[R]]#1, "overflow" : tensor<64xi1>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %r = scf.for %i = %zero to %n step %one iter_args(%sum = %a) -> (i32) : i32 {
      %next = arith.addi %sum, %b : i32
      %c = arith.cmpi sge, %next, %sum : i32
      tt.assert %c, "overflow" : i1
      scf.yield %next : i32
    }
    tt.scan.return %r : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %s : tensor<64xi32>
}

// CHECK-LABEL: tt.func @plain(
// UNCHECKED-LABEL: tt.func @plain(
tt.func @plain(%x: tensor<64xi1>, %y: i1) {
  // CHECK: tt.assert %{{.*}}, "each" : tensor<64xi1>
  // CHECK: tt.assert %{{.*}}, "one" {tt.always_checked} : i1
  // UNCHECKED-NOT: each
  // UNCHECKED: tt.assert %{{.*}}, "one" {tt.always_checked} : i1
  tt.assert %x, "each" : tensor<64xi1>
  tt.assert %y, "one" {tt.always_checked} : i1
  tt.return
}
