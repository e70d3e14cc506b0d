// RUN: tl-opt %s --split-input-file --verify-diagnostics
// tt.grid_barrier is refused where not every program would come to it.

tt.func @if(%n: i32) {
  %id = tt.get_program_id x : i32
  %first = arith.cmpi slt, %id, %n : i32
  scf.if %first {
    // expected-error @below {{is in a branch that depends on the program's id or the old value of an atomic, so that not every program would reach it}}
    tt.grid_barrier
  }
  tt.return
}

// -----

tt.func @for(%n: i32) {
  %c1 = arith.constant 1 : i32
  %id = tt.get_program_id y : i32
  %true = arith.constant true
  %low = scf.if %true -> i32 {
    scf.yield %id : i32
  } else {
    scf.yield %n : i32
  }
  scf.for %i = %low to %n step %c1 : i32 {
    // expected-error @below {{is in a loop whose bounds depend on the program's id}}
    tt.grid_barrier
  }
  tt.return
}

// -----

tt.func @while(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  scf.while : () -> () {
    %ticket = tt.atomic_rmw add, relaxed, gpu, %p, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %more = arith.cmpi slt, %ticket, %n : i32
    scf.condition(%more)
  } do {
    // expected-error @below {{is in a loop whose condition depends on the program's id or the old value of an atomic}}
    tt.grid_barrier
    scf.yield
  }
  tt.return
}

// -----

tt.func @carried(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %id = tt.get_program_id x : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> i32 : i32 {
    %next = arith.addi %s, %id : i32
    scf.yield %next : i32
  }
  %some = arith.cmpi eq, %sum, %c0 : i32
  scf.if %some {
    // expected-error @below {{is in a branch that depends on the program's id}}
    tt.grid_barrier
  }
  tt.return
}

// -----

tt.func @blocks(%n: i32) {
  %id = tt.get_program_id x : i32
  %some = arith.cmpi slt, %id, %n : i32
  cf.cond_br %some, ^meet, ^end
^meet:
  // expected-error @below {{follows a branch that depends on the program's id}}
  tt.grid_barrier
  cf.br ^end
^end:
  tt.return
}

// -----

tt.func @reduction(%x: tensor<16xf32>) {
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{is in a region of 'tt.reduce', which does not run once for each program}}
    tt.grid_barrier
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16xf32>) -> f32
  tt.return
}
