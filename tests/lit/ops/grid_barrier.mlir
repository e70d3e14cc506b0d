// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize --cse --hoist-invariants %s | FileCheck %s --check-prefix=KEPT
// tt.grid_barrier round-trips, is never dropped, and no access of memory moves across it.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip() {
  // CHECK: tt.grid_barrier
  // CHECK: tt.grid_barrier
  tt.grid_barrier
  tt.grid_barrier
  tt.return
}

// KEPT-LABEL: tt.func @loads_are_read_again(
tt.func @loads_are_read_again(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // KEPT: tt.load
  // KEPT: tt.grid_barrier
  // KEPT: tt.load
  %a = tt.load %p : !tt.ptr<f32>
  tt.grid_barrier
  %b = tt.load %p : !tt.ptr<f32>
  %s = arith.addf %a, %b : f32
  tt.store %q, %s : !tt.ptr<f32>
  // KEPT: scf.for
  // KEPT: tt.load
  // KEPT: tt.grid_barrier
  scf.for %i = %c0 to %n step %c1 : i32 {
    %c = tt.load %p : !tt.ptr<f32>
    tt.store %q, %c : !tt.ptr<f32>
    tt.grid_barrier
  }
  tt.return
}

// CHECK-LABEL: tt.func @branches_that_all_programs_take(
tt.func @branches_that_all_programs_take(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %count = tt.get_num_programs x : i32
  %one = arith.cmpi sgt, %count, %n : i32
  // CHECK: scf.if
  // CHECK: tt.grid_barrier
  scf.if %one {
    tt.grid_barrier
  }
  // CHECK: scf.while
  // CHECK: tt.grid_barrier
  %last = scf.while (%x = %n) : (i32) -> i32 {
    %flag = tt.load %p : !tt.ptr<i32>
    %more = arith.cmpi sgt, %flag, %x : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%x: i32):
    tt.grid_barrier
    scf.yield %c0 : i32
  }
  tt.return
}
