// RUN: tl-opt --unroll-loops %s | FileCheck %s
// RUN: tl-opt --unroll-loops --canonicalize %s | FileCheck %s --check-prefix=FOLDED
// RUN: tl-opt --unroll-loops=short --simplify %s | FileCheck %s --check-prefix=SHORT
// Loops run several bodies at a time, and what is left over one by one.

// CHECK-LABEL: tt.func @by_two(
// CHECK-SAME: %[[LO:[a-z0-9]+]]: i32, %[[HI:[a-z0-9]+]]: i32
tt.func @by_two(%lo: i32, %hi: i32, %x: f32) -> f32 {
  // The loop is empty unless lo < hi; the trip count is counted without a sign.
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LO]], %[[HI]] : i32
  // CHECK: %[[DISTANCE:.*]] = arith.subi %[[HI]], %[[LO]]
  // CHECK: arith.divui
  // CHECK: arith.select %[[RUNS]]
  // CHECK: arith.remui
  // CHECK: %[[SPLIT:.*]] = arith.select %{{.*}}, %[[HI]], %{{.*}} : i32
  // CHECK: %[[STEP:.*]] = arith.constant 6 : i32
  // CHECK: %[[BULK:.*]] = scf.for %[[I:.*]] = %[[LO]] to %[[SPLIT]] step %[[STEP]] iter_args(%[[A:.*]] = %{{.*}})
  // CHECK: %[[F:.*]] = arith.sitofp %[[I]]
  // CHECK: %[[B:.*]] = arith.addf %[[A]], %[[F]]
  // CHECK: %[[J:.*]] = arith.addi %[[I]], %{{.*}} : i32
  // CHECK: %[[G:.*]] = arith.sitofp %[[J]]
  // CHECK: %[[C:.*]] = arith.addf %[[B]], %[[G]]
  // CHECK: scf.yield %[[C]]
  // CHECK: } {tt.num_stages = 3 : i32}
  // CHECK: scf.for %{{.*}} = %[[SPLIT]] to %[[HI]] step %{{.*}} iter_args(%{{.*}} = %[[BULK]])
  // CHECK: } {tt.num_stages = 1 : i32}
  %c3 = arith.constant 3 : i32
  %r = scf.for %i = %lo to %hi step %c3 iter_args(%a = %x) -> (f32) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %b = arith.addf %a, %f : f32
    scf.yield %b : f32
  } {tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32}
  tt.return %r : f32
}

// A known trip count that the factor divides leaves no second loop.
// FOLDED-LABEL: tt.func @nothing_left_over(
tt.func @nothing_left_over(%p: !tt.ptr<f32>, %x: f32) {
  // FOLDED: scf.for
  // FOLDED-COUNT-4: tt.store
  // FOLDED-NOT: scf.for
  // FOLDED: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// FOLDED-LABEL: tt.func @empty_backwards(
tt.func @empty_backwards(%p: !tt.ptr<f32>, %x: f32) {
  // FOLDED-NEXT: tt.return
  %c5 = arith.constant 5 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c5 to %c0 step %c1 : i32 {
    tt.store %p, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// CHECK-LABEL: tt.func @factor_one(
tt.func @factor_one(%n: i32) {
  // CHECK: scf.for
  // CHECK-NOT: tt.loop_unroll_factor
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  %c1 = arith.constant 1 : i32
  scf.for %i = %n to %n step %c1 : i32 {
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return
}

// CHECK-LABEL: tt.func @step_that_is_not_known(
tt.func @step_that_is_not_known(%n: i32) {
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  scf.for %i = %n to %n step %n : i32 {
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// CHECK-LABEL: tt.func @step_that_would_not_fit(
tt.func @step_that_would_not_fit(%n: i32) {
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  %c = arith.constant 1073741824 : i32
  scf.for %i = %n to %n step %c : i32 {
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// A short loop that loads is unrolled as a whole where that is asked for.
// CHECK-LABEL: tt.func @short(
// CHECK: scf.for
// SHORT-LABEL: tt.func @short(
// SHORT-NOT: scf.for
// SHORT-COUNT-3: tt.load
// SHORT-NOT: tt.load
// SHORT: tt.return
tt.func @short(%p: !tt.ptr<f32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  %r = scf.for %i = %c0 to %c5 step %c2 iter_args(%a = %x) -> (f32) : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %v = tt.load %q : !tt.ptr<f32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  tt.return %r : f32
}

// Not one that is long, says how it is to be run, or has much to do.
// SHORT-LABEL: tt.func @long(
// SHORT: scf.for
// SHORT: scf.for
// SHORT: scf.for
tt.func @long(%p: !tt.ptr<f32>, %x: f32, %large: tensor<8192x!tt.ptr<f32>>) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %v = tt.load %q : !tt.ptr<f32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %r) -> (f32) : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %v = tt.load %q : !tt.ptr<f32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  } {tt.num_stages = 2 : i32}
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %v = tt.load %large : tensor<8192x!tt.ptr<f32>>
    %w = arith.addf %v, %v : tensor<8192xf32>
    tt.store %large, %w : tensor<8192x!tt.ptr<f32>>
  }
  tt.return %s : f32
}

// Nor where another number of copies is asked for.
// SHORT-LABEL: tt.func @short_as_asked(
// SHORT: scf.for
// SHORT: tt.load
// SHORT-NOT: tt.load
// SHORT: scf.for
// SHORT-COUNT-2: tt.load
// SHORT-NOT: tt.load
// SHORT: tt.return
tt.func @short_as_asked(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  scf.for %i = %zero to %four step %one : i32 {
    %from = tt.addptr %p, %i : !tt.ptr<i32>, i32
    %v = tt.load %from : !tt.ptr<i32>
    %to = tt.addptr %q, %i : !tt.ptr<i32>, i32
    tt.store %to, %v : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1 : i32}
  scf.for %i = %zero to %four step %one : i32 {
    %from = tt.addptr %p, %i : !tt.ptr<i32>, i32
    %v = tt.load %from : !tt.ptr<i32>
    %to = tt.addptr %q, %i : !tt.ptr<i32>, i32
    tt.store %to, %v : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}
