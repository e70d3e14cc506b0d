// RUN: tlc compile %s --num-warps 8 --num-stages 2 --target sm_90a --emit ttgir | FileCheck %s
// RUN: tlc compile %s --num-warps 8 --num-stages 3 --target sm_90a --emit ttgir | FileCheck %s
// A block that two products take, one of them in another layout of shared memory: whoever reads it to write it there has waited
// for it, too.

// CHECK: scf.for
// CHECK-NOT: ttg.local_load
// CHECK: ttg.wait_barrier
// CHECK: ttg.local_load
// CHECK: ttg.local_alloc %
// CHECK: ttg.warp_group_dot
// CHECK: ttg.warp_group_dot
// CHECK: ttg.arrive_barrier
tt.func public @twice(%c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %acc = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant dense<1.000000e+00> : tensor<64x64xf32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %cst_1 = arith.constant dense<16> : tensor<64x1xi32>
  %q = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_2 = tt.expand_dims %q {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %q_3 = arith.muli %q_2, %cst_1 : tensor<64x1xi32>
  %q_4 = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
  %q_5 = tt.addptr %q_4, %q_3 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
  %q_6 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %q_7 = tt.expand_dims %q_6 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %q_8 = tt.broadcast %q_5 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x16x!tt.ptr<f16>>
  %q_9 = tt.broadcast %q_7 : tensor<1x16xi32> -> tensor<64x16xi32>
  %q_10 = tt.addptr %q_8, %q_9 : tensor<64x16x!tt.ptr<f16>>, tensor<64x16xi32>
  %q_11 = tt.load %q_10 : tensor<64x16x!tt.ptr<f16>>
  %acc_12 = scf.for %kk = %c0_i32 to %n step %c64_i32 iter_args(%acc_13 = %acc) -> (tensor<64x16xf32>) : i32 {
    %kq = tt.splat %kk : i32 -> tensor<64xi32>
    %kq_14 = arith.addi %kq, %q : tensor<64xi32>
    %kq_15 = tt.expand_dims %kq_14 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %kq_16 = arith.muli %kq_15, %cst_1 : tensor<64x1xi32>
    %kq_17 = tt.splat %b : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %kq_18 = tt.addptr %kq_17, %kq_16 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %kq_19 = tt.broadcast %kq_18 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x16x!tt.ptr<f16>>
    %kq_20 = tt.addptr %kq_19, %q_9 : tensor<64x16x!tt.ptr<f16>>, tensor<64x16xi32>
    %kq_21 = tt.load %kq_20 : tensor<64x16x!tt.ptr<f16>>
    %p = tt.trans %kq_21 {order = array<i32: 1, 0>} : tensor<64x16xf16> -> tensor<16x64xf16>
    %p_22 = tt.dot %q_11, %p, %cst_0 : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
    %p_23 = arith.cmpf ogt, %p_22, %cst : tensor<64x64xf32>
    %p_24 = arith.select %p_23, %cst, %cst_0 : tensor<64x64xi1>, tensor<64x64xf32>
    %p_25 = arith.truncf %p_24 : tensor<64x64xf32> to tensor<64x64xf16>
    %acc_26 = tt.dot %p_25, %kq_21, %acc_13 : tensor<64x64xf16> * tensor<64x16xf16> -> tensor<64x16xf32>
    scf.yield %acc_26 : tensor<64x16xf32>
  }
  %0 = tt.splat %c : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %1 = tt.addptr %0, %q_3 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %2 = tt.broadcast %1 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x16x!tt.ptr<f32>>
  %3 = tt.addptr %2, %q_9 : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  tt.store %3, %acc_12 : tensor<64x16x!tt.ptr<f32>>
  tt.return
}
