// RUN: %each_kernel %s --target gfx950 --emit amdgcn | FileCheck %s
// Loops of scaled products: operands of the next iteration are on their way to LDS, and scales to registers, while the
// instructions that scale compute this one's.

// CHECK-LABEL: {{^}}scaled_fp8:
// CHECK: v_mfma_scale_f32_32x32x64_f8f6f4
// CHECK: s_waitcnt vmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK-COUNT-8: global_load_lds_dwordx4
// CHECK: .vgpr_spill_count: 0
tt.func public @scaled_fp8(%a: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %sa: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %sb: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32, %k: i32 {tt.divisibility = 16 : i32}, %g: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant 128 : i32
  %gstep = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %ar = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ac = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %as = tt.splat %k : i32 -> tensor<128x1xi32>
  %ad = arith.muli %are, %as : tensor<128x1xi32>
  %ax = tt.broadcast %ad : tensor<128x1xi32> -> tensor<128x128xi32>
  %ay = tt.broadcast %ace : tensor<1x128xi32> -> tensor<128x128xi32>
  %ao = arith.addi %ax, %ay : tensor<128x128xi32>
  %ab = tt.splat %a : !tt.ptr<f8E4M3FN> -> tensor<128x128x!tt.ptr<f8E4M3FN>>
  %ap = tt.addptr %ab, %ao : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
  %ur = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %uc = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %ure = tt.expand_dims %ur {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %uce = tt.expand_dims %uc {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %us = tt.splat %g : i32 -> tensor<128x1xi32>
  %ud = arith.muli %ure, %us : tensor<128x1xi32>
  %ux = tt.broadcast %ud : tensor<128x1xi32> -> tensor<128x4xi32>
  %uy = tt.broadcast %uce : tensor<1x4xi32> -> tensor<128x4xi32>
  %uo = arith.addi %ux, %uy : tensor<128x4xi32>
  %ub = tt.splat %sa : !tt.ptr<i8> -> tensor<128x4x!tt.ptr<i8>>
  %up = tt.addptr %ub, %uo : tensor<128x4x!tt.ptr<i8>>, tensor<128x4xi32>
  %br = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %bc = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %bs = tt.splat %k : i32 -> tensor<128x1xi32>
  %bd = arith.muli %bre, %bs : tensor<128x1xi32>
  %bx = tt.broadcast %bd : tensor<128x1xi32> -> tensor<128x128xi32>
  %by = tt.broadcast %bce : tensor<1x128xi32> -> tensor<128x128xi32>
  %bo = arith.addi %bx, %by : tensor<128x128xi32>
  %bb = tt.splat %b : !tt.ptr<f8E4M3FN> -> tensor<128x128x!tt.ptr<f8E4M3FN>>
  %bp = tt.addptr %bb, %bo : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
  %wr = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %wc = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %wre = tt.expand_dims %wr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %wce = tt.expand_dims %wc {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %ws = tt.splat %g : i32 -> tensor<128x1xi32>
  %wd = arith.muli %wre, %ws : tensor<128x1xi32>
  %wx = tt.broadcast %wd : tensor<128x1xi32> -> tensor<128x4xi32>
  %wy = tt.broadcast %wce : tensor<1x4xi32> -> tensor<128x4xi32>
  %wo = arith.addi %wx, %wy : tensor<128x4xi32>
  %wb = tt.splat %sb : !tt.ptr<i8> -> tensor<128x4x!tt.ptr<i8>>
  %wp = tt.addptr %wb, %wo : tensor<128x4x!tt.ptr<i8>>, tensor<128x4xi32>
  %or = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %oc = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ore = tt.expand_dims %or {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %oce = tt.expand_dims %oc {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %os = tt.splat %n : i32 -> tensor<128x1xi32>
  %od = arith.muli %ore, %os : tensor<128x1xi32>
  %ox = tt.broadcast %od : tensor<128x1xi32> -> tensor<128x128xi32>
  %oy = tt.broadcast %oce : tensor<1x128xi32> -> tensor<128x128xi32>
  %oo = arith.addi %ox, %oy : tensor<128x128xi32>
  %ob = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %op = tt.addptr %ob, %oo : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %ai = arith.muli %i, %step : i32
    %ais = tt.splat %ai : i32 -> tensor<128x128xi32>
    %aq = tt.addptr %ap, %ais : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
    %av = tt.load %aq : tensor<128x128x!tt.ptr<f8E4M3FN>>
    %ui = arith.muli %i, %gstep : i32
    %uis = tt.splat %ui : i32 -> tensor<128x4xi32>
    %uq = tt.addptr %up, %uis : tensor<128x4x!tt.ptr<i8>>, tensor<128x4xi32>
    %uv = tt.load %uq : tensor<128x4x!tt.ptr<i8>>
    %bi = arith.muli %i, %step : i32
    %bis = tt.splat %bi : i32 -> tensor<128x128xi32>
    %bq = tt.addptr %bp, %bis : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
    %bv = tt.load %bq : tensor<128x128x!tt.ptr<f8E4M3FN>>
    %wi = arith.muli %i, %gstep : i32
    %wis = tt.splat %wi : i32 -> tensor<128x4xi32>
    %wq = tt.addptr %wp, %wis : tensor<128x4x!tt.ptr<i8>>, tensor<128x4xi32>
    %wv = tt.load %wq : tensor<128x4x!tt.ptr<i8>>
    %t = tt.trans %bv {order = array<i32: 1, 0>} : tensor<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
    %d = tt.dot_scaled %av scale %uv, %t scale %wv, %s lhs = e4m3 rhs = e4m3 {fastMath = false}
      : tensor<128x128xf8E4M3FN>, tensor<128x4xi8> * tensor<128x128xf8E4M3FN>, tensor<128x4xi8> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.store %op, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// Two numbers a byte.
// CHECK-LABEL: {{^}}scaled_fp4:
// CHECK: v_mfma_scale_f32_32x32x64_f8f6f4
// CHECK: s_waitcnt vmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK-COUNT-8: global_load_lds_dwordx4
// CHECK: .vgpr_spill_count: 0
tt.func public @scaled_fp4(%a: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %sa: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %sb: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32, %k: i32 {tt.divisibility = 16 : i32}, %g: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant 128 : i32
  %gstep = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %ar = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ac = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %as = tt.splat %k : i32 -> tensor<128x1xi32>
  %ad = arith.muli %are, %as : tensor<128x1xi32>
  %ax = tt.broadcast %ad : tensor<128x1xi32> -> tensor<128x128xi32>
  %ay = tt.broadcast %ace : tensor<1x128xi32> -> tensor<128x128xi32>
  %ao = arith.addi %ax, %ay : tensor<128x128xi32>
  %ab = tt.splat %a : !tt.ptr<i8> -> tensor<128x128x!tt.ptr<i8>>
  %ap = tt.addptr %ab, %ao : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
  %ur = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %uc = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ure = tt.expand_dims %ur {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %uce = tt.expand_dims %uc {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %us = tt.splat %g : i32 -> tensor<128x1xi32>
  %ud = arith.muli %ure, %us : tensor<128x1xi32>
  %ux = tt.broadcast %ud : tensor<128x1xi32> -> tensor<128x8xi32>
  %uy = tt.broadcast %uce : tensor<1x8xi32> -> tensor<128x8xi32>
  %uo = arith.addi %ux, %uy : tensor<128x8xi32>
  %ub = tt.splat %sa : !tt.ptr<i8> -> tensor<128x8x!tt.ptr<i8>>
  %up = tt.addptr %ub, %uo : tensor<128x8x!tt.ptr<i8>>, tensor<128x8xi32>
  %br = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %bc = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %bs = tt.splat %k : i32 -> tensor<128x1xi32>
  %bd = arith.muli %bre, %bs : tensor<128x1xi32>
  %bx = tt.broadcast %bd : tensor<128x1xi32> -> tensor<128x128xi32>
  %by = tt.broadcast %bce : tensor<1x128xi32> -> tensor<128x128xi32>
  %bo = arith.addi %bx, %by : tensor<128x128xi32>
  %bb = tt.splat %b : !tt.ptr<i8> -> tensor<128x128x!tt.ptr<i8>>
  %bp = tt.addptr %bb, %bo : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
  %wr = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %wc = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %wre = tt.expand_dims %wr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %wce = tt.expand_dims %wc {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %ws = tt.splat %g : i32 -> tensor<128x1xi32>
  %wd = arith.muli %wre, %ws : tensor<128x1xi32>
  %wx = tt.broadcast %wd : tensor<128x1xi32> -> tensor<128x8xi32>
  %wy = tt.broadcast %wce : tensor<1x8xi32> -> tensor<128x8xi32>
  %wo = arith.addi %wx, %wy : tensor<128x8xi32>
  %wb = tt.splat %sb : !tt.ptr<i8> -> tensor<128x8x!tt.ptr<i8>>
  %wp = tt.addptr %wb, %wo : tensor<128x8x!tt.ptr<i8>>, tensor<128x8xi32>
  %or = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %oc = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ore = tt.expand_dims %or {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %oce = tt.expand_dims %oc {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %os = tt.splat %n : i32 -> tensor<128x1xi32>
  %od = arith.muli %ore, %os : tensor<128x1xi32>
  %ox = tt.broadcast %od : tensor<128x1xi32> -> tensor<128x128xi32>
  %oy = tt.broadcast %oce : tensor<1x128xi32> -> tensor<128x128xi32>
  %oo = arith.addi %ox, %oy : tensor<128x128xi32>
  %ob = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %op = tt.addptr %ob, %oo : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %ai = arith.muli %i, %step : i32
    %ais = tt.splat %ai : i32 -> tensor<128x128xi32>
    %aq = tt.addptr %ap, %ais : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
    %av = tt.load %aq : tensor<128x128x!tt.ptr<i8>>
    %ui = arith.muli %i, %gstep : i32
    %uis = tt.splat %ui : i32 -> tensor<128x8xi32>
    %uq = tt.addptr %up, %uis : tensor<128x8x!tt.ptr<i8>>, tensor<128x8xi32>
    %uv = tt.load %uq : tensor<128x8x!tt.ptr<i8>>
    %bi = arith.muli %i, %step : i32
    %bis = tt.splat %bi : i32 -> tensor<128x128xi32>
    %bq = tt.addptr %bp, %bis : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
    %bv = tt.load %bq : tensor<128x128x!tt.ptr<i8>>
    %wi = arith.muli %i, %gstep : i32
    %wis = tt.splat %wi : i32 -> tensor<128x8xi32>
    %wq = tt.addptr %wp, %wis : tensor<128x8x!tt.ptr<i8>>, tensor<128x8xi32>
    %wv = tt.load %wq : tensor<128x8x!tt.ptr<i8>>
    %t = tt.trans %bv {order = array<i32: 1, 0>} : tensor<128x128xi8> -> tensor<128x128xi8>
    %d = tt.dot_scaled %av scale %uv, %t scale %wv, %s lhs = e2m1 rhs = e2m1 {fastMath = false}
      : tensor<128x128xi8>, tensor<128x8xi8> * tensor<128x128xi8>, tensor<128x8xi8> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.store %op, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}
