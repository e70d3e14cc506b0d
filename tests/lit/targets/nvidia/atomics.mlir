// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=OLD
// Atomics: the order and scope of the program, the form without an answer where none is asked for,
// one holder of each element, and loops of compare-and-swap where there is no instruction.

// CHECK-LABEL: .entry unused(
// CHECK: red.relaxed.gpu.global.add.u32
// CHECK-NOT: atom
// CHECK: ret;
tt.func public @unused(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %o = tt.atomic_rmw add, relaxed, gpu, %p, %r : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>) -> tensor<128xi32>
  tt.return
}

// CHECK-LABEL: .entry used(
// CHECK: atom.acq_rel.sys.global.add.u32
// CHECK: ret;
tt.func public @used(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %o = tt.atomic_rmw add, acq_rel, sys, %p, %r : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>) -> tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Masks are predicates. All orders, scopes and operations have names. What is acquired counts only
// with the result.
// CHECK-LABEL: .entry all(
// CHECK: @%p{{[0-9]+}} red.relaxed.cta.global.and.b32
// CHECK: @%p{{[0-9]+}} red.release.gpu.global.or.b32
// CHECK: @%p{{[0-9]+}} red.relaxed.sys.global.xor.b32
// CHECK: @%p{{[0-9]+}} red.relaxed.gpu.global.max.s32
// CHECK: @%p{{[0-9]+}} red.relaxed.gpu.global.min.s32
// CHECK: @%p{{[0-9]+}} red.relaxed.gpu.global.max.u32
// CHECK: @%p{{[0-9]+}} red.relaxed.gpu.global.min.u32
// CHECK: @%p{{[0-9]+}} atom.relaxed.gpu.global.exch.b32
// CHECK: ret;
tt.func public @all(%x: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %1 = tt.atomic_rmw and, relaxed, cta, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  %2 = tt.atomic_rmw or, release, gpu, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  %3 = tt.atomic_rmw xor, acquire, sys, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  %4 = tt.atomic_rmw max, relaxed, gpu, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  %5 = tt.atomic_rmw min, relaxed, gpu, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  %6 = tt.atomic_rmw umax, relaxed, gpu, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  %7 = tt.atomic_rmw umin, relaxed, gpu, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  %8 = tt.atomic_rmw exch, relaxed, gpu, %p, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  tt.return
}

// One fence releases for all that a thread adds, and stands outside of loops, which additions of 16
// bits are in the hardware's hands.
// CHECK-LABEL: .entry several(
// CHECK: fence.acq_rel.gpu;
// CHECK-COUNT-4: red.relaxed.gpu.global.add.u32
// CHECK: fence.acq_rel.gpu;
// CHECK: atom.acquire.gpu.global.add.noftz.bf16
// CHECK-NOT: fence
// CHECK: ret;
tt.func public @several(%x: !tt.ptr<i32>, %y: !tt.ptr<bf16>, %z: !tt.ptr<bf16>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %r : (tensor<512x!tt.ptr<i32>>, tensor<512xi32>) -> tensor<512xi32>
  %one = arith.constant 1.0 : bf16
  %1 = tt.atomic_rmw fadd, acq_rel, gpu, %y, %one : (!tt.ptr<bf16>, bf16) -> bf16
  tt.store %z, %1 : !tt.ptr<bf16>
  tt.return
}

