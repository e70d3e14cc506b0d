// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=OLD
// Products that are written as other ones first, and batches, by matrix instructions.

// Three products of parts.
// CHECK-LABEL: .entry parts_of_tf32(
// CHECK-COUNT-3: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// CHECK-NOT: wgmma.mma_async
// CHECK: ret;
// OLD-LABEL: .entry parts_of_tf32(
// OLD: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// OLD: ret;
tt.func public @parts_of_tf32(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ar : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %af = tt.load %ap : tensor<512x!tt.ptr<f32>>
  %a = tt.reshape %af : tensor<512xf32> -> tensor<64x8xf32>
  %br = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %br : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %bf = tt.load %bp : tensor<512x!tt.ptr<f32>>
  %b = tt.reshape %bf : tensor<512xf32> -> tensor<8x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = tf32x3 : tensor<64x8xf32> * tensor<8x64xf32> -> tensor<64x64xf32>
  %df = tt.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  %or = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %os = tt.splat %z : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %op = tt.addptr %os, %or : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %op, %df : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// Six.
// CHECK-LABEL: .entry parts_of_bf16(
// CHECK-COUNT-6: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK-NOT: wgmma.mma_async
// CHECK: ret;
// OLD-LABEL: .entry parts_of_bf16(
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// OLD: ret;
tt.func public @parts_of_bf16(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ar : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %af = tt.load %ap : tensor<1024x!tt.ptr<f32>>
  %a = tt.reshape %af : tensor<1024xf32> -> tensor<64x16xf32>
  %br = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %br : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %bf = tt.load %bp : tensor<1024x!tt.ptr<f32>>
  %b = tt.reshape %bf : tensor<1024xf32> -> tensor<16x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = bf16x6 : tensor<64x16xf32> * tensor<16x64xf32> -> tensor<64x64xf32>
  %df = tt.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  %or = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %os = tt.splat %z : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %op = tt.addptr %os, %or : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %op, %df : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// A result of f16 is a sum in f32 that is rounded.
// CHECK-LABEL: .entry narrow_result(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK: cvt.rn.f16x2.f32
// CHECK: ret;
tt.func public @narrow_result(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ar : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %af = tt.load %ap : tensor<1024x!tt.ptr<f16>>
  %a = tt.reshape %af : tensor<1024xf16> -> tensor<64x16xf16>
  %br = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %br : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %bf = tt.load %bp : tensor<1024x!tt.ptr<f16>>
  %b = tt.reshape %bf : tensor<1024xf16> -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  %d = tt.dot %a, %b, %zero : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf16>
  %df = tt.reshape %d : tensor<64x64xf16> -> tensor<4096xf16>
  %or = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %os = tt.splat %z : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %op = tt.addptr %os, %or : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  tt.store %op, %df : tensor<4096x!tt.ptr<f16>>
  tt.return
}

// A warp for each matrix of a batch: of 16 x 16 it has two tiles.
// CHECK-LABEL: .entry batch(
// CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
// CHECK: ret;
// OLD-LABEL: .entry batch(
// OLD-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// OLD-NOT: mma.sync
// OLD: ret;
tt.func public @batch(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ar : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %af = tt.load %ap : tensor<1024x!tt.ptr<f16>>
  %a = tt.reshape %af : tensor<1024xf16> -> tensor<4x16x16xf16>
  %br = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %br : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %bf = tt.load %bp : tensor<1024x!tt.ptr<f16>>
  %b = tt.reshape %bf : tensor<1024xf16> -> tensor<4x16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<4x16x16xf32>
  %d = tt.dot %a, %b, %zero : tensor<4x16x16xf16> * tensor<4x16x16xf16> -> tensor<4x16x16xf32>
  %df = tt.reshape %d : tensor<4x16x16xf32> -> tensor<1024xf32>
  %or = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %os = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %or : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %df : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// e4m3 and e2m1 with scales are products of bf16.
// CHECK-LABEL: .entry scaled(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: ret;
// OLD-LABEL: .entry scaled(
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// OLD: ret;
tt.func public @scaled(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %sx: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %sy: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %as = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<4096x!tt.ptr<f8E4M3FN>>
  %ap = tt.addptr %as, %ar : tensor<4096x!tt.ptr<f8E4M3FN>>, tensor<4096xi32>
  %af = tt.load %ap : tensor<4096x!tt.ptr<f8E4M3FN>>
  %a = tt.reshape %af : tensor<4096xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  %sar = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %sas = tt.splat %sx : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %sap = tt.addptr %sas, %sar : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %saf = tt.load %sap : tensor<128x!tt.ptr<i8>>
  %sa = tt.reshape %saf : tensor<128xi8> -> tensor<64x2xi8>
  %br = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %bs = tt.splat %y : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %br : tensor<2048x!tt.ptr<i8>>, tensor<2048xi32>
  %bf = tt.load %bp : tensor<2048x!tt.ptr<i8>>
  %b = tt.reshape %bf : tensor<2048xi8> -> tensor<32x64xi8>
  %sbr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %sbs = tt.splat %sy : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %sbp = tt.addptr %sbs, %sbr : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %sbf = tt.load %sbp : tensor<128x!tt.ptr<i8>>
  %sb = tt.reshape %sbf : tensor<128xi8> -> tensor<64x2xi8>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b scale %sb, %zero lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x64xf8E4M3FN>, tensor<64x2xi8> * tensor<32x64xi8>, tensor<64x2xi8> -> tensor<64x64xf32>
  %df = tt.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  %or = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %os = tt.splat %z : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %op = tt.addptr %os, %or : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %op, %df : tensor<4096x!tt.ptr<f32>>
  tt.return
}
