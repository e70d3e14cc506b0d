// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=OLD
// Products on matrix instructions where the shapes and types have them, else multiply-adds.

// Halves, summed in f32.
// CHECK-LABEL: .entry halves(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ret;
// OLD-LABEL: .entry halves(
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// OLD: ret;
tt.func public @halves(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<f16>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<f16>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// The same for bf16.
// CHECK-LABEL: .entry bf16(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: ret;
// OLD-LABEL: .entry bf16(
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// OLD: ret;
tt.func public @bf16(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<bf16>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<bf16>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// A result of halves is rounded once, at the end.
// CHECK-LABEL: .entry half_sums(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: cvt.rn.f16{{(x2)?}}.f32
// CHECK: ret;
// OLD-LABEL: .entry half_sums(
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// OLD: cvt.rn.f16{{(x2)?}}.f32
// OLD: ret;
tt.func public @half_sums(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<f16>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<f16>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf16>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<f16>>
  tt.return
}

// tf32 where the program allows it: of the operands the instruction takes the bits that tf32 has.
// CHECK-LABEL: .entry single(
// CHECK-NOT: cvt.rna
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: ret;
// OLD-LABEL: .entry single(
// OLD-NOT: cvt.rna
// OLD: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// OLD: ret;
tt.func public @single(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<f32>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// Exact f32 is multiply-adds.
// CHECK-LABEL: .entry exact(
// CHECK-NOT: mma
// CHECK: fma.rn.f32
// CHECK: ret;
// OLD-LABEL: .entry exact(
// OLD-NOT: mma
// OLD: fma.rn.f32
// OLD: ret;
tt.func public @exact(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<f32>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// Bytes into i32.
// CHECK-LABEL: .entry bytes(
// CHECK: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK: ret;
// OLD-LABEL: .entry bytes(
// OLD: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// OLD: ret;
tt.func public @bytes(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<i8> -> tensor<32x32x!tt.ptr<i8>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<i8>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<i8>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<i8> -> tensor<32x32x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<i8>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<i8>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<i32>>
  %d = tt.dot %a, %b, %c : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<i32>>
  tt.return
}

// f64 has an instruction of its own.
// CHECK-LABEL: .entry doubles(
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// CHECK: ret;
// OLD-LABEL: .entry doubles(
// OLD: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// OLD: ret;
tt.func public @doubles(%x: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f64> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<f64> -> tensor<32x32x!tt.ptr<f64>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f64>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<f64>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<f64> -> tensor<32x32x!tt.ptr<f64>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f64>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<f64>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<f64> -> tensor<32x32x!tt.ptr<f64>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f64>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<f64>>
  %d = tt.dot %a, %b, %c : tensor<32x32xf64> * tensor<32x32xf64> -> tensor<32x32xf64>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<f64>>
  tt.return
}

// fp8 becomes f16, by instruction from sm_89 on.
// CHECK-LABEL: .entry fp8(
// CHECK: cvt.rn.f16x2.e4m3x2
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ret;
// OLD-LABEL: .entry fp8(
// OLD-NOT: e4m3x2
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// OLD: ret;
tt.func public @fp8(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<32x1xi32>
  %arn = arith.muli %are, %an : tensor<32x1xi32>
  %arb = tt.broadcast %arn : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<32x32x!tt.ptr<f8E4M3FN>>
  %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f8E4M3FN>>, tensor<32x32xi32>
  %a = tt.load %ap : tensor<32x32x!tt.ptr<f8E4M3FN>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<32x32x!tt.ptr<f8E4M3FN>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f8E4M3FN>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<f8E4M3FN>>
  %cr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<32x1xi32>
  %crn = arith.muli %cre, %cn : tensor<32x1xi32>
  %crb = tt.broadcast %crn : tensor<32x1xi32> -> tensor<32x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<32x32xi32>
  %co = arith.addi %crb, %ccb : tensor<32x32xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %c = tt.load %cp : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E4M3FN> -> tensor<32x32xf32>
  tt.store %cp, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// Eight rows fill half an instruction, which is faster than multiply-adds.
// CHECK-LABEL: .entry low(
// CHECK-NOT: fma.rn.f32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ret;
// OLD-LABEL: .entry low(
// OLD-NOT: fma.rn.f32
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// OLD: ret;
tt.func public @low(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %ac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %an = arith.constant dense<32> : tensor<8x1xi32>
  %arn = arith.muli %are, %an : tensor<8x1xi32>
  %arb = tt.broadcast %arn : tensor<8x1xi32> -> tensor<8x32xi32>
  %acb = tt.broadcast %ace : tensor<1x32xi32> -> tensor<8x32xi32>
  %ao = arith.addi %arb, %acb : tensor<8x32xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<8x32x!tt.ptr<f16>>, tensor<8x32xi32>
  %a = tt.load %ap : tensor<8x32x!tt.ptr<f16>>
  %br = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %bn = arith.constant dense<32> : tensor<32x1xi32>
  %brn = arith.muli %bre, %bn : tensor<32x1xi32>
  %brb = tt.broadcast %brn : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tt.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bo = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %b = tt.load %bp : tensor<32x32x!tt.ptr<f16>>
  %cr = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %cc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cn = arith.constant dense<32> : tensor<8x1xi32>
  %crn = arith.muli %cre, %cn : tensor<8x1xi32>
  %crb = tt.broadcast %crn : tensor<8x1xi32> -> tensor<8x32xi32>
  %ccb = tt.broadcast %cce : tensor<1x32xi32> -> tensor<8x32xi32>
  %co = arith.addi %crb, %ccb : tensor<8x32xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  %c = tt.load %cp : tensor<8x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<8x32xf16> * tensor<32x32xf16> -> tensor<8x32xf32>
  tt.store %cp, %d : tensor<8x32x!tt.ptr<f32>>
  tt.return
}

