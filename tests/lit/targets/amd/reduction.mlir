// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx942 --num-warps 1 --emit amdgcn | FileCheck %s --check-prefix=ONE
// RUN: %each_kernel %s --target gfx1100 --emit amdgcn | FileCheck %s --check-prefix=RDNA
// Reductions: registers first, then exchanges within the wave, then once through LDS among waves.

// Four waves of 64 lanes meet once. Within 16 lanes an exchange is a part of the addition.
// CHECK-LABEL: {{^}}all:
// CHECK: v_add_f32_dpp {{.*}} quad_perm:[1,0,3,2]
// CHECK: v_add_f32_dpp {{.*}} quad_perm:[2,3,0,1]
// CHECK: v_mov_b32_dpp {{.*}} row_half_mirror
// CHECK: v_add_f32_dpp {{.*}} quad_perm:[3,2,1,0]
// CHECK: v_add_f32_dpp {{.*}} row_ror:8
// CHECK: ds_swizzle_b32 {{.*}}swizzle(SWAP,16)
// CHECK: ds_bpermute_b32
// CHECK: ds_write_b32
// CHECK: s_barrier
// CHECK: ds_read_b128
// CHECK-NOT: s_barrier
// CHECK: s_endpgm
// One wave needs no LDS.
// ONE-LABEL: {{^}}all:
// ONE: ds_bpermute_b32
// ONE-NOT: {{ds_(read|write)|s_barrier}}
// ONE: s_endpgm
// Waves of 32 lanes, and one move for any xor within 16 lanes.
// RDNA-LABEL: {{^}}all:
// RDNA: v_add_f32_dpp {{.*}} quad_perm:[1,0,3,2]
// RDNA: v_add_f32_dpp {{.*}} quad_perm:[2,3,0,1]
// RDNA: v_add_f32_dpp {{.*}} row_xmask:4
// RDNA: v_add_f32_dpp {{.*}} row_xmask:8
// RDNA: v_permlanex16_b32
// RDNA-NOT: ds_{{swizzle|bpermute}}
// RDNA: ds_store_b32
// RDNA: s_barrier
// RDNA: s_endpgm
tt.func public @all(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.return
}
