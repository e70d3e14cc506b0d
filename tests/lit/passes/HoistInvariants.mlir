// RUN: tl-opt --hoist-invariants %s | FileCheck %s
// What does not change leaves its loop; loads do if nothing in the loop writes, and not at all if
// the loop does not run.

// CHECK-LABEL: tt.func @load_under_a_condition(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tt.ptr<f32>>, %[[LO:[a-z0-9]+]]: i32, %[[HI:[a-z0-9]+]]: i32
tt.func @load_under_a_condition(%p: tensor<8x!tt.ptr<f32>>, %lo: i32, %hi: i32, %z: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[R:.*]] = arith.cmpi slt, %[[LO]], %[[HI]] : i32
  // CHECK: %[[M:.*]] = tt.splat %[[R]] : i1 -> tensor<8xi1>
  // CHECK: %[[V:.*]] = tt.load %[[P]], %[[M]] : tensor<8x!tt.ptr<f32>>
  // CHECK: %[[W:.*]] = math.exp %[[V]]
  // CHECK: scf.for
  // CHECK-NEXT: arith.addf %{{.*}}, %[[W]]
  %r = scf.for %i = %lo to %hi step %lo iter_args(%a = %z) -> (tensor<8xf32>) : i32 {
    %v = tt.load %p : tensor<8x!tt.ptr<f32>>
    %w = math.exp %v : tensor<8xf32>
    %b = arith.addf %a, %w : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  tt.return %r : tensor<8xf32>
}

// CHECK-LABEL: tt.func @mask_is_narrowed(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f32>, %[[M:[a-z0-9]+]]: i1
tt.func @mask_is_narrowed(%p: !tt.ptr<f32>, %m: i1, %n: i32, %x: f32) -> f32 {
  // CHECK: %[[R:.*]] = arith.cmpi ult
  // CHECK: %[[A:.*]] = arith.andi %[[M]], %[[R]] : i1
  // CHECK: tt.load %[[P]], %[[A]], %{{.*}} : !tt.ptr<f32>
  // CHECK: scf.for unsigned
  %c0 = arith.constant 0 : i32
  %r = scf.for unsigned %i = %c0 to %n step %n iter_args(%a = %x) -> (f32) : i32 {
    %v = tt.load %p, %m, %x : !tt.ptr<f32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  tt.return %r : f32
}

// CHECK-LABEL: tt.func @loop_that_surely_runs(
tt.func @loop_that_surely_runs(%p: !tt.ptr<f32>, %x: f32) -> f32 {
  // CHECK-NOT: arith.cmpi
  // CHECK: tt.load %{{[a-z0-9]+}} : !tt.ptr<f32>
  // CHECK: scf.for
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %v = tt.load %p : !tt.ptr<f32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  tt.return %r : f32
}

// CHECK-LABEL: tt.func @loop_that_writes(
tt.func @loop_that_writes(%p: !tt.ptr<f32>, %n: i32) {
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %n to %n step %n : i32 {
    %v = tt.load %p : !tt.ptr<f32>
    tt.store %p, %v : !tt.ptr<f32>
  }
  tt.return
}

// CHECK-LABEL: tt.func @loop_that_writes_deep_inside(
tt.func @loop_that_writes_deep_inside(%p: !tt.ptr<i32>, %n: i32, %c: i1) {
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %n to %n step %n : i32 {
    %v = tt.load %p : !tt.ptr<i32>
    scf.if %c {
      %o = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
    }
  }
  tt.return
}

// CHECK-LABEL: tt.func @loop_with_a_barrier(
tt.func @loop_with_a_barrier(%p: !tt.ptr<f32>, %n: i32, %x: f32) -> f32 {
  // CHECK: scf.for
  // CHECK: tt.load
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) : i32 {
    ttg.barrier all
    %v = tt.load %p : !tt.ptr<f32>
    scf.yield %v : f32
  }
  tt.return %r : f32
}

// CHECK-LABEL: tt.func @volatile_load_stays(
tt.func @volatile_load_stays(%p: !tt.ptr<f32>, %n: i32, %x: f32) -> f32 {
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) : i32 {
    %v = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    scf.yield %v : f32
  }
  tt.return %r : f32
}

// CHECK-LABEL: tt.func @loop_that_asks_to_be_left_alone(
tt.func @loop_that_asks_to_be_left_alone(%p: !tt.ptr<f32>, %n: i32, %x: f32) -> f32 {
  // CHECK: scf.for
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: tt.load
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) : i32 {
    %y = arith.mulf %x, %x : f32
    %v = tt.load %p : !tt.ptr<f32>
    %b = arith.addf %y, %v : f32
    scf.yield %b : f32
  } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
  tt.return %r : f32
}

// A division might fault where the loop would not have run.
// CHECK-LABEL: tt.func @division_stays(
tt.func @division_stays(%n: i32, %x: i32) -> i32 {
  // CHECK: scf.for
  // CHECK-NEXT: arith.divsi
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (i32) : i32 {
    %y = arith.divsi %x, %n : i32
    %b = arith.addi %a, %y : i32
    scf.yield %b : i32
  }
  tt.return %r : i32
}
