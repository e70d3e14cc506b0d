// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s --check-prefixes=CHECK,CDNA3
// RUN: %each_kernel %s --target gfx950 --emit amdgcn | FileCheck %s --check-prefixes=CHECK,CDNA4
// RUN: %each_kernel %s --target gfx1201 --emit amdgcn | FileCheck %s --check-prefixes=CHECK,RDNA4
// RUN: %each_kernel %s --target gfx90a --emit amdgcn | FileCheck %s --check-prefixes=CHECK,CDNA2
// Conversions of floats of 8 and 16 bits: two at a time by the instructions of the architecture, for
// the formats that it knows, and by arithmetic for the others.

// OCP's formats. Halves of loaded words are read where they are, and what is too large is bounded.
// CHECK-LABEL: {{^}}ocp:
// CDNA3-NOT: v_cvt_pk_f32_fp8
// CDNA3-NOT: v_cvt_pk_bf8_f32
// CDNA4: global_load_dword [[WORD:v[0-9]+]]
// CDNA4: v_cvt_pk_f32_fp8_e32 {{.*}}, [[WORD]]
// CDNA4: v_cvt_pk_f32_fp8_sdwa {{.*}}, [[WORD]] src0_sel:WORD_1
// CDNA4-COUNT-4: v_minimum3_f32
// CDNA4-COUNT-2: v_cvt_pk_bf8_f32
// CDNA4: v_perm_b32
// RDNA4: v_cvt_pk_f32_fp8_e32 {{.*}}, [[WORD:v[0-9]+]]
// RDNA4: v_cvt_pk_f32_fp8_e64 {{.*}}, [[WORD]] op_sel:[1,0]
// RDNA4: v_minimummaximum_f32
// RDNA4-COUNT-4: v_cvt_pk_bf8_f32
// CDNA2-NOT: v_cvt_pk_f32_fp8
// CHECK: s_endpgm
tt.func public @ocp(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f8E4M3FN>>
  %w = tt.fp_to_fp %v : tensor<1024xf8E4M3FN> -> tensor<1024xf32>
  %s = arith.addf %w, %w : tensor<1024xf32>
  %t = tt.fp_to_fp %s, rounding = rtne : tensor<1024xf32> -> tensor<1024xf8E5M2>
  %ys = tt.splat %y : !tt.ptr<f8E5M2> -> tensor<1024x!tt.ptr<f8E5M2>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f8E5M2>>, tensor<1024xi32>
  tt.store %yp, %t : tensor<1024x!tt.ptr<f8E5M2>>
  tt.return
}

// The formats of the MI300.
// CHECK-LABEL: {{^}}fnuz:
// CDNA3: v_cvt_pk_f32_bf8_e32
// CDNA3: v_cvt_pk_f32_bf8_sdwa
// CDNA3: v_med3_f32
// CDNA3-COUNT-2: v_cvt_pk_fp8_f32
// CDNA4-NOT: v_cvt_pk_
// RDNA4-NOT: v_cvt_pk_f
// CHECK: s_endpgm
tt.func public @fnuz(%x: !tt.ptr<f8E5M2FNUZ> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FNUZ> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f8E5M2FNUZ> -> tensor<1024x!tt.ptr<f8E5M2FNUZ>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f8E5M2FNUZ>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f8E5M2FNUZ>>
  %w = tt.fp_to_fp %v : tensor<1024xf8E5M2FNUZ> -> tensor<1024xf32>
  %s = arith.addf %w, %w : tensor<1024xf32>
  %t = tt.fp_to_fp %s, rounding = rtne : tensor<1024xf32> -> tensor<1024xf8E4M3FNUZ>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FNUZ> -> tensor<1024x!tt.ptr<f8E4M3FNUZ>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f8E4M3FNUZ>>, tensor<1024xi32>
  tt.store %yp, %t : tensor<1024x!tt.ptr<f8E4M3FNUZ>>
  tt.return
}

// The MI350 converts floats of 16 bits as they are.
// CHECK-LABEL: {{^}}fp8_and_16_bits:
// CDNA4-COUNT-2: v_cvt_scalef32_pk_f16_fp8
// CDNA4: v_pk_maximum3_f16
// CDNA4: v_cvt_scalef32_pk_fp8_f16
// CHECK: s_endpgm
tt.func public @fp8_and_16_bits(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %h: f16) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f8E4M3FN>>
  %w = tt.fp_to_fp %v : tensor<1024xf8E4M3FN> -> tensor<1024xf16>
  %hs = tt.splat %h : f16 -> tensor<1024xf16>
  %s = arith.mulf %w, %hs : tensor<1024xf16>
  %t = tt.fp_to_fp %s, rounding = rtne : tensor<1024xf16> -> tensor<1024xf8E4M3FN>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
  tt.store %yp, %t : tensor<1024x!tt.ptr<f8E4M3FN>>
  tt.return
}

// A pair of bf16 is one instruction where there is one.
// CHECK-LABEL: {{^}}bf16:
// CDNA3-NOT: v_cvt_pk_bf16_f32
// CDNA4-COUNT-2: v_cvt_pk_bf16_f32
// CDNA4-NOT: {{v_(perm|bfe|add3)}}
// CHECK: s_endpgm
tt.func public @bf16(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %t = arith.truncf %v : tensor<1024xf32> to tensor<1024xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  tt.store %yp, %t : tensor<1024x!tt.ptr<bf16>>
  tt.return
}