// Eight threads of the 128 hold the tensor for the others.
// CHECK-LABEL: .entry few(
// CHECK: setp.lt.u32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 8;
// CHECK: @[[P]] red.relaxed.gpu.global.add.f32
// CHECK: ret;
tt.func public @few(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %one : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// A scalar is changed by one thread, which tells the others.
// CHECK-LABEL: .entry ticket(
// CHECK: setp.eq.b32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 0;
// CHECK: @[[P]] atom.acq_rel.gpu.global.add.u32
// CHECK: st.shared.b32
// CHECK: bar.sync
// CHECK: ld.shared.b32
// CHECK: ret;
tt.func public @ticket(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %one = arith.constant 1 : i32
  %t = tt.atomic_rmw add, acq_rel, gpu, %x, %one : (!tt.ptr<i32>, i32) -> i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ts = tt.splat %t : i32 -> tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %ts : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Halves: an instruction for f16 everywhere, for bf16 from sm_90 on; a loop before.
// CHECK-LABEL: .entry half(
// CHECK: red.relaxed.gpu.global.add.noftz.f16
// CHECK: ret;
// OLD-LABEL: .entry half(
// OLD: red.relaxed.gpu.global.add.noftz.f16
// OLD: ret;
tt.func public @half(%x: !tt.ptr<f16>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf16>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %one : (tensor<128x!tt.ptr<f16>>, tensor<128xf16>) -> tensor<128xf16>
  tt.return
}
// CHECK-LABEL: .entry bf16(
// CHECK: red.relaxed.gpu.global.add.noftz.bf16
// CHECK: ret;
// OLD-LABEL: .entry bf16(
// OLD: atom.relaxed.gpu.global.cas.b16
// OLD: ret;
tt.func public @bf16(%x: !tt.ptr<bf16>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xbf16>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<bf16>>, tensor<128xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %one : (tensor<128x!tt.ptr<bf16>>, tensor<128xbf16>) -> tensor<128xbf16>
  tt.return
}

// CHECK-LABEL: .entry narrow(
// CHECK: atom.relaxed.gpu.global.cas.b16
// CHECK: ret;
tt.func public @narrow(%x: !tt.ptr<i16>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %one = arith.constant dense<1> : tensor<128xi16>
  %xs = tt.splat %x : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i16>>, tensor<128xi32>
  %o = tt.atomic_rmw max, relaxed, gpu, %p, %one : (tensor<128x!tt.ptr<i16>>, tensor<128xi16>) -> tensor<128xi16>
  tt.return
}

// CHECK-LABEL: .entry wide(
// CHECK: red.relaxed.gpu.global.add.f64
// CHECK: red.relaxed.gpu.global.add.u64
// CHECK: red.relaxed.gpu.global.min.u64
// CHECK: ret;
tt.func public @wide(%x: !tt.ptr<f64>, %y: !tt.ptr<i64>) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2 : i64
  %a = tt.atomic_rmw fadd, relaxed, gpu, %x, %one : (!tt.ptr<f64>, f64) -> f64
  %b = tt.atomic_rmw add, relaxed, gpu, %y, %two : (!tt.ptr<i64>, i64) -> i64
  %c = tt.atomic_rmw umin, relaxed, gpu, %y, %two : (!tt.ptr<i64>, i64) -> i64
  tt.return
}

// CHECK-LABEL: .entry swap(
// CHECK: atom.acquire.gpu.global.cas.b16
// CHECK: atom.acq_rel.gpu.global.cas.b32
// CHECK: atom.relaxed.cta.global.cas.b64
// CHECK: ret;
tt.func public @swap(%x: !tt.ptr<i16>, %y: !tt.ptr<f32>, %z: !tt.ptr<i64>) {
  %a = arith.constant 1 : i16
  %b = arith.constant 1.0 : f32
  %c = arith.constant 1 : i64
  %0 = tt.atomic_cas acquire, gpu, %x, %a, %a : (!tt.ptr<i16>, i16, i16) -> i16
  %1 = tt.atomic_cas acq_rel, gpu, %y, %b, %b : (!tt.ptr<f32>, f32, f32) -> f32
  %2 = tt.atomic_cas relaxed, cta, %z, %c, %c : (!tt.ptr<i64>, i64, i64) -> i64
  tt.return
}

// Lanes whose mask is false jump over the instruction.
// CHECK-LABEL: .entry masked_swap(
// CHECK: setp.ge.s32 [[OUT:%p[0-9]+]]
// CHECK-NEXT: @[[OUT]] bra [[END:\$L[_A-Z0-9]+]];
// CHECK: atom.acq_rel.gpu.global.cas.b32
// CHECK: [[END]]:
// CHECK: ret;
tt.func public @masked_swap(%x: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<128xi32>
  %zero = arith.constant dense<0> : tensor<128xi32>
  %0 = tt.atomic_cas acq_rel, gpu, %p, %zero, %r, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  tt.return
}

// Neighbours at aligned addresses are changed by one instruction: eight halves
// CHECK-LABEL: .entry halves8(
// CHECK: red.relaxed.gpu.global.add.noftz.v4.f16x2{{ }}
// CHECK: ret;
// OLD-LABEL: .entry halves8(
// OLD: red.relaxed.gpu.global.add.noftz.f16x2{{ }}
// OLD: ret;
tt.func public @halves8(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %q : tensor<1024x!tt.ptr<f16>>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<1024x!tt.ptr<f16>>, tensor<1024xf16>) -> tensor<1024xf16>
  tt.return
}

