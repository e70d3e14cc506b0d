// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s
// Loops of products by instructions of single warps: copies some iterations ahead, one barrier an iteration, tiles of
// operands by ldmatrix.

// Where columns of the second operand lie together, tiles are turned as they are read.
// CHECK-LABEL: .entry rows(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 1
// CHECK: bar.sync
// CHECK-NOT: {{bar|ld.shared|st.shared}}
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: {{bar|ld.shared|st.shared}}
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
// CHECK: ret;
tt.func public @rows(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %ar = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ac = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %an = arith.constant dense<4096> : tensor<16x1xi32>
  %arn = arith.muli %are, %an : tensor<16x1xi32>
  %arb = tt.broadcast %arn : tensor<16x1xi32> -> tensor<16x64xi32>
  %acb = tt.broadcast %ace : tensor<1x64xi32> -> tensor<16x64xi32>
  %ao = arith.addi %arb, %acb : tensor<16x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %br = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bn = arith.constant dense<4096> : tensor<64x1xi32>
  %brn = arith.muli %bre, %bn : tensor<64x1xi32>
  %brb = tt.broadcast %brn : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tt.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %brb, %bcb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %cc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cn = arith.constant dense<64> : tensor<16x1xi32>
  %crn = arith.muli %cre, %cn : tensor<16x1xi32>
  %crb = tt.broadcast %crn : tensor<16x1xi32> -> tensor<16x64xi32>
  %ccb = tt.broadcast %cce : tensor<1x64xi32> -> tensor<16x64xi32>
  %co = arith.addi %crb, %ccb : tensor<16x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %as1 = arith.constant dense<64> : tensor<16x64xi32>
  %bs1 = arith.constant dense<262144> : tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<16x64xf32>, tensor<16x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %a = tt.load %pa : tensor<16x64x!tt.ptr<f16>>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
    %na = tt.addptr %pa, %as1 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
    %nb = tt.addptr %pb, %bs1 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %na, %nb : tensor<16x64xf32>, tensor<16x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.store %cp, %r#0 : tensor<16x64x!tt.ptr<f32>>
  tt.return
}

// Where k lies together in both, no tile is turned.
// CHECK-LABEL: .entry columns(
// CHECK: cp.async.wait_group 1
// CHECK: bar.sync
// CHECK-NOT: {{bar|trans|ld.shared|st.shared}}
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: {{bar|trans|ld.shared|st.shared}}
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: {{bar|trans|ld.shared|st.shared}}
// CHECK: cp.async.commit_group
// CHECK: ret;
tt.func public @columns(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %ar = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ac = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %an = arith.constant dense<4096> : tensor<16x1xi32>
  %arn = arith.muli %are, %an : tensor<16x1xi32>
  %arb = tt.broadcast %arn : tensor<16x1xi32> -> tensor<16x64xi32>
  %acb = tt.broadcast %ace : tensor<1x64xi32> -> tensor<16x64xi32>
  %ao = arith.addi %arb, %acb : tensor<16x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %br = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bn = arith.constant dense<4096> : tensor<1x64xi32>
  %bcn = arith.muli %bce, %bn : tensor<1x64xi32>
  %brb = tt.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tt.broadcast %bcn : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %brb, %bcb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %cc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cn = arith.constant dense<64> : tensor<16x1xi32>
  %crn = arith.muli %cre, %cn : tensor<16x1xi32>
  %crb = tt.broadcast %crn : tensor<16x1xi32> -> tensor<16x64xi32>
  %ccb = tt.broadcast %cce : tensor<1x64xi32> -> tensor<16x64xi32>
  %co = arith.addi %crb, %ccb : tensor<16x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %as1 = arith.constant dense<64> : tensor<16x64xi32>
  %bs1 = arith.constant dense<64> : tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<16x64xf32>, tensor<16x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %a = tt.load %pa : tensor<16x64x!tt.ptr<f16>>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
    %na = tt.addptr %pa, %as1 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
    %nb = tt.addptr %pb, %bs1 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %na, %nb : tensor<16x64xf32>, tensor<16x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.store %cp, %r#0 : tensor<16x64x!tt.ptr<f32>>
  tt.return
}

