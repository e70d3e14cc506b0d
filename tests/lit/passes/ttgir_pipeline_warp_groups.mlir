// RUN: tl-opt --ttgir-pipeline %s | FileCheck %s
// RUN: sed 's/warps = 4,/warps = 2,/' %s | tl-opt --ttgir-pipeline | FileCheck %s --check-prefix=TWO
// The whole pipeline makes one of a matrix product where groups of four warps have instructions: no tensor of an operand
// is left in registers, and nothing is converted.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
    matrix_instructions = [#ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 16], element = f16, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>]>} {

// CHECK-LABEL: @mm
// CHECK-NOT: ttg.convert_layout
// CHECK-COUNT-2: ttg.local_alloc {ordered} : () -> !ttg.memdesc<4x64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>>
// CHECK-COUNT-4: ttg.async_copy_global_to_local {{.*}} mask {{.*}} other
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: ttg.warp_group_dot {{.*}} {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
// CHECK: ttg.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-COUNT-2: ttg.async_copy_global_to_local {{.*}} mask {{.*}} other
// CHECK: scf.yield
// CHECK: ttg.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
// TWO-LABEL: @mm
// TWO-NOT: warp_group_dot
// TWO: tt.dot
tt.func public @mm(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %kn: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %cK = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %za = arith.constant dense<0.0> : tensor<64x64xf16>
  %zb = arith.constant dense<0.0> : tensor<64x64xf16>
  %rm = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rn = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rk = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %m = tt.expand_dims %rm {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %nn = tt.expand_dims %rn {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %k0 = tt.expand_dims %rk {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %k1 = tt.expand_dims %rk {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %kns = tt.splat %kn : i32 -> tensor<64x1xi32>
  %mk = arith.muli %m, %kns : tensor<64x1xi32>
  %mkb = tt.broadcast %mk : tensor<64x1xi32> -> tensor<64x64xi32>
  %k0b = tt.broadcast %k0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %offa = arith.addi %mkb, %k0b : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %pa = tt.addptr %as, %offa : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %ns = tt.splat %n : i32 -> tensor<64x1xi32>
  %kk = arith.muli %k1, %ns : tensor<64x1xi32>
  %kkb = tt.broadcast %kk : tensor<64x1xi32> -> tensor<64x64xi32>
  %nnb = tt.broadcast %nn : tensor<1x64xi32> -> tensor<64x64xi32>
  %offb = arith.addi %kkb, %nnb : tensor<64x64xi32>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %pb = tt.addptr %bs, %offb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %stepb = arith.muli %n, %cK : i32
  %sa = tt.splat %cK : i32 -> tensor<64x64xi32>
  %sb = tt.splat %stepb : i32 -> tensor<64x64xi32>
  %r:3 = scf.for %i = %c0 to %kn step %cK iter_args(%acc = %zero, %qa = %pa, %qb = %pb) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %left = arith.subi %kn, %i : i32
    %la = tt.splat %left : i32 -> tensor<64x64xi32>
    %lb = tt.splat %left : i32 -> tensor<64x64xi32>
    %k1b = tt.broadcast %k1 : tensor<64x1xi32> -> tensor<64x64xi32>
    %ma = arith.cmpi slt, %k0b, %la : tensor<64x64xi32>
    %mb = arith.cmpi slt, %k1b, %lb : tensor<64x64xi32>
    %x = tt.load %qa, %ma, %za : tensor<64x64x!tt.ptr<f16>>
    %y = tt.load %qb, %mb, %zb : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    
    %na = tt.addptr %qa, %sa : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %nb = tt.addptr %qb, %sb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %na, %nb : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  %nsm = tt.splat %n : i32 -> tensor<64x1xi32>
  %mn = arith.muli %m, %nsm : tensor<64x1xi32>
  %mnb = tt.broadcast %mn : tensor<64x1xi32> -> tensor<64x64xi32>
  %nnb2 = tt.broadcast %nn : tensor<1x64xi32> -> tensor<64x64xi32>
  %offo = arith.addi %mnb, %nnb2 : tensor<64x64xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %po = tt.addptr %os, %offo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %po, %r#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

}