// or bf16 from sm_90 on
// CHECK-LABEL: .entry brains8(
// CHECK: red.release.gpu.global.add.noftz.v4.bf16x2{{ }}
// CHECK: ret;
// OLD-LABEL: .entry brains8(
// OLD: fence.acq_rel.gpu;
// OLD: atom.relaxed.gpu.global.cas.b16{{ }}
// OLD: ret;
tt.func public @brains8(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %v = tt.load %q : tensor<1024x!tt.ptr<bf16>>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %o = tt.atomic_rmw fadd, release, gpu, %p, %v : (tensor<1024x!tt.ptr<bf16>>, tensor<1024xbf16>) -> tensor<1024xbf16>
  tt.return
}

// four floats
// CHECK-LABEL: .entry floats4(
// CHECK: red.relaxed.gpu.global.add.v4.f32{{ }}
// CHECK: ret;
// OLD-LABEL: .entry floats4(
// OLD: red.relaxed.gpu.global.add.f32{{ }}
// OLD: ret;
tt.func public @floats4(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %q : tensor<512x!tt.ptr<f32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<512x!tt.ptr<f32>>, tensor<512xf32>) -> tensor<512xf32>
  tt.return
}

// with their old values where the program uses them.
// CHECK-LABEL: .entry halves_old(
// CHECK: atom.acq_rel.gpu.global.add.noftz.v4.f16x2{{ }}
// CHECK: ret;
// OLD-LABEL: .entry halves_old(
// OLD: fence.acq_rel.gpu;
// OLD: atom.acquire.gpu.global.add.noftz.f16x2{{ }}
// OLD: ret;
tt.func public @halves_old(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %q : tensor<1024x!tt.ptr<f16>>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %o = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v : (tensor<1024x!tt.ptr<f16>>, tensor<1024xf16>) -> tensor<1024xf16>
  tt.store %q, %o : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// Not if a mask may part them,
// CHECK-LABEL: .entry ragged(
// CHECK: @%p{{[0-9]+}} red.relaxed.gpu.global.add.noftz.f16{{ }}
// CHECK: ret;
// OLD-LABEL: .entry ragged(
// OLD: @%p{{[0-9]+}} red.relaxed.gpu.global.add.noftz.f16{{ }}
// OLD: ret;
tt.func public @ragged(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %q : tensor<1024x!tt.ptr<f16>>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v, %m : (tensor<1024x!tt.ptr<f16>>, tensor<1024xf16>, tensor<1024xi1>) -> tensor<1024xf16>
  tt.return
}

// nor at an odd address.
// CHECK-LABEL: .entry unaligned(
// CHECK: red.relaxed.gpu.global.add.noftz.f16{{ }}
// CHECK: ret;
// OLD-LABEL: .entry unaligned(
// OLD: red.relaxed.gpu.global.add.noftz.f16{{ }}
// OLD: ret;
tt.func public @unaligned(%x: !tt.ptr<f16> {tt.divisibility = 2 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %q : tensor<1024x!tt.ptr<f16>>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<1024x!tt.ptr<f16>>, tensor<1024xf16>) -> tensor<1024xf16>
  tt.return
}