// A row of a tile is four words of 32 bits, too.
// CHECK-LABEL: .entry singles(
// CHECK: cp.async.cg.shared.global
// CHECK: bar.sync
// CHECK-NOT: ld.shared
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: ld.shared
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: ret;
tt.func public @singles(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %ar = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<4096> : tensor<16x1xi32>
  %arn = arith.muli %are, %an : tensor<16x1xi32>
  %arb = tt.broadcast %arn : tensor<16x1xi32> -> tensor<16x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<16x32xi32>
  %ao = arith.addi %arb, %acb : tensor<16x32xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ao : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bn = arith.constant dense<4096> : tensor<1x64xi32>
  %bcn = arith.muli %bce, %bn : tensor<1x64xi32>
  %brb = tt.broadcast %bre : tensor<32x1xi32> -> tensor<32x64xi32>
  %bcb = tt.broadcast %bcn : tensor<1x64xi32> -> tensor<32x64xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x64xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %bo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %cr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %cc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cn = arith.constant dense<64> : tensor<16x1xi32>
  %crn = arith.muli %cre, %cn : tensor<16x1xi32>
  %crb = tt.broadcast %crn : tensor<16x1xi32> -> tensor<16x64xi32>
  %ccb = tt.broadcast %cce : tensor<1x64xi32> -> tensor<16x64xi32>
  %co = arith.addi %crb, %ccb : tensor<16x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %as1 = arith.constant dense<32> : tensor<16x32xi32>
  %bs1 = arith.constant dense<32> : tensor<32x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<16x64xf32>, tensor<16x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>) : i32 {
    %a = tt.load %pa : tensor<16x32x!tt.ptr<f32>>
    %b = tt.load %pb : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x64xf32> -> tensor<16x64xf32>
    %na = tt.addptr %pa, %as1 : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %nb = tt.addptr %pb, %bs1 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    scf.yield %d, %na, %nb : tensor<16x64xf32>, tensor<16x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>
  }
  tt.store %cp, %r#0 : tensor<16x64x!tt.ptr<f32>>
  tt.return
}

// Bytes that are widened come four neighbours along k at a time, and so do halves, which are multiplied with them.
// CHECK-LABEL: .entry widened(
// CHECK: cp.async.cg.shared.global
// CHECK: bar.sync
// CHECK-NOT: {{bar|st.shared}}
// CHECK-DAG: ld.shared.v2.b32
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: cvt.rn.f16.s16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: {{bar|st.shared}}
// CHECK: cp.async.commit_group
// CHECK: ret;
tt.func public @widened(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %ar = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ac = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %an = arith.constant dense<4096> : tensor<16x1xi32>
  %arn = arith.muli %are, %an : tensor<16x1xi32>
  %arb = tt.broadcast %arn : tensor<16x1xi32> -> tensor<16x64xi32>
  %acb = tt.broadcast %ace : tensor<1x64xi32> -> tensor<16x64xi32>
  %ao = arith.addi %arb, %acb : tensor<16x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %br = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bn = arith.constant dense<4096> : tensor<1x64xi32>
  %bcn = arith.muli %bce, %bn : tensor<1x64xi32>
  %brb = tt.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tt.broadcast %bcn : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %brb, %bcb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %cr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %cc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cn = arith.constant dense<64> : tensor<16x1xi32>
  %crn = arith.muli %cre, %cn : tensor<16x1xi32>
  %crb = tt.broadcast %crn : tensor<16x1xi32> -> tensor<16x64xi32>
  %ccb = tt.broadcast %cce : tensor<1x64xi32> -> tensor<16x64xi32>
  %co = arith.addi %crb, %ccb : tensor<16x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %as1 = arith.constant dense<64> : tensor<16x64xi32>
  %bs1 = arith.constant dense<64> : tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<16x64xf32>, tensor<16x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<i8>>) : i32 {
    %a = tt.load %pa : tensor<16x64x!tt.ptr<f16>>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<i8>>
    %h = arith.sitofp %b : tensor<64x64xi8> to tensor<64x64xf16>
    %d = tt.dot %a, %h, %acc : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
    %na = tt.addptr %pa, %as1 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
    %nb = tt.addptr %pb, %bs1 : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
    scf.yield %d, %na, %nb : tensor<16x64xf32>, tensor<16x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<i8>>
  }
  tt.store %cp, %r#0 : tensor<16x64x!tt.ptr<f32>>
  tt.return
}

