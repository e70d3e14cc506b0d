// RUN: tl-opt --select-matrix-instructions %s | FileCheck %s
// RUN: sed 's/warps = 4,/warps = 16,/' %s | tl-opt --select-matrix-instructions | FileCheck %s --check-prefix=SIXTEEN
// RUN: sed 's/warps = 4,/warps = 2,/' %s | tl-opt --select-matrix-instructions | FileCheck %s --check-prefix=TWO
// RUN: sed 's/warps = 4,/warps = 1,/' %s | tl-opt --select-matrix-instructions | FileCheck %s --check-prefix=TWO
// Instructions of groups of four warps compute products that are large enough and of their types.

// Less than a group of warps has none of them.
// TWO-NOT: tt.dot {{.*}}family = "wgmma"

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
    matrix_instructions = [#ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 16], element = f16, sum = f32>,
                           #ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 16], element = bf16, sum = f32>,
                           #ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 8], element = tf32, sum = f32>,
                           #ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 32], element = i8, sum = i32>,
                           #ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 32], element = f8E4M3FN, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 8], element = tf32, sum = f32>]>} {

// An instruction is as wide as the columns of a group of warps, but 256 at most. Operands have no anchors: they go to
// shared memory. Warps go along the rows as long as each has 16.
// CHECK-LABEL: @halves
// CHECK: tt.dot {{.*}} {ttg.anchor = #ttg.layout<mma [64, 512], warps = [4, 1]>, ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 256, 16], element = f16, sum = f32>} :
// CHECK: tt.dot {{.*}} shape = [64, 8, 16], element = bf16, sum = f32>} :
// SIXTEEN-LABEL: @halves
// SIXTEEN: tt.dot {{.*}} {ttg.anchor = #ttg.layout<wgmma [64, 512], n = 128, warps = [4, 4]>, ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 128, 16]
// SIXTEEN-NOT: family = "wgmma"
// SIXTEEN: tt.return
tt.func public @halves(%a: tensor<64x16xf16>, %b: tensor<16x512xf16>, %c: tensor<64x512xf32>,
                       %d: tensor<128x32xbf16>, %e: tensor<32x8xbf16>, %f: tensor<128x8xf32>) {
  %x = tt.dot %a, %b, %c : tensor<64x16xf16> * tensor<16x512xf16> -> tensor<64x512xf32>
  %y = tt.dot %d, %e, %f : tensor<128x32xbf16> * tensor<32x8xbf16> -> tensor<128x8xf32>
  tt.return
}

// A first operand that follows from a product stays in registers, in the layout that the instruction takes.
// CHECK-LABEL: @chained
// CHECK: %[[X:.*]] = tt.dot {{.*}} shape = [64, 32, 16], element = f16, sum = f32>} :
// CHECK: %[[H:.*]] = arith.truncf %[[X]]
// CHECK: tt.dot %[[H]], {{.*}} shape = [64, 64, 16], element = f16, sum = f32>, ttg.operand_anchors = [#ttg.layout<mma [64, 32], warps = [4, 1]>]}
tt.func public @chained(%a: tensor<64x16xf16>, %b: tensor<16x32xf16>, %c: tensor<64x32xf32>, %d: tensor<32x64xf16>, %e: tensor<64x64xf32>) {
  %x = tt.dot %a, %b, %c : tensor<64x16xf16> * tensor<16x32xf16> -> tensor<64x32xf32>
  %h = arith.truncf %x : tensor<64x32xf32> to tensor<64x32xf16>
  %y = tt.dot %h, %d, %e : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  tt.return
}

// So does one that a loop makes of integers which it loads.
// CHECK-LABEL: @widened
// CHECK: %[[H:.*]] = arith.sitofp
// CHECK: tt.dot %[[H]], {{.*}} shape = [64, 64, 16], element = f16, sum = f32>, ttg.operand_anchors = [#ttg.layout<mma [64, 32], warps = [4, 1]>]}
tt.func public @widened(%p: tensor<64x32x!tt.ptr<i8>>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %p : tensor<64x32x!tt.ptr<i8>>
    %h = arith.sitofp %x : tensor<64x32xi8> to tensor<64x32xf16>
    %y = tt.dot %h, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tt.return
}

// Full precision of f32 is not what an instruction for tf32 computes.
// CHECK-LABEL: @others
// CHECK: tt.dot {{.*}}family = "wgmma", shape = [64, 64, 8], element = tf32, sum = f32>} :
// CHECK-NOT: ttg.instruction
// CHECK: tt.dot {{.*}}family = "wgmma", shape = [64, 64, 32], element = i8, sum = i32>} :
tt.func public @others(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>, %i: tensor<64x32xi8>, %j: tensor<32x64xi8>, %k: tensor<64x64xi32>) {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %e = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %f = tt.dot %i, %j, %k : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>
  tt.return
}

// Products of fp8 are added up imprecisely by an instruction, which must be allowed for as many as it has; otherwise they
// are widened.
// CHECK-LABEL: @fp8
// CHECK: tt.dot {{.*}}family = "mma", shape = [16, 8, 16], element = f16
// CHECK: tt.dot {{.*}}maxNumImpreciseAcc = 31 : i32{{.*}}family = "mma", shape = [16, 8, 16], element = f16
// CHECK: tt.dot {{.*}}maxNumImpreciseAcc = 32 : i32{{.*}}family = "wgmma", shape = [64, 64, 32], element = f8E4M3FN, sum = f32>} :
tt.func public @fp8(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E5M2>, %c: tensor<64x64xf32>) {
  %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  %e = tt.dot %a, %b, %c {maxNumImpreciseAcc = 31 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  %f = tt.dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  tt.return
}

// A first operand that a loop loads along its rows comes from registers, in which a lane has neighbouring rows: registers
// count rows first, then lanes and warps, in the result as in the operand.
// CHECK-LABEL: @along_rows
// CHECK: tt.dot {{.*}} {ttg.anchor = #ttg.layout<linear [64, 64], register = {{\[\[}}0, 1], [1, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [16, 0], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [32, 0]]
// CHECK-SAME: shape = [64, 64, 8], element = tf32, sum = f32>, ttg.operand_anchors = [#ttg.layout<linear [64, 32], register = {{\[\[}}1, 0], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}0, 1], [0, 2], [16, 0], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [32, 0]]
// The second product's lies along k.
// CHECK: tt.dot {{.*}} {ttg.anchor = #ttg.layout<mma [64, 64], warps = [4, 1]>, ttg.instruction = {{.*}} shape = [64, 64, 8], element = tf32, sum = f32>} :
tt.func public @along_rows(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %kr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %m = tt.expand_dims %mr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %k = tt.expand_dims %kr {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitchk = arith.constant dense<1024> : tensor<1x32xi32>
  %pitchm = arith.constant dense<1024> : tensor<64x1xi32>
  %kd = arith.muli %k, %pitchk : tensor<1x32xi32>
  %md = arith.muli %m, %pitchm : tensor<64x1xi32>
  %mb = tt.broadcast %m : tensor<64x1xi32> -> tensor<64x32xi32>
  %kb = tt.broadcast %kd : tensor<1x32xi32> -> tensor<64x32xi32>
  %mdb = tt.broadcast %md : tensor<64x1xi32> -> tensor<64x32xi32>
  %kkb = tt.broadcast %k : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %mb, %kb : tensor<64x32xi32>
  %u = arith.addi %mdb, %kkb : tensor<64x32xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %po = tt.addptr %s, %o : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %pu = tt.addptr %s, %u : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c, %y = %c) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %a = tt.load %po : tensor<64x32x!tt.ptr<f32>>
    %e = tt.load %pu : tensor<64x32x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %x, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %f = tt.dot %e, %b, %y, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %d, %f : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tt.return
}

// Too few rows, columns or k, a sum that is rounded to f16, and three axes are for other instructions or none.
// CHECK-LABEL: @small
// CHECK-NOT: family = "wgmma"
// CHECK: tt.return
tt.func public @small(%a: tensor<32x16xf16>, %b: tensor<16x64xf16>, %c: tensor<32x64xf32>, %d: tensor<64x16xf16>, %e: tensor<16x4xf16>, %f: tensor<64x4xf32>,
                      %g: tensor<64x64xf16>, %h: tensor<64x8xf16>, %i: tensor<8x64xf16>, %j: tensor<64x64xf32>, %k: tensor<2x64x64xf16>, %l: tensor<2x64x64xf32>) {
  %x = tt.dot %a, %b, %c : tensor<32x16xf16> * tensor<16x64xf16> -> tensor<32x64xf32>
  %y = tt.dot %d, %e, %f : tensor<64x16xf16> * tensor<16x4xf16> -> tensor<64x4xf32>
  %z = tt.dot %d, %b, %g : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf16>
  %w = tt.dot %h, %i, %j : tensor<64x8xf16> * tensor<8x64xf16> -> tensor<64x64xf32>
  %v = tt.dot %k, %k, %l : tensor<2x64x64xf16> * tensor<2x64x64xf16> -> tensor<2x64x64xf32>
  tt.return
}

}
