// RUN: tl-opt --lift-assertions %s | FileCheck %s
// RUN: tl-opt --lift-assertions=debug=false %s | FileCheck %s --check-prefix=UNCHECKED
// What the function of a reduction asserts is asserted after it, one assertion for each message.

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
