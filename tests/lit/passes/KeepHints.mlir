// RUN: tl-opt %s --keep-hints | FileCheck %s --check-prefixes=CHECK,KEEP
// RUN: tl-opt %s --keep-hints=remove --simplify | FileCheck %s --check-prefixes=CHECK,REMOVE
// Additions of zero that carry promises become an operation that folding leaves alone, or go.

// CHECK-LABEL: tt.func public @branch
// CHECK: scf.if
// KEEP: tt.hint %{{.*}} {tt.divisibility = dense<16> : tensor<1xi32>} : i32
// REMOVE-NOT: tt.hint
// REMOVE-NOT: arith.addi
tt.func public @branch(%n: i32, %c: i1, %out: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  scf.if %c {
    %h = arith.addi %n, %zero {tt.divisibility = dense<16> : tensor<1xi32>} : i32
    tt.store %out, %h : !tt.ptr<i32>
  }
  tt.return
}

// CHECK-LABEL: tt.func public @pointers
// KEEP: tt.hint %{{.*}} {tt.contiguity = dense<4> : tensor<1xi32>} : tensor<8x!tt.ptr<i32>>
// REMOVE-NOT: tt.hint
// CHECK: tt.load
tt.func public @pointers(%p: tensor<8x!tt.ptr<i32>>) {
  %zero = arith.constant dense<0> : tensor<8xi32>
  %h = tt.addptr %p, %zero {tt.contiguity = dense<4> : tensor<1xi32>} : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %h : tensor<8x!tt.ptr<i32>>
  tt.store %h, %v : tensor<8x!tt.ptr<i32>>
  tt.return
}

// What adds something, and what promises nothing, is left to others.
// CHECK-LABEL: tt.func public @others
// CHECK-NOT: tt.hint
// CHECK: arith.addi {{.*}} {tt.divisibility = dense<16> : tensor<1xi32>} : i32
tt.func public @others(%n: i32, %out: !tt.ptr<i32>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %a = arith.addi %n, %one {tt.divisibility = dense<16> : tensor<1xi32>} : i32
  %b = arith.addi %a, %zero : i32
  tt.store %out, %b : !tt.ptr<i32>
  tt.return
}
