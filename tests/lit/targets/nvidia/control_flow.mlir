// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Branches are taken by all threads; a carried tensor is registers that are carried.

// The rounds of a loop are counted, so that no bound makes the counter wrap: no round if there is
// nothing to do.
// CHECK-LABEL: .entry loop(
// CHECK: setp.
// CHECK: bra
// CHECK: $L__BB0_[[BODY:[0-9]+]]:
// CHECK-NOT: shared
// CHECK: bra
// CHECK: ret;
tt.func public @loop(%x: !tt.ptr<f32>, %lo: i32, %hi: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %s = arith.constant 3 : i32
  %o = scf.for %i = %lo to %hi step %s iter_args(%t = %v) -> (tensor<128xf32>) : i32 {
    %u = math.absf %t : tensor<128xf32>
    %w = arith.addf %u, %v : tensor<128xf32>
    scf.yield %w : tensor<128xf32>
  }
  tt.store %xp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A step that is known when running counts up or down; zero is found before the loop, with or
// without assertions, and reported through a hidden parameter.
// CHECK-LABEL: .entry steps(
// CHECK: .param .u64 .ptr .align 1 steps_param_4
// CHECK: setp.{{(eq|ne)}}.b32
// CHECK: atom.relaxed.gpu.global.cas.b32
// CHECK: div.u32
// CHECK: ret;
tt.func public @steps(%x: !tt.ptr<f32>, %lo: i32, %hi: i32, %step: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = scf.for %i = %lo to %hi step %step iter_args(%t = %v) -> (tensor<128xf32>) : i32 {
    %u = math.absf %t : tensor<128xf32>
    %w = arith.addf %u, %v : tensor<128xf32>
    scf.yield %w : tensor<128xf32>
  }
  tt.store %xp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Of 64 bits, the distance to the bound is counted down, which takes no division.
// CHECK-LABEL: .entry long_steps(
// CHECK-NOT: div.
// CHECK-NOT: call
// CHECK: ret;
tt.func public @long_steps(%x: !tt.ptr<f32>, %lo: i64, %hi: i64, %step: i64) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = scf.for %i = %lo to %hi step %step iter_args(%t = %v) -> (tensor<128xf32>) : i64 {
    %u = math.absf %t : tensor<128xf32>
    %w = arith.addf %u, %v : tensor<128xf32>
    scf.yield %w : tensor<128xf32>
  }
  tt.store %xp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A condition of a loop is asked before each iteration.
// CHECK-LABEL: .entry ask(
// CHECK: $L__BB0_
// CHECK: bra
// CHECK: ret;
tt.func public @ask(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %two = arith.constant 2 : i32
  %o:2 = scf.while (%i = %n, %t = %v) : (i32, tensor<128xf32>) -> (i32, tensor<128xf32>) {
    %go = arith.cmpi sgt, %i, %two : i32
    scf.condition(%go) %i, %t : i32, tensor<128xf32>
  } do {
  ^bb0(%i: i32, %t: tensor<128xf32>):
    %k = arith.divsi %i, %two : i32
    %u = arith.addf %t, %v : tensor<128xf32>
    scf.yield %k, %u : i32, tensor<128xf32>
  }
  tt.store %xp, %o#1 : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Returning early is a branch to the end; nothing is stored.
// CHECK-LABEL: .entry early(
// CHECK: setp
// CHECK: bra
// CHECK: ld.global
// CHECK: st.global
// CHECK: ret;
tt.func public @early(%x: !tt.ptr<f32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %c = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %c, ^out, ^go
^out:
  tt.return
^go:
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %v, %v : tensor<128xf32>
  tt.store %xp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// What one program writes and reads again by other threads has a barrier between; what each thread
// reads of its own has none.
// CHECK-LABEL: .entry own(
// CHECK: ld.global
// CHECK: st.global
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @own(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %v, %v : tensor<128xf32>
  tt.store %xp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry others(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: ret;
tt.func public @others(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %d = arith.addf %v, %v : tensor<128xf32>
  tt.store %xp, %d : tensor<128x!tt.ptr<f32>>
  %last = arith.constant dense<127> : tensor<128xi32>
  %back = arith.subi %last, %r : tensor<128xi32>
  %q = tt.addptr %xs, %back : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %o = tt.load %q : tensor<128x!tt.ptr<f32>>
  tt.store %xp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// In a function of single elements each thread goes its own way: it reads for itself, after the
// barrier that orders the whole.
// CHECK-LABEL: .entry elements(
// CHECK: st.global
// CHECK: bar.sync
// CHECK-NOT: bar.sync
// CHECK: ld.global
// CHECK: ret;
tt.func public @elements(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %f = arith.sitofp %r : tensor<128xi32> to tensor<128xf32>
  tt.store %xp, %f : tensor<128x!tt.ptr<f32>>
  %o = "tt.map_elementwise"(%f) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    %i = arith.fptosi %e : f32 to i32
    %m = arith.constant 127 : i32
    %j = arith.subi %m, %i : i32
    %p = tt.addptr %x, %j : !tt.ptr<f32>, i32
    %l = tt.load %p : !tt.ptr<f32>
    tt.map_elementwise.return %l : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  %m128 = arith.constant dense<128> : tensor<128xi32>
  %q = tt.addptr %xp, %m128 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %q, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}
