// RUN: %each_kernel %s --target gfx950 --num-warps 1 --num-stages 3 --emit ttgir | FileCheck %s --check-prefix=IR
// RUN: %each_kernel %s --target gfx950 --num-warps 1 --num-stages 3 --emit amdgcn | FileCheck %s
// Loads of LDS whose masked elements are zeros: every copy is made, so that the waits can count them, and what is
// masked comes from zeros in memory.

// Whether a row exists is known for each register: none has a mask that is computed.
// IR-LABEL: @rows_with_a_constant_bound
// IR: ttg.async_copy_global_to_local {{.*}}ttg.copies_zeros
// CHECK-LABEL: {{^}}rows_with_a_constant_bound:
// CHECK: global_load_lds
tt.func public @rows_with_a_constant_bound(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %cK = arith.constant 512 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %zh = arith.constant dense<0.0> : tensor<16x512xf16>
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %q = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %rl = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %qe = tt.expand_dims %q {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %ql = tt.expand_dims %q {axis = 1 : i32} : tensor<512xi32> -> tensor<512x1xi32>
  %s1 = tt.splat %k : i32 -> tensor<16x1xi32>
  %d1 = arith.muli %re, %s1 : tensor<16x1xi32>
  %x1 = tt.broadcast %d1 : tensor<16x1xi32> -> tensor<16x512xi32>
  %y1 = tt.broadcast %qe : tensor<1x512xi32> -> tensor<16x512xi32>
  %o1 = arith.addi %x1, %y1 : tensor<16x512xi32>
  %p1 = tt.splat %a : !tt.ptr<f16> -> tensor<16x512x!tt.ptr<f16>>
  %ap = tt.addptr %p1, %o1 : tensor<16x512x!tt.ptr<f16>>, tensor<16x512xi32>
  %s2 = tt.splat %k : i32 -> tensor<1x16xi32>
  %d2 = arith.muli %rl, %s2 : tensor<1x16xi32>
  %x2 = tt.broadcast %d2 : tensor<1x16xi32> -> tensor<512x16xi32>
  %y2 = tt.broadcast %ql : tensor<512x1xi32> -> tensor<512x16xi32>
  %o2 = arith.addi %x2, %y2 : tensor<512x16xi32>
  %p2 = tt.splat %b : !tt.ptr<f16> -> tensor<512x16x!tt.ptr<f16>>
  %bp = tt.addptr %p2, %o2 : tensor<512x16x!tt.ptr<f16>>, tensor<512x16xi32>
  %m8 = arith.constant dense<8> : tensor<16x1xi32>
  %mr = arith.cmpi slt, %re, %m8 : tensor<16x1xi32>
  %m = tt.broadcast %mr : tensor<16x1xi1> -> tensor<16x512xi1>
  %sum = scf.for %ii = %c0 to %c8 step %one iter_args(%s = %zero) -> (tensor<16x16xf32>) : i32 {
    %i = arith.muli %ii, %cK : i32
    %i1 = tt.splat %i : i32 -> tensor<16x512xi32>
    %i2 = tt.splat %i : i32 -> tensor<512x16xi32>
    %x = tt.addptr %ap, %i1 : tensor<16x512x!tt.ptr<f16>>, tensor<16x512xi32>
    %y = tt.addptr %bp, %i2 : tensor<512x16x!tt.ptr<f16>>, tensor<512x16xi32>
    %la = tt.load %x, %m, %zh : tensor<16x512x!tt.ptr<f16>>
    %lb = tt.load %y : tensor<512x16x!tt.ptr<f16>>
    %d = tt.dot %la, %lb, %s : tensor<16x512xf16> * tensor<512x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %cc = arith.constant dense<16> : tensor<16x1xi32>
  %cd = arith.muli %re, %cc : tensor<16x1xi32>
  %cx = tt.broadcast %cd : tensor<16x1xi32> -> tensor<16x16xi32>
  %cy = tt.broadcast %rl : tensor<1x16xi32> -> tensor<16x16xi32>
  %co = arith.addi %cx, %cy : tensor<16x16xi32>
  %cb = tt.splat %c : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %cp = tt.addptr %cb, %co : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %cp, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// A mask of the program that is one value for the whole block is not that of the loop's last iterations.
// IR-LABEL: @blocks_masked_as_a_whole
// IR: ttg.async_copy_global_to_local {{.*}}ttg.copies_zeros
// CHECK-LABEL: {{^}}blocks_masked_as_a_whole:
// CHECK-NOT: ds_write_b128
// CHECK: v_cndmask
// CHECK: global_load_lds
tt.func public @blocks_masked_as_a_whole(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %lim: i32, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zh = arith.constant dense<0.0> : tensor<64x64xf16>
  %ar = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tt.expand_dims %ar {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %k : i32 -> tensor<64x1xi32>
  %ad = arith.muli %are, %as : tensor<64x1xi32>
  %ax = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ay = tt.broadcast %ace : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %ax, %ay : tensor<64x64xi32>
  %ab = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %ab, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bs = tt.splat %n : i32 -> tensor<64x1xi32>
  %bd = arith.muli %are, %bs : tensor<64x1xi32>
  %bx = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bx, %ay : tensor<64x64xi32>
  %bb = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bb, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cb = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cb, %bo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %c8 = arith.constant 8 : i32
  %sum = scf.for %ii = %c0 to %c8 step %one iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %i = arith.muli %ii, %c64 : i32
    %as2 = tt.splat %i : i32 -> tensor<64x64xi32>
    %in = arith.muli %i, %n : i32
    %bs2 = tt.splat %in : i32 -> tensor<64x64xi32>
    %x = tt.addptr %ap, %as2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %y = tt.addptr %bp, %bs2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    
    %par = arith.andi %ii, %one : i32
    %isodd = arith.cmpi eq, %par, %lim : i32
    %m = tt.splat %isodd : i1 -> tensor<64x64xi1>
    %la = tt.load %x, %m, %zh : tensor<64x64x!tt.ptr<f16>>
    %lb = tt.load %y, %m, %zh : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %la, %lb, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
