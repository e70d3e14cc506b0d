// RUN: tl-opt --merge-loop-values --canonicalize --cse %s | FileCheck %s
// Values that a loop carries are merged if they start equal and stay equal.

// CHECK-LABEL: tt.func @equal(
tt.func @equal(%n: i32, %lo: i32, %x: i32) -> (i32, i32) {
  // CHECK: %[[R:.*]] = scf.for {{.*}} -> (i32)
  // CHECK-NEXT: arith.addi
  // CHECK-NEXT: scf.yield
  // CHECK: tt.return %[[R]], %[[R]]
  %r:2 = scf.for %i = %lo to %n step %n iter_args(%a = %x, %b = %x) -> (i32, i32) : i32 {
    %c = arith.addi %a, %n : i32
    %d = arith.addi %b, %n : i32
    scf.yield %c, %d : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}

// Each of two pairs is equal only because the other is.
// CHECK-LABEL: tt.func @equal_together(
tt.func @equal_together(%n: i32, %lo: i32, %x: i32, %y: i32) -> (i32, i32, i32, i32) {
  // CHECK: scf.for {{.*}} -> (i32, i32)
  %r:4 = scf.for %i = %lo to %n step %n iter_args(%a = %x, %b = %x, %c = %y, %d = %y) -> (i32, i32, i32, i32) : i32 {
    %e = arith.addi %a, %c : i32
    %f = arith.addi %b, %d : i32
    %g = arith.muli %a, %c : i32
    %h = arith.muli %b, %d : i32
    scf.yield %e, %f, %g, %h : i32, i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2, %r#3 : i32, i32, i32, i32
}

// CHECK-LABEL: tt.func @different_start(
tt.func @different_start(%n: i32, %lo: i32, %x: i32, %y: i32) -> (i32, i32) {
  // CHECK: scf.for {{.*}} -> (i32, i32)
  %r:2 = scf.for %i = %lo to %n step %n iter_args(%a = %x, %b = %y) -> (i32, i32) : i32 {
    %c = arith.addi %a, %n : i32
    %d = arith.addi %b, %n : i32
    scf.yield %c, %d : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: tt.func @different_step(
tt.func @different_step(%n: i32, %lo: i32, %x: i32) -> (i32, i32) {
  // CHECK: scf.for {{.*}} -> (i32, i32)
  %r:2 = scf.for %i = %lo to %n step %n iter_args(%a = %x, %b = %x) -> (i32, i32) : i32 {
    %c = arith.addi %a, %n : i32
    %d = arith.subi %b, %n : i32
    scf.yield %c, %d : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}

// The third value differs after two iterations only.
// CHECK-LABEL: tt.func @different_later(
tt.func @different_later(%n: i32, %lo: i32, %x: i32) -> (i32, i32, i32) {
  // CHECK: scf.for {{.*}} -> (i32, i32, i32)
  %r:3 = scf.for %i = %lo to %n step %n iter_args(%a = %x, %b = %x, %c = %x) -> (i32, i32, i32) : i32 {
    %d = arith.addi %c, %n : i32
    scf.yield %b, %d, %n : i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2 : i32, i32, i32
}

// Two loads are two loads: memory may change between them.
// CHECK-LABEL: tt.func @loads(
tt.func @loads(%n: i32, %lo: i32, %p: !tt.ptr<f32>, %x: f32) -> (f32, f32) {
  // CHECK: scf.for {{.*}} -> (f32, f32)
  %r:2 = scf.for %i = %lo to %n step %n iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    %c = tt.load %p : !tt.ptr<f32>
    tt.store %p, %a : !tt.ptr<f32>
    %d = tt.load %p : !tt.ptr<f32>
    scf.yield %c, %d : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}
