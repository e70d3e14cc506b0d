// RUN: tl-opt --drop-acquires %s | FileCheck %s
// RUN: tl-opt --drop-acquires=debug=false %s | FileCheck %s --check-prefix=UNCHECKED
// Atomics whose old values nobody reads acquire nothing.

// CHECK-LABEL: tt.func @unread(
// CHECK: tt.atomic_rmw add, release, gpu
// CHECK: tt.atomic_rmw fadd, relaxed, cta
// CHECK: tt.atomic_rmw add, release, sys
// CHECK: tt.atomic_rmw add, relaxed, gpu
tt.func @unread(%p: !tt.ptr<i32>, %q: !tt.ptr<f32>, %n: i32, %x: f32) {
  %a = tt.atomic_rmw add, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  %b = tt.atomic_rmw fadd, acquire, cta, %q, %x : (!tt.ptr<f32>, f32) -> f32
  %c = tt.atomic_rmw add, release, sys, %p, %n : (!tt.ptr<i32>, i32) -> i32
  %d = tt.atomic_rmw add, relaxed, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// What is read stays, as does what compares: whether it has written follows from what it has seen.
// CHECK-LABEL: tt.func @read(
// CHECK: tt.atomic_rmw add, acq_rel, gpu
// CHECK: tt.atomic_cas acq_rel, gpu
tt.func @read(%p: !tt.ptr<i32>, %n: i32) -> i32 {
  %a = tt.atomic_rmw add, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  %b = tt.atomic_cas acq_rel, gpu, %p, %n, %n : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return %a : i32
}

// What nothing follows from that the kernel does is no reader, nor is an assertion that is not checked.
// CHECK-LABEL: tt.func @dead(
// CHECK: tt.atomic_rmw add, release, gpu
// CHECK: tt.atomic_rmw add, acq_rel, gpu
// UNCHECKED-LABEL: tt.func @dead(
// UNCHECKED: tt.atomic_rmw add, release, gpu
// UNCHECKED: tt.atomic_rmw add, release, gpu
tt.func @dead(%p: !tt.ptr<i32>, %n: i32) {
  %a = tt.atomic_rmw add, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  %double = arith.addi %a, %a : i32
  %unused = arith.cmpi slt, %double, %n : i32
  %b = tt.atomic_rmw add, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  %small = arith.cmpi slt, %b, %n : i32
  tt.assert %small, "small" : i1
  tt.return
}
