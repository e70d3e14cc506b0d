// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=OLD
// Conversions of formats by instruction where it rounds as we do, else by integer arithmetic.

// Into fp8, two at a time, saturating.
// CHECK-LABEL: .entry to_e4m3(
// CHECK-COUNT-2: cvt.rn.satfinite.e4m3x2.f32
// CHECK-NOT: satfinite
// CHECK: ret;
// OLD-LABEL: .entry to_e4m3(
// OLD-NOT: e4m3x2
// OLD: ret;
tt.func public @to_e4m3(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %o = tt.fp_to_fp %v, rounding = rtne : tensor<512xf32> -> tensor<512xf8E4M3FN>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f8E4M3FN>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<f8E4M3FN>>
  tt.return
}

// CHECK-LABEL: .entry to_e5m2(
// CHECK-COUNT-2: cvt.rn.satfinite.e5m2x2.f32
// CHECK: ret;
// OLD-LABEL: .entry to_e5m2(
// OLD-NOT: e5m2x2
// OLD: ret;
tt.func public @to_e5m2(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %o = tt.fp_to_fp %v, rounding = rtne : tensor<512xf32> -> tensor<512xf8E5M2>
  %ys = tt.splat %y : !tt.ptr<f8E5M2> -> tensor<512x!tt.ptr<f8E5M2>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f8E5M2>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<f8E5M2>>
  tt.return
}

// CHECK-LABEL: .entry half_to_e5m2(
// CHECK-COUNT-2: cvt.rn.satfinite.e5m2x2.f16x2
// CHECK: ret;
// OLD-LABEL: .entry half_to_e5m2(
// OLD-NOT: e5m2x2
// OLD: ret;
tt.func public @half_to_e5m2(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f16>>
  %o = tt.fp_to_fp %v, rounding = rtne : tensor<512xf16> -> tensor<512xf8E5M2>
  %ys = tt.splat %y : !tt.ptr<f8E5M2> -> tensor<512x!tt.ptr<f8E5M2>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f8E5M2>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<f8E5M2>>
  tt.return
}

// f64 would be rounded twice.
// CHECK-LABEL: .entry double_to_e4m3(
// CHECK-NOT: e4m3x2
// CHECK: ret;
// OLD-LABEL: .entry double_to_e4m3(
// OLD-NOT: e4m3x2
// OLD: ret;
tt.func public @double_to_e4m3(%x: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f64> -> tensor<512x!tt.ptr<f64>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f64>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f64>>
  %o = tt.fp_to_fp %v, rounding = rtne : tensor<512xf64> -> tensor<512xf8E4M3FN>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f8E4M3FN>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<f8E4M3FN>>
  tt.return
}

// Out of fp8 is exact.
// CHECK-LABEL: .entry from_e4m3(
// CHECK-COUNT-2: cvt.rn.f16x2.e4m3x2
// CHECK: cvt.f32.f16
// CHECK: ret;
// OLD-LABEL: .entry from_e4m3(
// OLD-NOT: e4m3x2
// OLD: ret;
tt.func public @from_e4m3(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f8E4M3FN>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f8E4M3FN>>
  %o = tt.fp_to_fp %v : tensor<512xf8E4M3FN> -> tensor<512xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry from_e5m2(
// CHECK-COUNT-2: cvt.rn.f16x2.e5m2x2
// CHECK: ret;
// OLD-LABEL: .entry from_e5m2(
// OLD-NOT: e5m2x2
// OLD: ret;
tt.func public @from_e5m2(%x: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f8E5M2> -> tensor<512x!tt.ptr<f8E5M2>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f8E5M2>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f8E5M2>>
  %o = tt.fp_to_fp %v : tensor<512xf8E5M2> -> tensor<512xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<bf16>>
  tt.return
}

// Halves, to nearest even.
// CHECK-LABEL: .entry to_half(
// CHECK: cvt.rn.f16{{(x2)?}}.f32
// CHECK: ret;
// OLD-LABEL: .entry to_half(
// OLD: cvt.rn.f16{{(x2)?}}.f32
// OLD: ret;
tt.func public @to_half(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %o = arith.truncf %v : tensor<512xf32> to tensor<512xf16>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<f16>>
  tt.return
}

// CHECK-LABEL: .entry to_brain(
// CHECK: cvt.rn.bf16{{(x2)?}}.f32
// CHECK: ret;
// OLD-LABEL: .entry to_brain(
// OLD: cvt.rn.bf16{{(x2)?}}.f32
// OLD: ret;
tt.func public @to_brain(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %o = arith.truncf %v : tensor<512xf32> to tensor<512xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
  tt.store %yp, %o : tensor<512x!tt.ptr<bf16>>
  tt.return
}

