// RUN: tl-opt --merge-loads %s | FileCheck %s
// What nothing in the kernel writes is loaded once.

// Stores elsewhere change nothing, nor does what is loaded inside of a branch.
// CHECK-LABEL: tt.func public @once(
// CHECK: %[[V:.*]] = tt.load
// CHECK-NOT: tt.load
// CHECK: scf.if
// CHECK: tt.store %{{.*}}, %[[V]]
// CHECK: tt.return
tt.func public @once(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %c: i1) {
  %a = tt.load %p : !tt.ptr<i32>
  tt.store %q, %a : !tt.ptr<i32>
  scf.if %c {
    %b = tt.load %p : !tt.ptr<i32>
    tt.store %q, %b : !tt.ptr<i32>
  }
  tt.return
}

// What the kernel writes itself, what may be the same memory, what is volatile, loaded on another
// way or under another mask stays; so does what is many elements.
// CHECK-LABEL: tt.func public @written(
// CHECK-COUNT-2: tt.load
tt.func public @written(%p: !tt.ptr<i32>) -> i32 {
  %a = tt.load %p : !tt.ptr<i32>
  tt.store %p, %a : !tt.ptr<i32>
  %b = tt.load %p : !tt.ptr<i32>
  tt.return %b : i32
}

// CHECK-LABEL: tt.func public @aliased(
// CHECK-COUNT-2: tt.load
tt.func public @aliased(%p: !tt.ptr<i32> {tt.may_alias}, %q: !tt.ptr<i32> {tt.may_alias}) -> i32 {
  %a = tt.load %p : !tt.ptr<i32>
  tt.store %q, %a : !tt.ptr<i32>
  %b = tt.load %p : !tt.ptr<i32>
  tt.return %b : i32
}

// CHECK-LABEL: tt.func public @volatile(
// CHECK-COUNT-2: tt.load
tt.func public @volatile(%p: !tt.ptr<i32>) -> i32 {
  %a = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %b = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %s = arith.addi %a, %b : i32
  tt.return %s : i32
}

// CHECK-LABEL: tt.func public @beside(
// CHECK-COUNT-3: tt.load
tt.func public @beside(%p: !tt.ptr<i32>, %c: i1, %d: i1) -> i32 {
  %v = scf.if %c -> (i32) {
    %a = tt.load %p : !tt.ptr<i32>
    scf.yield %a : i32
  } else {
    %a = tt.load %p : !tt.ptr<i32>
    scf.yield %a : i32
  }
  %b = tt.load %p, %d : !tt.ptr<i32>
  %s = arith.addi %v, %b : i32
  tt.return %s : i32
}

// CHECK-LABEL: tt.func public @large(
// CHECK-COUNT-2: tt.load
tt.func public @large(%p: !tt.ptr<i32>) -> tensor<1024xi32> {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %q = tt.addptr %ps, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %a = tt.load %q : tensor<1024x!tt.ptr<i32>>
  %b = tt.load %q : tensor<1024x!tt.ptr<i32>>
  %s = arith.addi %a, %b : tensor<1024xi32>
  tt.return %s : tensor<1024xi32>
}

// Others may have written it while the program waited for them.
// CHECK-LABEL: tt.func public @waits(
// CHECK-COUNT-2: tt.load
tt.func public @waits(%p: !tt.ptr<i32>, %lock: !tt.ptr<i32>) -> i32 {
  %true = arith.constant true
  %one = arith.constant 1 : i32
  %a = tt.load %p : !tt.ptr<i32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %lock, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %b = tt.load %p : !tt.ptr<i32>
  %s = arith.addi %a, %b : i32
  tt.return %s : i32
}

// Where the kernel looks out for what others write, all is loaded as it is written.
// CHECK-LABEL: tt.func public @at_a_barrier(
// CHECK-COUNT-2: tt.load
tt.func public @at_a_barrier(%p: !tt.ptr<i32>) -> i32 {
  %a = tt.load %p : !tt.ptr<i32>
  ttg.barrier all
  %b = tt.load %p : !tt.ptr<i32>
  %s = arith.addi %a, %b : i32
  tt.return %s : i32
}

// CHECK-LABEL: tt.func public @beside_a_volatile_load(
// CHECK-COUNT-3: tt.load
tt.func public @beside_a_volatile_load(%p: !tt.ptr<i32>, %flag: !tt.ptr<i32>) -> i32 {
  %a = tt.load %p : !tt.ptr<i32>
  %f = tt.load %flag {isVolatile = true} : !tt.ptr<i32>
  %b = tt.load %p : !tt.ptr<i32>
  %s = arith.addi %a, %b : i32
  %t = arith.addi %s, %f : i32
  tt.return %t : i32
}
