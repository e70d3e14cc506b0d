// RUN: %each_kernel %s --target gfx950 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s --check-prefix=CDNA3
// Products of scaled narrow floats by the instructions of gfx950 that scale; elsewhere by those for
// the floats that hold the scaled numbers.

// Two steps along k, whose exponents are bytes of one word.
// CHECK-LABEL: {{^}}fp8:
// CHECK: v_mfma_scale_f32_32x32x64_f8f6f4 {{.*}}, v[{{[0-9:]+}}], v[{{[0-9:]+}}], {{.*}} op_sel_hi:[0,0,0]
// CHECK: v_mfma_scale_f32_32x32x64_f8f6f4 {{.*}} op_sel:[1,1,0] op_sel_hi:[0,0,0]
// CHECK-NOT: v_cvt
// CHECK: s_endpgm
// CDNA3-LABEL: {{^}}fp8:
// CDNA3: v_mfma_f32_32x32x8_bf16
// CDNA3: s_endpgm
tt.func public @fp8(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %sx: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %g = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ke = tt.expand_dims %k {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %ge = tt.expand_dims %g {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %c128 = arith.constant dense<128> : tensor<64x1xi32>
  %c4 = arith.constant dense<4> : tensor<64x1xi32>
  %rk = arith.muli %re, %c128 : tensor<64x1xi32>
  %rkb = tt.broadcast %rk : tensor<64x1xi32> -> tensor<64x128xi32>
  %keb = tt.broadcast %ke : tensor<1x128xi32> -> tensor<64x128xi32>
  %o = arith.addi %rkb, %keb : tensor<64x128xi32>
  %rg = arith.muli %re, %c4 : tensor<64x1xi32>
  %rgb = tt.broadcast %rg : tensor<64x1xi32> -> tensor<64x4xi32>
  %geb = tt.broadcast %ge : tensor<1x4xi32> -> tensor<64x4xi32>
  %og = arith.addi %rgb, %geb : tensor<64x4xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<64x128x!tt.ptr<f8E4M3FN>>
  %xp = tt.addptr %xs, %o : tensor<64x128x!tt.ptr<f8E4M3FN>>, tensor<64x128xi32>
  %a = tt.load %xp : tensor<64x128x!tt.ptr<f8E4M3FN>>
  %ss = tt.splat %sx : !tt.ptr<i8> -> tensor<64x4x!tt.ptr<i8>>
  %sp = tt.addptr %ss, %og : tensor<64x4x!tt.ptr<i8>>, tensor<64x4xi32>
  %sa = tt.load %sp : tensor<64x4x!tt.ptr<i8>>
  %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x128xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b scale %sa, %z lhs = e4m3 rhs = e4m3 {fastMath = false}
    : tensor<64x128xf8E4M3FN>, tensor<64x4xi8> * tensor<128x64xf8E4M3FN>, tensor<64x4xi8> -> tensor<64x64xf32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %ro = arith.muli %re, %c64 : tensor<64x1xi32>
  %rob = tt.broadcast %ro : tensor<64x1xi32> -> tensor<64x64xi32>
  %co = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cob = tt.broadcast %co : tensor<1x64xi32> -> tensor<64x64xi32>
  %oo = arith.addi %rob, %cob : tensor<64x64xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %op = tt.addptr %os, %oo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %op, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
