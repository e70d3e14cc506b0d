// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// One instruction an operation where there is one, and the corner cases of integers that the rules
// of the language want: division never traps, shifts may be wider than the type.

// A multiplication and an addition are one, unless the program says otherwise.
// CHECK-LABEL: .entry fused(
// CHECK: fma.rn.f32
// CHECK-NOT: mul.
// CHECK: ret;
tt.func public @fused(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %m = arith.mulf %v, %v : tensor<128xf32>
  %o = arith.addf %m, %v : tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Arithmetic keeps denormals.
// CHECK-LABEL: .entry kept(
// CHECK-NOT: .ftz
// CHECK: {{add(.rn)?}}.f32
// CHECK-NOT: .ftz
// CHECK: ret;
tt.func public @kept(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %v, %v : tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Halves are added in f32 and rounded once.
// CHECK-LABEL: .entry halves(
// CHECK: cvt.f32.f16
// CHECK: cvt.rn.f16{{(x2)?}}.f32
// CHECK: ret;
tt.func public @halves(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f16>>
  %o = arith.divf %v, %v : tensor<128xf16>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f16>>
  tt.return
}

// The number wins over NaN in the one, NaN in the other.
// CHECK-LABEL: .entry extremes(
// CHECK: max.f32
// CHECK: max.NaN.f32
// CHECK: min.f32
// CHECK: min.NaN.f32
// CHECK: ret;
tt.func public @extremes(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %c = arith.constant dense<2.0> : tensor<128xf32>
  %1 = arith.maxnumf %v, %c : tensor<128xf32>
  %2 = arith.maximumf %1, %v : tensor<128xf32>
  %3 = arith.minnumf %2, %v : tensor<128xf32>
  %o = arith.minimumf %3, %v : tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A divisor of zero does not reach the instruction, which divides magnitudes.
// CHECK-LABEL: .entry division(
// CHECK: setp.eq.b32 [[ZERO:%p[0-9]+]], [[B:%r[0-9]+]], 0;
// CHECK: {{max.u32|selp.b32}} [[D:%r[0-9]+]], [[B]], 1
// CHECK: abs.s32 [[M:%r[0-9]+]], [[D]];
// CHECK: div.u32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[M]];
// CHECK: selp.b32 %r{{[0-9]+}}, 0, %r{{[0-9]+}}, [[ZERO]];
// CHECK: ret;
tt.func public @division(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i32>>
  %b = arith.constant dense<7> : tensor<128xi32>
  %s = arith.subi %v, %b : tensor<128xi32>
  %o = arith.divsi %v, %s : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// A known divisor needs no division.
// CHECK-LABEL: .entry known_divisor(
// CHECK-NOT: div.
// CHECK: {{mul.hi|mul.wide|mad.hi}}
// CHECK: ret;
tt.func public @known_divisor(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i32>>
  %b = arith.constant dense<7> : tensor<128xi32>
  %o = arith.divsi %v, %b : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// A shift by the width or more gives 0, an arithmetic one the sign.
// CHECK-LABEL: .entry shifts(
// CHECK: setp.{{lt|gt}}.u32
// CHECK: {{shl.b32|selp.b32}}
// CHECK: {{shr.s32|min.u32}}
// CHECK: ret;
tt.func public @shifts(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i32>>
  %1 = arith.shli %v, %v : tensor<128xi32>
  %o = arith.shrsi %1, %v : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Floats saturate on their way to integers, NaN gives 0: all by the one instruction.
// CHECK-LABEL: .entry to_integer(
// CHECK: cvt.rzi.s32.f32
// CHECK-NOT: setp
// CHECK-NOT: selp
// CHECK: ret;
tt.func public @to_integer(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = arith.fptosi %v : tensor<128xf32> to tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// To 8 and 16 bits, too; a number that is rounded away from zero on the way takes no comparison either.
// CHECK-LABEL: .entry to_byte(
// CHECK-NOT: setp
// CHECK: cvt.rzi.f32.f32
// CHECK: cvt.rzi.s8.f32
// CHECK-NOT: max.s
// CHECK-NOT: min.s
// CHECK-NOT: setp
// CHECK: ret;
tt.func public @to_byte(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %n = math.round %v : tensor<128xf32>
  %o = arith.fptosi %n : tensor<128xf32> to tensor<128xi8>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i8>>
  tt.return
}

// CHECK-LABEL: .entry to_short(
// CHECK: cvt.rzi.s16.f32
// CHECK-NOT: max.s
// CHECK: ret;
tt.func public @to_short(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = arith.fptosi %v : tensor<128xf32> to tensor<128xi16>
  %ys = tt.splat %y : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i16>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i16>>
  tt.return
}

// CHECK-LABEL: .entry to_unsigned(
// CHECK: cvt.rzi.u8.f32
// CHECK-NOT: min.u
// CHECK: ret;
tt.func public @to_unsigned(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = arith.fptoui %v : tensor<128xf32> to tensor<128xi8>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i8>>
  tt.return
}

// Signs of narrow integers are extended where the program says so.
// CHECK-LABEL: .entry signs(
// CHECK: {{ld.global.s8|cvt.s32.s8|prmt.b32|bfe.s32}}
// CHECK: ret;
tt.func public @signs(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i8>>
  %w = arith.extsi %v : tensor<128xi8> to tensor<128xi32>
  %b = arith.constant dense<3> : tensor<128xi32>
  %o = arith.muli %w, %b : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// The upper half of a product is one instruction.
// CHECK-LABEL: .entry mulhi(
// CHECK: mul.hi.u32
// CHECK: ret;
tt.func public @mulhi(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i32>>
  %o = tt.mulhiui %v, %v : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Square roots are rounded correctly where the program asks for that.
// CHECK-LABEL: .entry root(
// CHECK: sqrt.rn.f32
// CHECK: ret;
tt.func public @root(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = tt.precise_sqrt %v : tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// So are quotients.
// CHECK-LABEL: .entry quotient(
// CHECK: div.rn.f32
// CHECK: ret;
tt.func public @quotient(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %c = arith.constant dense<2.5> : tensor<128xf32>
  %k = arith.addf %v, %c : tensor<128xf32>
  %o = tt.precise_divf %v, %k : tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Exponentials use the special function unit.
// CHECK-LABEL: .entry exponential(
// CHECK: ex2.approx
// CHECK: ret;
tt.func public @exponential(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = math.exp2 %v : tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Functions are a part of the kernel, whether a CUDA Toolkit is there or not.
// CHECK-LABEL: .entry function(
// CHECK-NOT: call
// CHECK: fma.rn.f32
// CHECK-NOT: call
// CHECK: ret;
tt.func public @function(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %o = math.log1p %v : tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A multiply-add of 16 bits is one instruction.
// CHECK-LABEL: .entry fma_of_16_bits(
// CHECK-NOT: cvt.
// CHECK-DAG: fma.rn.bf16
// CHECK-DAG: fma.rn.f16
// CHECK-NOT: cvt.
// CHECK: ret;
tt.func public @fma_of_16_bits(%x: !tt.ptr<bf16>, %y: !tt.ptr<f16>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<bf16>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<bf16>>
  %w = math.fma %v, %v, %v : tensor<128xbf16>
  tt.store %xp, %w : tensor<128x!tt.ptr<bf16>>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %u = tt.load %yp : tensor<128x!tt.ptr<f16>>
  %t = math.fma %u, %u, %u : tensor<128xf16>
  tt.store %yp, %t : tensor<128x!tt.ptr<f16>>
  tt.return
}

// A select is a select.
// CHECK-LABEL: .entry select(
// CHECK: selp.
// CHECK: ret;
tt.func public @select(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %c = arith.constant dense<0.0> : tensor<128xf32>
  %m = arith.cmpf olt, %v, %c : tensor<128xf32>
  %e = arith.constant dense<9.0> : tensor<128xf32>
  %o = arith.select %m, %e, %v : tensor<128xi1>, tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Assembly of the user: packed elements share a register, and several results come back.
// CHECK-LABEL: .entry assembly(
// CHECK: add.u32
// CHECK: { mov.b32
// CHECK: }
// CHECK: ret;
tt.func public @assembly(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<i8>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<i8>>
  %p = tt.elementwise_inline_asm "add.u32 $0, $1, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %v : tensor<512xi8> -> tensor<512xi8>
  %q, %o = tt.elementwise_inline_asm "{ mov.b32 $0, $2; not.b32 $1, $2; }" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %p : tensor<512xi8> -> tensor<512xi8>, tensor<512xi8>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<i8>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<i8>>
  tt.return
}

// A pair of fp8 is widened before its bytes go into words with others: ptxas of CUDA 13.0 crashes on what LLVM makes of
// them otherwise.
// CHECK-LABEL: .entry pairs(
// CHECK: cvt.rn.satfinite.e4m3x2.f32 %[[PAIR:rs[0-9]+]],
// CHECK: cvt.u32.u16 %r{{[0-9]+}}, %[[PAIR]];
// CHECK: ret;
tt.func public @pairs(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %h = tt.fp_to_fp %v, rounding = rtne : tensor<512xf32> -> tensor<512xf8E4M3FN>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f8E4M3FN>>, tensor<512xi32>
  tt.store %yp, %h : tensor<512x!tt.ptr<f8E4M3FN>>
  tt.return
}

// Quotients of 64 bits share a branch: in 32 bits if all operands are small, with their remainders.
// CHECK-LABEL: .entry shared_division(
// CHECK-COUNT-2: div.u32
// CHECK-NOT: rem.u
// CHECK: ret;
tt.func public @shared_division(%x: !tt.ptr<i64>, %y: i64) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i64> -> tensor<256x!tt.ptr<i64>>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<i64>>, tensor<256xi32>
  %v = tt.load %p : tensor<256x!tt.ptr<i64>>
  %ys = tt.splat %y : i64 -> tensor<256xi64>
  %rest = arith.remsi %v, %ys : tensor<256xi64>
  %quotient = arith.divsi %v, %ys : tensor<256xi64>
  %sum = arith.addi %rest, %quotient : tensor<256xi64>
  tt.store %p, %sum : tensor<256x!tt.ptr<i64>>
  tt.return
}

// Of eight neighbours that count up from a multiple of 16, the first is divided, by what 16 divides.
// CHECK-LABEL: .entry division_of_runs(
// CHECK: div.u32
// CHECK-NOT: div.
// CHECK-NOT: rem.
// CHECK: ret;
tt.func public @division_of_runs(%x: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %first: i32 {tt.divisibility = 16 : i32}, %width: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i16> -> tensor<1024x!tt.ptr<i16>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i16>>, tensor<1024xi32>
  %firsts = tt.splat %first : i32 -> tensor<1024xi32>
  %i = arith.addi %firsts, %r : tensor<1024xi32>
  %widths = tt.splat %width : i32 -> tensor<1024xi32>
  %row = arith.divsi %i, %widths : tensor<1024xi32>
  %row16 = arith.trunci %row : tensor<1024xi32> to tensor<1024xi16>
  tt.store %p, %row16 : tensor<1024x!tt.ptr<i16>>
  tt.return
}

// Products of bf16 are those of the hardware from sm_90 on; what is rounded to it is so in pairs.
// CHECK-LABEL: .entry bf16(
// CHECK: mul.rn.bf16
// CHECK: cvt.rn.bf16x2.f32
// CHECK: ret;
tt.func public @bf16(%x: !tt.ptr<bf16>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<bf16>>, tensor<256xi32>
  %v = tt.load %p : tensor<256x!tt.ptr<bf16>>
  %square = arith.mulf %v, %v : tensor<256xbf16>
  tt.store %p, %square : tensor<256x!tt.ptr<bf16>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %w = tt.load %q : tensor<256x!tt.ptr<f32>>
  %t = arith.truncf %w : tensor<256xf32> to tensor<256xbf16>
  %e = arith.extf %t : tensor<256xbf16> to tensor<256xf32>
  tt.store %q, %e : tensor<256x!tt.ptr<f32>>
  tt.return
}

// Quotients are within 2 ULP, or approximate where the kernel says so.
// CHECK-LABEL: .entry quotients(
// CHECK-DAG: div.full.f32
// CHECK-DAG: div.approx.f32
// CHECK: ret;
tt.func public @quotients(%x: !tt.ptr<f32>, %a: f32, %b: f32) {
  %0 = arith.divf %a, %b : f32
  %1 = tt.approx_divf %b, %a : f32
  %2 = arith.addf %0, %1 : f32
  tt.store %x, %2 : !tt.ptr<f32>
  tt.return
}
