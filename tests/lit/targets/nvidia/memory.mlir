// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Accesses of global memory: as wide as addresses, alignment and masks allow, predicated, and with
// the hints of the program.

// Aligned neighbours move 16 bytes at a time.
// CHECK-LABEL: .entry wide(
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK-NOT: {{ld|st}}.global
// CHECK: ret;
tt.func public @wide(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// So do eight halves, sixteen bytes, two doubles.
// CHECK-LABEL: .entry halves(
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK: ret;
tt.func public @halves(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f16>>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f16>>
  tt.return
}
// CHECK-LABEL: .entry bytes(
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK: ret;
tt.func public @bytes(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %r : tensor<2048x!tt.ptr<i8>>, tensor<2048xi32>
  %v = tt.load %xp : tensor<2048x!tt.ptr<i8>>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %r : tensor<2048x!tt.ptr<i8>>, tensor<2048xi32>
  tt.store %yp, %v : tensor<2048x!tt.ptr<i8>>
  tt.return
}
// CHECK-LABEL: .entry doubles(
// CHECK: ld.global.v2.b64
// CHECK: st.global.v2.b64
// CHECK: ret;
tt.func public @doubles(%x: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f64> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f64> -> tensor<256x!tt.ptr<f64>>
  %xp = tt.addptr %xs, %r : tensor<256x!tt.ptr<f64>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f64>>
  %ys = tt.splat %y : !tt.ptr<f64> -> tensor<256x!tt.ptr<f64>>
  %yp = tt.addptr %ys, %r : tensor<256x!tt.ptr<f64>>, tensor<256xi32>
  tt.store %yp, %v : tensor<256x!tt.ptr<f64>>
  tt.return
}

// Nothing is known of the address: one element at a time.
// CHECK-LABEL: .entry unaligned(
// CHECK-NOT: .v{{[248]}}
// CHECK-COUNT-4: ld.global.b32
// CHECK-NOT: .v{{[248]}}
// CHECK: ret;
tt.func public @unaligned(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// A bound that is a multiple of 16 masks whole vectors. What is masked is a constant of each register's own.
// CHECK-LABEL: .entry bounded(
// CHECK-COUNT-4: mov.b32 %r{{[0-9]+}}, 0;
// CHECK: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK: @%p{{[0-9]+}} st.global.v4.b32
// CHECK: ret;
tt.func public @bounded(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp, %m : tensor<512x!tt.ptr<f32>>
  tt.store %xp, %v, %m : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Any other bound cuts one vector at most, whose elements are masked one by one, in a branch.
// CHECK-LABEL: .entry ragged(
// CHECK: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK: bra
// CHECK-COUNT-4: @%p{{[0-9]+}} ld.global.b32
// CHECK-COUNT-4: @%p{{[0-9]+}} st.global.b32
// CHECK: @%p{{[0-9]+}} st.global.v4.b32
// CHECK: ret;
tt.func public @ragged(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp, %m : tensor<512x!tt.ptr<f32>>
  tt.store %xp, %v, %m : tensor<512x!tt.ptr<f32>>
  tt.return
}

// What was loaded is taken apart after all branches: none of them waits for it.
// CHECK-LABEL: .entry ragged_halves(
// CHECK: @%p{{[0-9]+}} ld.global.v4.b32 {%r[[#A:]],
// CHECK-NOT: mov.b32 {{.}}%rs{{[0-9]+}}, %rs{{[0-9]+}}}, %r[[#A]]
// CHECK: bra
// CHECK-COUNT-8: @%p{{[0-9]+}} ld.global.b16
// CHECK-COUNT-8: @%p{{[0-9]+}} st.global.b16
// CHECK: @%p{{[0-9]+}} st.global.v4.b32
// CHECK: ret;
tt.func public @ragged_halves(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f16>>
  tt.store %xp, %v, %m : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// Masks that may change twice among neighbours are those of single elements: with two ends, or of numbers
// below zero that are compared without a sign.
// CHECK-LABEL: .entry two_ends(
// CHECK-NOT: {{(ld|st)}}.global.v
// CHECK: ret;
tt.func public @two_ends(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %below = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %c5 = arith.constant dense<5> : tensor<1024xi32>
  %above = arith.cmpi sge, %r, %c5 : tensor<1024xi32>
  %m = arith.andi %below, %above : tensor<1024xi1>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  tt.store %xp, %v, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}
// CHECK-LABEL: .entry without_sign(
// CHECK-NOT: {{(ld|st)}}.global.v
// CHECK: ret;
tt.func public @without_sign(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %c5 = arith.constant dense<5> : tensor<1024xi32>
  %shifted = arith.subi %r, %c5 : tensor<1024xi32>
  %m = arith.cmpi ult, %shifted, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  tt.store %xp, %v, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// What several registers of a thread would load from one address is loaded once.
// CHECK-LABEL: .entry repeated(
// CHECK-COUNT-1: ld.global.b32
// CHECK-NOT: ld.global
// CHECK: ret;
tt.func public @repeated(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %c4 = arith.constant dense<4> : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %g = arith.divsi %r, %c4 : tensor<512xi32>
  %m = arith.cmpi slt, %g, %ns : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %g : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp, %m : tensor<512x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// A mask of every fourth element keeps the other three as they are.
// CHECK-LABEL: .entry every_fourth(
// CHECK-NOT: st.global.v
// CHECK: st.global.b32
// CHECK-NOT: st.global.v
// CHECK: ret;
tt.func public @every_fourth(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %three = arith.constant dense<3> : tensor<512xi32>
  %one = arith.constant dense<1> : tensor<512xi32>
  %seven = arith.constant dense<7> : tensor<512xi32>
  %low = arith.andi %r, %three : tensor<512xi32>
  %m = arith.cmpi eq, %low, %one : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %xp, %seven, %m : tensor<512x!tt.ptr<i32>>
  tt.return
}

// What a masked load leaves out is `other`: the registers start with it.
// CHECK-LABEL: .entry filled(
// CHECK: mov.b32 [[R:%r[0-9]+]], 1077936128;
// CHECK: @%p{{[0-9]+}} ld.global.b32 {{%r[0-9]+}}
// CHECK: ret;
tt.func public @filled(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %other = arith.constant dense<3.0> : tensor<128xf32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp, %m, %other : tensor<128x!tt.ptr<f32>>
  tt.store %xp, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Hints become modifiers.
// CHECK-LABEL: .entry hints(
// CHECK: ld.global.ca.b32
// CHECK: ld.global.cg.b32
// CHECK: ld.global.cs.b32
// CHECK: ld.global.cv.b32
// CHECK: ld.global.L1::evict_first.b32
// CHECK: ld.global.L1::evict_last.b32
// CHECK: ld.volatile.global.b32
// CHECK: st.global.wb.b32
// CHECK: st.global.cg.b32
// CHECK: st.global.cs.b32
// CHECK: st.global.wt.b32
// CHECK: st.global.L1::evict_first.b32
// CHECK: st.global.L1::evict_last.b32
// CHECK: ret;
tt.func public @hints(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %a = tt.load %p cacheModifier = ca : tensor<128x!tt.ptr<i32>>
  %b = tt.load %p cacheModifier = cg : tensor<128x!tt.ptr<i32>>
  %c = tt.load %p cacheModifier = cs : tensor<128x!tt.ptr<i32>>
  %d = tt.load %p cacheModifier = cv : tensor<128x!tt.ptr<i32>>
  %e = tt.load %p evictionPolicy = evict_first : tensor<128x!tt.ptr<i32>>
  %f = tt.load %p evictionPolicy = evict_last : tensor<128x!tt.ptr<i32>>
  %g = tt.load %p {isVolatile = true} : tensor<128x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %a cacheModifier = wb : tensor<128x!tt.ptr<i32>>
  tt.store %q, %b cacheModifier = cg : tensor<128x!tt.ptr<i32>>
  tt.store %q, %c cacheModifier = cs : tensor<128x!tt.ptr<i32>>
  tt.store %q, %d cacheModifier = wt : tensor<128x!tt.ptr<i32>>
  tt.store %q, %e evictionPolicy = evict_first : tensor<128x!tt.ptr<i32>>
  tt.store %q, %f evictionPolicy = evict_last : tensor<128x!tt.ptr<i32>>
  tt.store %q, %g : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Offsets are extended to 64 bits before they are scaled: 2^31 elements of 4 bytes do not wrap.
// CHECK-LABEL: .entry far(
// CHECK: mul.wide.s32 %rd{{[0-9]+}}, %r{{[0-9]+}}, 4;
// CHECK: ret;
tt.func public @far(%x: !tt.ptr<i32>, %row: i32) {
  %p = tt.addptr %x, %row : !tt.ptr<i32>, i32
  %v = tt.load %p : !tt.ptr<i32>
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// Offsets of 64 bits stay so.
// CHECK-LABEL: .entry farther(
// CHECK-NOT: cvt.u32.u64
// CHECK: shl.b64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 2;
// CHECK: ret;
tt.func public @farther(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %row: i64) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %w = arith.extsi %r : tensor<128xi32> to tensor<128xi64>
  %s = tt.splat %row : i64 -> tensor<128xi64>
  %o = arith.addi %w, %s : tensor<128xi64>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi64>
  %v = tt.load %p : tensor<128x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}

// More threads than elements: one holder stores.
// CHECK-LABEL: .entry small(
// CHECK: setp.lt.u32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 16;
// CHECK: @[[P]] st.global.b32
// CHECK: ret;
tt.func public @small(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %p, %r : tensor<16x!tt.ptr<i32>>
  tt.return
}

// A scalar is stored once.
// CHECK-LABEL: .entry scalar(
// CHECK: setp.eq.b32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 0;
// CHECK: @[[P]] st.global.b32
// CHECK: ret;
tt.func public @scalar(%x: !tt.ptr<i32>, %n: i32) {
  tt.store %x, %n : !tt.ptr<i32>
  tt.return
}

// Truth is a byte.
// CHECK-LABEL: .entry truth(
// CHECK: ld.global.b8
// CHECK: st.global.b8
// CHECK: ret;
tt.func public @truth(%x: !tt.ptr<i1>, %y: !tt.ptr<i1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i1> -> tensor<128x!tt.ptr<i1>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i1>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i1>>
  %ys = tt.splat %y : !tt.ptr<i1> -> tensor<128x!tt.ptr<i1>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i1>>, tensor<128xi32>
  tt.store %yp, %v : tensor<128x!tt.ptr<i1>>
  tt.return
}

// Promises about parameters and the variable of a loop make accesses as wide as known alignment does.
// CHECK-LABEL: .entry promised(
// CHECK: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: ret;
tt.func public @promised(%x: !tt.ptr<f32>, %stride: i32, %low: i32, %high: i32, %step: i32, %out: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %zero = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<512xf32>
  %sum = scf.for %i = %low to %high step %step iter_args(%s = %zeros) -> (tensor<512xf32>) : i32 {
    %i4 = arith.addi %i, %zero {tt.divisibility = dense<4> : tensor<1xi32>} : i32
    %x16 = tt.addptr %x, %zero {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>, i32
    %pid = tt.get_program_id x : i32
    %stride4 = arith.addi %stride, %zero {tt.divisibility = dense<4> : tensor<1xi32>} : i32
    %row = arith.muli %pid, %stride4 : i32
    %p = tt.addptr %x16, %row : !tt.ptr<f32>, i32
    %q = tt.addptr %p, %i4 : !tt.ptr<f32>, i32
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %xp = tt.addptr %qs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
    %t = arith.addf %s, %v : tensor<512xf32>
    scf.yield %t : tensor<512xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %op, %sum : tensor<512x!tt.ptr<f32>>
  tt.return
}
