// RUN: tl-opt --simplify %s | FileCheck %s
// Constants fold; loops of no iteration or one go, and no others.

// CHECK-LABEL: tt.func @none(
// CHECK-NEXT: tt.return %arg0
tt.func @none(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %cm1 = arith.constant -1 : i32
  %r = scf.for %i = %c0 to %cm1 step %c1 iter_args(%a = %x) -> (i32) : i32 {
    %b = arith.muli %a, %a : i32
    scf.yield %b : i32
  }
  tt.return %r : i32
}

// CHECK-LABEL: tt.func @once(
// CHECK-NEXT: %0 = arith.muli %arg0, %arg0
// CHECK-NEXT: tt.return %0
tt.func @once(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %r = scf.for %i = %c0 to %c3 step %c4 iter_args(%a = %x) -> (i32) : i32 {
    %b = arith.muli %a, %a : i32
    scf.yield %b : i32
  }
  tt.return %r : i32
}

// CHECK-LABEL: tt.func @nothing_changes(
// CHECK-NEXT: tt.return %arg1
tt.func @nothing_changes(%x: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> (i32) : i32 {
    scf.yield %y : i32
  }
  tt.return %r : i32
}

// The distance is more than the largest number of the type.
// CHECK-LABEL: tt.func @far_apart(
// CHECK: scf.for %{{.*}} = %c-2000000000_i32 to %c2000000000_i32
tt.func @far_apart(%x: i32) -> i32 {
  %low = arith.constant -2000000000 : i32
  %high = arith.constant 2000000000 : i32
  %step = arith.constant 1000000000 : i32
  %r = scf.for %i = %low to %high step %step iter_args(%a = %x) -> (i32) : i32 {
    %b = arith.muli %a, %a : i32
    scf.yield %b : i32
  }
  tt.return %r : i32
}

// -1 is the largest number here.
// CHECK-LABEL: tt.func @without_sign(
// CHECK: scf.for unsigned
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func @without_sign(%x: i8) -> (i8, i8) {
  %c0 = arith.constant 0 : i8
  %c100 = arith.constant 100 : i8
  %cm1 = arith.constant -1 : i8
  %r = scf.for unsigned %i = %c0 to %cm1 step %c100 iter_args(%a = %x) -> (i8) : i8 {
    %b = arith.muli %a, %a : i8
    scf.yield %b : i8
  }
  %s = scf.for unsigned %i = %cm1 to %c100 step %c100 iter_args(%a = %x) -> (i8) : i8 {
    %b = arith.muli %a, %a : i8
    scf.yield %b : i8
  }
  tt.return %r, %s : i8, i8
}
