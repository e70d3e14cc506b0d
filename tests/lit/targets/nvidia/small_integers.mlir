// RUN: tl-opt --lower-to-ptx="target=sm_90a num-warps=1" %s | FileCheck %s
// Integers of few bits become floats of 16 bits by their bits, two at a time.

#four = #ttg.layout<blocked [128], registers = [4], lanes = [32], warps = [1], order = [0]>

// A field that is the same of two words: the halves that have it are brought together, the exponent is put beside it,
// and its place counts. Fields of the same halves share them.
// CHECK-LABEL: .entry fields(
// CHECK-COUNT-2: prmt.b32 {{.*}}, 0x5410U;
// CHECK-NOT: cvt.rn
// CHECK-DAG: lop3.b32 {{.*}}, 983055, 1677747200, 0xEA;
// CHECK-DAG: lop3.b32 {{.*}}, 15728880, 1677747200, 0xEA;
// CHECK-DAG: fma.rn.f16x2
// CHECK-NOT: {{cvt.rn|prmt}}
// CHECK: ret;
tt.func public @fields(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #four>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #four>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #four>, tensor<128xi32, #four>
  %v = tt.load %xp : tensor<128x!tt.ptr<i32>, #four>
  %fifteen = arith.constant dense<15> : tensor<128xi32, #four>
  %shift = arith.constant dense<4> : tensor<128xi32, #four>
  %low = arith.andi %v, %fifteen : tensor<128xi32, #four>
  %moved = arith.shrui %v, %shift : tensor<128xi32, #four>
  %high = arith.andi %moved, %fifteen : tensor<128xi32, #four>
  %a = arith.uitofp %low : tensor<128xi32, #four> to tensor<128xf16, #four>
  %b = arith.sitofp %high : tensor<128xi32, #four> to tensor<128xf16, #four>
  %c = arith.addf %a, %b : tensor<128xf16, #four>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #four>
  %op = tt.addptr %os, %r : tensor<128x!tt.ptr<f16>, #four>, tensor<128xi32, #four>
  tt.store %op, %c : tensor<128x!tt.ptr<f16>, #four>
  tt.return
}

// A field whose place is known when the kernel runs is shifted first.
// CHECK-LABEL: .entry places(
// CHECK-COUNT-4: shr{{.*}}, %r{{[0-9]+}};
// CHECK-COUNT-2: lop3.b32 {{.*}}, 983055, 1677747200, 0xEA;
// CHECK: ret;
tt.func public @places(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #four>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #four>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #four>, tensor<128xi32, #four>
  %v = tt.load %xp : tensor<128x!tt.ptr<i32>, #four>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #four>
  %pp = tt.addptr %ps, %r : tensor<128x!tt.ptr<i32>, #four>, tensor<128xi32, #four>
  %shift = tt.load %pp : tensor<128x!tt.ptr<i32>, #four>
  %fifteen = arith.constant dense<15> : tensor<128xi32, #four>
  %moved = arith.shrsi %v, %shift : tensor<128xi32, #four>
  %low = arith.andi %moved, %fifteen : tensor<128xi32, #four>
  %a = arith.sitofp %low : tensor<128xi32, #four> to tensor<128xf16, #four>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #four>
  %op = tt.addptr %os, %r : tensor<128x!tt.ptr<f16>, #four>, tensor<128xi32, #four>
  tt.store %op, %a : tensor<128x!tt.ptr<f16>, #four>
  tt.return
}

// Numbers that may be large, or below zero, are converted by instructions.
// CHECK-LABEL: .entry large(
// CHECK-NOT: lop3
// CHECK-COUNT-4: cvt.rn.f16.s32
// CHECK-NOT: lop3
// CHECK: ret;
tt.func public @large(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #four>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #four>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #four>, tensor<128xi32, #four>
  %v = tt.load %xp : tensor<128x!tt.ptr<i32>, #four>
  %a = arith.sitofp %v : tensor<128xi32, #four> to tensor<128xf16, #four>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #four>
  %op = tt.addptr %os, %r : tensor<128x!tt.ptr<f16>, #four>, tensor<128xi32, #four>
  tt.store %op, %a : tensor<128x!tt.ptr<f16>, #four>
  tt.return
}