// One row is multiplied as if there were sixteen.
// CHECK-LABEL: .entry row(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ret;
tt.func public @row(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %ar = tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32>
  %ac = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %an = arith.constant dense<4096> : tensor<1x1xi32>
  %arn = arith.muli %are, %an : tensor<1x1xi32>
  %arb = tt.broadcast %arn : tensor<1x1xi32> -> tensor<1x64xi32>
  %acb = tt.broadcast %ace : tensor<1x64xi32> -> tensor<1x64xi32>
  %ao = arith.addi %arb, %acb : tensor<1x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
  %br = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bn = arith.constant dense<4096> : tensor<64x1xi32>
  %brn = arith.muli %bre, %bn : tensor<64x1xi32>
  %brb = tt.broadcast %brn : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tt.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %brb, %bcb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cr = tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32>
  %cc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cn = arith.constant dense<64> : tensor<1x1xi32>
  %crn = arith.muli %cre, %cn : tensor<1x1xi32>
  %crb = tt.broadcast %crn : tensor<1x1xi32> -> tensor<1x64xi32>
  %ccb = tt.broadcast %cce : tensor<1x64xi32> -> tensor<1x64xi32>
  %co = arith.addi %crb, %ccb : tensor<1x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
  %zero = arith.constant dense<0.0> : tensor<1x64xf32>
  %as1 = arith.constant dense<64> : tensor<1x64xi32>
  %bs1 = arith.constant dense<262144> : tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<1x64xf32>, tensor<1x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %a = tt.load %pa : tensor<1x64x!tt.ptr<f16>>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<1x64xf16> * tensor<64x64xf16> -> tensor<1x64xf32>
    %na = tt.addptr %pa, %as1 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
    %nb = tt.addptr %pb, %bs1 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %na, %nb : tensor<1x64xf32>, tensor<1x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.store %cp, %r#0 : tensor<1x64x!tt.ptr<f32>>
  tt.return
}

// Of four along k, two lanes of each four have nothing to add.
// CHECK-LABEL: .entry narrow(
// CHECK: selp.b16
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// CHECK: ret;
tt.func public @narrow(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %ar = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ac = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %an = arith.constant dense<4096> : tensor<16x1xi32>
  %arn = arith.muli %are, %an : tensor<16x1xi32>
  %arb = tt.broadcast %arn : tensor<16x1xi32> -> tensor<16x4xi32>
  %acb = tt.broadcast %ace : tensor<1x4xi32> -> tensor<16x4xi32>
  %ao = arith.addi %arb, %acb : tensor<16x4xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<16x4x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<16x4x!tt.ptr<f16>>, tensor<16x4xi32>
  %br = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %bc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bn = arith.constant dense<4096> : tensor<4x1xi32>
  %brn = arith.muli %bre, %bn : tensor<4x1xi32>
  %brb = tt.broadcast %brn : tensor<4x1xi32> -> tensor<4x64xi32>
  %bcb = tt.broadcast %bce : tensor<1x64xi32> -> tensor<4x64xi32>
  %bo = arith.addi %brb, %bcb : tensor<4x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<4x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<4x64x!tt.ptr<f16>>, tensor<4x64xi32>
  %cr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %cc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cn = arith.constant dense<64> : tensor<16x1xi32>
  %crn = arith.muli %cre, %cn : tensor<16x1xi32>
  %crb = tt.broadcast %crn : tensor<16x1xi32> -> tensor<16x64xi32>
  %ccb = tt.broadcast %cce : tensor<1x64xi32> -> tensor<16x64xi32>
  %co = arith.addi %crb, %ccb : tensor<16x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %as1 = arith.constant dense<4> : tensor<16x4xi32>
  %bs1 = arith.constant dense<16384> : tensor<4x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<16x64xf32>, tensor<16x4x!tt.ptr<f16>>, tensor<4x64x!tt.ptr<f16>>) : i32 {
    %a = tt.load %pa : tensor<16x4x!tt.ptr<f16>>
    %b = tt.load %pb : tensor<4x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<16x4xf16> * tensor<4x64xf16> -> tensor<16x64xf32>
    %na = tt.addptr %pa, %as1 : tensor<16x4x!tt.ptr<f16>>, tensor<16x4xi32>
    %nb = tt.addptr %pb, %bs1 : tensor<4x64x!tt.ptr<f16>>, tensor<4x64xi32>
    scf.yield %d, %na, %nb : tensor<16x64xf32>, tensor<16x4x!tt.ptr<f16>>, tensor<4x64x!tt.ptr<f16>>
  }
  tt.store %cp, %r#0 : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
