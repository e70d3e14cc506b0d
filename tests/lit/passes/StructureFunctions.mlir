// RUN: tl-opt --structure-functions %s | FileCheck %s
// Functions that are called are one block.

// A kernel stays as it is.
// CHECK-LABEL: tt.func public @kernel(
// CHECK: cf.cond_br
// CHECK: tt.call @early
// CHECK: tt.call @counting
// CHECK: tt.call @three_ways
tt.func public @kernel(%o: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %is = arith.cmpi slt, %n, %c1 : i32
  cf.cond_br %is, ^leave, ^stay
^leave:
  tt.return
^stay:
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.call @early(%i) : (i32) -> f32
    %w = tt.call @counting(%i) : (i32) -> f32
    %x = tt.call @three_ways(%i) : (i32) -> f32
    %s = arith.addf %v, %w : f32
    %t = arith.addf %s, %x : f32
    %p = tt.addptr %o, %i : !tt.ptr<f32>, i32
    tt.store %p, %t : !tt.ptr<f32>
  }
  tt.return
}

// CHECK-LABEL: tt.func private @early(
// CHECK-NOT: cf.
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK: } else {
// CHECK: }
// CHECK: tt.return %[[R]] : f32
tt.func private @early(%x: i32) -> f32 {
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %c = arith.constant 3 : i32
  %0 = arith.cmpi eq, %x, %c : i32
  cf.cond_br %0, ^bb1, ^bb2
^bb1:
  tt.return %a : f32
^bb2:
  %d = arith.addf %a, %b : f32
  tt.return %d : f32
}

// CHECK-LABEL: tt.func private @counting(
// CHECK-NOT: cf.
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: tt.return %{{.*}} : f32
tt.func private @counting(%x: i32) -> f32 {
  %a = arith.constant 1.0 : f32
  %one = arith.constant 1 : i32
  cf.br ^loop(%x, %a : i32, f32)
^loop(%i: i32, %sum: f32):
  %more = arith.cmpi sgt, %i, %one : i32
  cf.cond_br %more, ^body, ^end
^body:
  %j = arith.subi %i, %one : i32
  %next = arith.addf %sum, %a : f32
  cf.br ^loop(%j, %next : i32, f32)
^end:
  tt.return %sum : f32
}

// Returns that lie at different depths.
// CHECK-LABEL: tt.func private @three_ways(
// CHECK-NOT: cf.
// CHECK: scf.if
// CHECK: tt.return %{{.*}} : f32
tt.func private @three_ways(%x: i32) -> f32 {
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %c = arith.constant 3 : i32
  %0 = arith.cmpi eq, %x, %c : i32
  cf.cond_br %0, ^one, ^others
^one:
  tt.return %a : f32
^others:
  %1 = arith.cmpi sgt, %x, %c : i32
  cf.cond_br %1, ^two, ^join(%b : f32)
^two:
  %d = arith.mulf %a, %b : f32
  %2 = arith.cmpi ugt, %x, %c : i32
  cf.cond_br %2, ^join(%d : f32), ^four
^four:
  tt.return %b : f32
^join(%e: f32):
  %f = arith.addf %e, %b : f32
  tt.return %f : f32
}
