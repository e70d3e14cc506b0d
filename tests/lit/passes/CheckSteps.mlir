// RUN: tl-opt --check-steps %s | FileCheck %s
// A loop with a step of zero is an error, whether the step is known or not; others stay as they are.

// CHECK-LABEL: tt.func @unknown(
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32
tt.func @unknown(%n: i32) {
  %c1 = arith.constant 1 : i32
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: %[[HOLDS:.*]] = arith.cmpi ne, %[[N]], %[[ZERO]] : i32
  // CHECK: tt.assert %[[HOLDS]], "the step of a tl::range is zero" {tt.always_checked} : i1
  // CHECK: scf.for
  scf.for %i = %c1 to %n step %n : i32 {
  }
  tt.return
}

// CHECK-LABEL: tt.func @zero(
tt.func @zero(%n: i64) {
  %c0 = arith.constant 0 : i64
  // CHECK: tt.assert
  // CHECK: scf.for
  scf.for %i = %n to %n step %c0 : i64 {
  }
  tt.return
}

// CHECK-LABEL: tt.func @one(
tt.func @one(%n: i32) {
  %c1 = arith.constant 1 : i32
  // CHECK-NOT: tt.assert
  // CHECK: scf.for
  scf.for %i = %n to %n step %c1 : i32 {
  }
  tt.return
}
