// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx90a --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx950 --emit amdgcn | FileCheck %s --check-prefix=CDNA4
// RUN: %each_kernel %s --target gfx1100 --emit amdgcn | FileCheck %s --check-prefix=RDNA
// RUN: %each_kernel %s --target gfx1201 --emit amdgcn | FileCheck %s --check-prefix=RDNA
// RUN: %each_kernel %s --target gfx1100 --emit llir | FileCheck %s --check-prefix=LLIR
// Loops of products: the next tile is on its way in registers while this one is multiplied, operands come from LDS by wide
// reads, and the sums stay where the instructions add to them.

// Four warps have 64 x 64 of the result each: 32 products in an iteration. The second operand is stored with its rows, not k,
// along memory, and is turned on the way to LDS.
// CHECK-LABEL: {{^}}product:
// CHECK-NOT: scratch_{{load|store}}
// CHECK: s_barrier
// CHECK: ds_read
// CHECK-NOT: v_accvgpr
// CHECK: v_mfma_f32_32x32x8
// CHECK-NOT: v_accvgpr
// CHECK: s_barrier
// CHECK-NOT: v_accvgpr
// CHECK: ds_write_b128
// CHECK-NOT: v_accvgpr
// CHECK: s_cbranch
// CHECK-NOT: scratch_{{load|store}}
// CHECK: .agpr_count: 64
// CHECK: .group_segment_fixed_size: 32768
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
//
// On gfx950 both operands go to LDS by themselves, and the second one is turned by the reads.
// CDNA4-LABEL: {{^}}product:
// CDNA4: ds_read_b64_tr_b16
// CDNA4: v_mfma_f32_32x32x16
// CDNA4-COUNT-8: global_load_lds_dwordx4
// CDNA4: .group_segment_fixed_size: 65536
// CDNA4: .vgpr_spill_count: 0
//
// The results take 128 of 256 registers. Fragments that differ by rows alone are read at one address and an offset, and after
// the loop what follows from the thread's number is computed again.
// RDNA-LABEL: {{^}}product:
// RDNA-NOT: scratch_{{load|store}}
// RDNA: v_wmma_f32_16x16x16_f16
// RDNA-NOT: scratch_{{load|store}}
// RDNA: .vgpr_spill_count: {{ *}}0
//
// LLIR-LABEL: @product(
// LLIR: %[[WAVE:.*]] = call i32 @llvm.amdgcn.readfirstlane.i32(
// LLIR: call <8 x float> @llvm.amdgcn.wmma
// LLIR: %[[FIRST:.*]] = shl nuw nsw i32 %[[WAVE]], 5
// LLIR: or disjoint i32 %[[FIRST]], %
tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %pid = tt.get_program_id x : i32
  %pjd = tt.get_program_id y : i32
  %bm = arith.constant 128 : i32
  %bn = arith.constant 128 : i32
  %bk = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %i0 = arith.muli %pid, %bm : i32
  %j0 = arith.muli %pjd, %bn : i32
  %rm = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %rn = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %rk = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %sm = tt.splat %i0 : i32 -> tensor<128xi32>
  %om = arith.addi %sm, %rm : tensor<128xi32>
  %sn = tt.splat %j0 : i32 -> tensor<128xi32>
  %on = arith.addi %sn, %rn : tensor<128xi32>
  %par = tt.expand_dims %om {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pac = tt.expand_dims %rk {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pap = tt.splat %k : i32 -> tensor<128x1xi32>
  %paq = arith.muli %par, %pap : tensor<128x1xi32>
  %pas = tt.broadcast %paq : tensor<128x1xi32> -> tensor<128x64xi32>
  %pat = tt.broadcast %pac : tensor<1x64xi32> -> tensor<128x64xi32>
  %pao = arith.addi %pas, %pat : tensor<128x64xi32>
  %pab = tt.splat %a : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %pa = tt.addptr %pab, %pao : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %pbr = tt.expand_dims %rk {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pbc = tt.expand_dims %on {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %pbp = tt.splat %n : i32 -> tensor<64x1xi32>
  %pbq = arith.muli %pbr, %pbp : tensor<64x1xi32>
  %pbs = tt.broadcast %pbq : tensor<64x1xi32> -> tensor<64x128xi32>
  %pbt = tt.broadcast %pbc : tensor<1x128xi32> -> tensor<64x128xi32>
  %pbo = arith.addi %pbs, %pbt : tensor<64x128xi32>
  %pbb = tt.splat %b : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %pb = tt.addptr %pbb, %pbo : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  %pcr = tt.expand_dims %om {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pcc = tt.expand_dims %on {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %pcp = tt.splat %n : i32 -> tensor<128x1xi32>
  %pcq = arith.muli %pcr, %pcp : tensor<128x1xi32>
  %pcs = tt.broadcast %pcq : tensor<128x1xi32> -> tensor<128x128xi32>
  %pct = tt.broadcast %pcc : tensor<1x128xi32> -> tensor<128x128xi32>
  %pco = arith.addi %pcs, %pct : tensor<128x128xi32>
  %pcb = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %pc = tt.addptr %pcb, %pco : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  %z = arith.constant dense<0.0> : tensor<128x128xf32>
  %sa0 = arith.addi %bk, %c0 : i32
  %sb0 = arith.muli %n, %bk : i32
  %sa = tt.splat %sa0 : i32 -> tensor<128x64xi32>
  %sb = tt.splat %sb0 : i32 -> tensor<64x128xi32>
  %r:3 = scf.for %i = %c0 to %k step %bk iter_args(%s = %z, %x = %pa, %y = %pb) -> (tensor<128x128xf32>, tensor<128x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<f16>>) : i32 {
  %la = tt.load %x : tensor<128x64x!tt.ptr<f16>>
  %lb = tt.load %y : tensor<64x128x!tt.ptr<f16>>
  %d = tt.dot %la, %lb, %s : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
  %xn = tt.addptr %x, %sa : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %yn = tt.addptr %y, %sb : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  scf.yield %d, %xn, %yn : tensor<128x128xf32>, tensor<128x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<f16>>
}
  tt.store %pc, %r#0 : tensor<128x128x!tt.ptr<f32>>
  tt.return
}
