// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx90a --emit amdgcn | FileCheck %s --check-prefix=CDNA2
// RUN: %each_kernel %s --target gfx950 --emit amdgcn | FileCheck %s --check-prefix=CDNA4
// RUN: %each_kernel %s --target gfx1100 --emit amdgcn | FileCheck %s --check-prefix=RDNA3
// RUN: %each_kernel %s --target gfx1201 --emit amdgcn | FileCheck %s --check-prefix=RDNA4
// Products by the matrix units: the widest tile that each warp has room for, and every element type
// that there is an instruction for.

// Four warps have a quarter of 64 x 64 each: tiles of 32 x 32.
// CHECK-LABEL: {{^}}halves:
// CHECK-COUNT-8: v_mfma_f32_32x32x8_f16
// CHECK-NOT: v_mfma
// CHECK: s_endpgm
// CDNA4-LABEL: {{^}}halves:
// CDNA4-COUNT-4: v_mfma_f32_32x32x16_f16
// CDNA4-NOT: v_mfma
// CDNA4: s_endpgm
// RDNA3-LABEL: {{^}}halves:
// RDNA3-COUNT-16: v_wmma_f32_16x16x16_f16
// RDNA3-NOT: v_wmma
// RDNA3: s_endpgm
// RDNA4-LABEL: {{^}}halves:
// RDNA4-COUNT-16: v_wmma_f32_16x16x16_f16
// RDNA4-NOT: v_wmma
// RDNA4: s_endpgm
tt.func public @halves(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %xv = tt.load %xp : tensor<4096x!tt.ptr<f16>>
  %a = tt.reshape %xv : tensor<4096xf16> -> tensor<64x64xf16>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %i : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %yv = tt.load %yp : tensor<4096x!tt.ptr<f16>>
  %b = tt.reshape %yv : tensor<4096xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %f = tt.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %op, %f : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// bf16, and a result that has no room for tiles of 32 x 32 in each of four warps.
// CHECK-LABEL: {{^}}small:
// CHECK-COUNT-2: v_mfma_f32_16x16x16_bf16
// CHECK-NOT: v_mfma
// CHECK: s_endpgm
// CDNA2-LABEL: {{^}}small:
// CDNA2-COUNT-2: v_mfma_f32_16x16x16bf16_1k
// CDNA2: s_endpgm
// CDNA4-LABEL: {{^}}small:
// CDNA4-COUNT-1: v_mfma_f32_16x16x32_bf16
// CDNA4: s_endpgm
// RDNA3-LABEL: {{^}}small:
// RDNA3-COUNT-2: v_wmma_f32_16x16x16_bf16
// RDNA3: s_endpgm
tt.func public @small(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %xv = tt.load %xp : tensor<1024x!tt.ptr<bf16>>
  %a = tt.reshape %xv : tensor<1024xbf16> -> tensor<32x32xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %yv = tt.load %yp : tensor<1024x!tt.ptr<bf16>>
  %b = tt.reshape %yv : tensor<1024xbf16> -> tensor<32x32xbf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %zero : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  %f = tt.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// f32 as it is, and f64, on CDNA; multiply-adds elsewhere.
// CHECK-LABEL: {{^}}singles:
// CHECK-COUNT-8: v_mfma_f32_16x16x4_f32
// CHECK: s_endpgm
// RDNA3-LABEL: {{^}}singles:
// RDNA3-NOT: v_wmma
// RDNA3: v_{{(dual_)?}}fma
// RDNA3: s_endpgm
tt.func public @singles(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %xv = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %a = tt.reshape %xv : tensor<1024xf32> -> tensor<32x32xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %yv = tt.load %yp : tensor<1024x!tt.ptr<f32>>
  %b = tt.reshape %yv : tensor<1024xf32> -> tensor<32x32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %f = tt.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: {{^}}doubles:
// CHECK-COUNT-8: v_mfma_f64_16x16x4_f64
// CHECK: s_endpgm
tt.func public @doubles(%x: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f64> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
  %xv = tt.load %xp : tensor<1024x!tt.ptr<f64>>
  %a = tt.reshape %xv : tensor<1024xf64> -> tensor<32x32xf64>
  %ys = tt.splat %y : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
  %yv = tt.load %yp : tensor<1024x!tt.ptr<f64>>
  %b = tt.reshape %yv : tensor<1024xf64> -> tensor<32x32xf64>
  %zero = arith.constant dense<0.0> : tensor<32x32xf64>
  %d = tt.dot %a, %b, %zero : tensor<32x32xf64> * tensor<32x32xf64> -> tensor<32x32xf64>
  %f = tt.reshape %d : tensor<32x32xf64> -> tensor<1024xf64>
  %os = tt.splat %out : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
  tt.store %op, %f : tensor<1024x!tt.ptr<f64>>
  tt.return
}

// CHECK-LABEL: {{^}}bytes:
// CHECK: v_mfma_i32_16x16x32_i8
// CHECK: s_endpgm
// CDNA2-LABEL: {{^}}bytes:
// CDNA2-COUNT-2: v_mfma_i32_16x16x16i8
// CDNA2: s_endpgm
// RDNA3-LABEL: {{^}}bytes:
// RDNA3-COUNT-2: v_wmma_i32_16x16x16_iu8 {{.*}} neg_lo:[1,1,0]
// RDNA3: s_endpgm
// RDNA4-LABEL: {{^}}bytes:
// RDNA4-COUNT-2: v_wmma_i32_16x16x16_iu8
// RDNA4: s_endpgm
tt.func public @bytes(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %xv = tt.load %xp : tensor<1024x!tt.ptr<i8>>
  %a = tt.reshape %xv : tensor<1024xi8> -> tensor<32x32xi8>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %yv = tt.load %yp : tensor<1024x!tt.ptr<i8>>
  %b = tt.reshape %yv : tensor<1024xi8> -> tensor<32x32xi8>
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %d = tt.dot %a, %b, %zero : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  %f = tt.reshape %d : tensor<32x32xi32> -> tensor<1024xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %op, %f : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// Each architecture has instructions for its own kind of floats of 8 bits; those of the other kind
// are multiplied as halves.
// CHECK-LABEL: {{^}}fp8:
// CHECK: v_mfma_f32_16x16x32_fp8_fp8
// CHECK: s_endpgm
// CDNA4-LABEL: {{^}}fp8:
// CDNA4: v_mfma_f32_16x16x32_f16
// CDNA4: s_endpgm
tt.func public @fp8(%x: !tt.ptr<f8E4M3FNUZ> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FNUZ> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FNUZ> -> tensor<1024x!tt.ptr<f8E4M3FNUZ>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f8E4M3FNUZ>>, tensor<1024xi32>
  %xv = tt.load %xp : tensor<1024x!tt.ptr<f8E4M3FNUZ>>
  %a = tt.reshape %xv : tensor<1024xf8E4M3FNUZ> -> tensor<32x32xf8E4M3FNUZ>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FNUZ> -> tensor<1024x!tt.ptr<f8E4M3FNUZ>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f8E4M3FNUZ>>, tensor<1024xi32>
  %yv = tt.load %yp : tensor<1024x!tt.ptr<f8E4M3FNUZ>>
  %b = tt.reshape %yv : tensor<1024xf8E4M3FNUZ> -> tensor<32x32xf8E4M3FNUZ>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %zero : tensor<32x32xf8E4M3FNUZ> * tensor<32x32xf8E4M3FNUZ> -> tensor<32x32xf32>
  %f = tt.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CDNA4-LABEL: {{^}}ocp_fp8:
// CDNA4: v_mfma_f32_16x16x32_fp8_fp8
// CDNA4: s_endpgm
// RDNA4-LABEL: {{^}}ocp_fp8:
// RDNA4-COUNT-2: v_wmma_f32_16x16x16_fp8_fp8
// RDNA4: s_endpgm
// CHECK-LABEL: {{^}}ocp_fp8:
// CHECK: v_mfma_f32_16x16x16_f16
// CHECK: s_endpgm
tt.func public @ocp_fp8(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
  %xv = tt.load %xp : tensor<1024x!tt.ptr<f8E4M3FN>>
  %a = tt.reshape %xv : tensor<1024xf8E4M3FN> -> tensor<32x32xf8E4M3FN>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
  %yv = tt.load %yp : tensor<1024x!tt.ptr<f8E4M3FN>>
  %b = tt.reshape %yv : tensor<1024xf8E4M3FN> -> tensor<32x32xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %zero : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E4M3FN> -> tensor<32x32xf32>
  %f = tt.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Long ones are fewer and faster.
// CDNA4-LABEL: {{^}}long_fp8:
// CDNA4: v_mfma_f32_32x32x64_f8f6f4 {{.*}} cbsz:1 blgp:1
// CDNA4-NOT: v_mfma
// CDNA4: s_endpgm
tt.func public @long_fp8(%x: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f8E5M2> -> tensor<4096x!tt.ptr<f8E5M2>>
  %xp = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f8E5M2>>, tensor<4096xi32>
  %xv = tt.load %xp : tensor<4096x!tt.ptr<f8E5M2>>
  %a = tt.reshape %xv : tensor<4096xf8E5M2> -> tensor<64x64xf8E5M2>
  %ys = tt.splat %y : !tt.ptr<f8E5M2> -> tensor<4096x!tt.ptr<f8E5M2>>
  %yp = tt.addptr %ys, %i : tensor<4096x!tt.ptr<f8E5M2>>, tensor<4096xi32>
  %yv = tt.load %yp : tensor<4096x!tt.ptr<f8E5M2>>
  %b = tt.reshape %yv : tensor<4096xf8E5M2> -> tensor<64x64xf8E5M2>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf8E5M2> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  %f = tt.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %op, %f : tensor<4096x!tt.ptr<f32>>
  tt.return
}
