// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=OLD
// RUN: %each_kernel %s --target sm_90a --num-warps 2 --emit ptx | FileCheck %s --check-prefix=TWO
// Products of groups of four warps: what threads wrote is shown to the instructions, then all steps over k are one
// group, whose sums are used after the wait. Other architectures, and programs of fewer warps, have no such instruction.
// OLD-NOT: wgmma
// OLD-NOT: fence.proxy.async
// TWO-NOT: wgmma

// The second operand's columns run fastest in memory, which the last flag says; four steps of 16 over k, the first of
// which adds to nothing.
// CHECK-LABEL: .entry halves(
// CHECK: fence.proxy.async.shared::cta;
// CHECK: bar.sync
// CHECK: wgmma.fence.sync.aligned;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, fresh, 1, 1, 0, 1;
// CHECK-COUNT-3: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, added, 1, 1, 0, 1;
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: mma.sync
// CHECK: ret;
// OLD-LABEL: .entry halves(
// OLD: mma.sync
// TWO-LABEL: .entry halves(
// TWO: mma.sync
tt.func public @halves(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ba = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
  %d = tt.dot %l, %r, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Rows of the first operand run fastest, and k of the second one.
// CHECK-LABEL: .entry columns(
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, {{added|fresh}}, 1, 1, 1, 0;
tt.func public @columns(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %pitchr = arith.constant dense<64> : tensor<1x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %row, %pitchr : tensor<1x64xi32>
  %aa = tt.broadcast %ad : tensor<1x64xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %bd = arith.muli %row, %pitchr : tensor<1x64xi32>
  %ba = tt.broadcast %bd : tensor<1x64xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<bf16>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<bf16>>
  %d = tt.dot %l, %r, %zero : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Elements that are not of 16 bits have no such flags: they lie along k.
// CHECK-LABEL: .entry singles(
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, {{added|fresh}}, 1, 1;
tt.func public @singles(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %bd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ba = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
  %d = tt.dot %l, %r, %zero, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry bytes(
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {{.*}}, {{added|fresh}};
tt.func public @bytes(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %pitchr = arith.constant dense<64> : tensor<1x64xi32>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %bd = arith.muli %row, %pitchr : tensor<1x64xi32>
  %ba = tt.broadcast %bd : tensor<1x64xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<i8>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<i8>>
  %d = tt.dot %l, %r, %zero : tensor<64x64xi8> * tensor<64x64xi8> -> tensor<64x64xi32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<i32>>
  tt.return
}

// Imprecise sums over all of k are allowed.
// CHECK-LABEL: .entry fp8(
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {{.*}}, {{added|fresh}}, 1, 1;
tt.func public @fp8(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %pitchr = arith.constant dense<64> : tensor<1x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %bd = arith.muli %row, %pitchr : tensor<1x64xi32>
  %ba = tt.broadcast %bd : tensor<1x64xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %d = tt.dot %l, %r, %zero {maxNumImpreciseAcc = 64 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// They are allowed for what one instruction adds: the sums of both are added by the threads.
// CHECK-LABEL: .entry few_eights(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-COUNT-32: add.rn.f32
tt.func public @few_eights(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %pitchr = arith.constant dense<64> : tensor<1x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %bd = arith.muli %row, %pitchr : tensor<1x64xi32>
  %ba = tt.broadcast %bd : tensor<1x64xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %d = tt.dot %l, %r, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// They are not.
// CHECK-LABEL: .entry precise_eights(
// CHECK-NOT: wgmma
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
tt.func public @precise_eights(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %pitchr = arith.constant dense<64> : tensor<1x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %bd = arith.muli %row, %pitchr : tensor<1x64xi32>
  %ba = tt.broadcast %bd : tensor<1x64xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %d = tt.dot %l, %r, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The second product takes the first one's result from registers, four a step.
// CHECK-LABEL: .entry chained(
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: st.shared
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, {{added|fresh}}, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned;
tt.func public @chained(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ba = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
  %r = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
  %e = tt.dot %l, %r, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %h = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
  %d = tt.dot %h, %r, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// In a loop: wait for the copies, show them, multiply, wait for the product before, copy. After it, wait for all.
// CHECK-LABEL: .entry loop(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group;
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 1;
// CHECK: fence.proxy.async.shared::cta;
// CHECK: bar.sync
// CHECK: wgmma.fence.sync.aligned;
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: cp.async.wait_group 0;
// CHECK: ret;
tt.func public @loop(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ba = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4096 = arith.constant 4096 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %far = arith.muli %i, %c4096 : i32
    %fars = tt.splat %far : i32 -> tensor<64x64xi32>
    %ai = tt.addptr %ap, %fars : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bi = tt.addptr %bp, %fars : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %l = tt.load %ai : tensor<64x64x!tt.ptr<f16>>
    %r = tt.load %bi : tensor<64x64x!tt.ptr<f16>>
    %e = tt.dot %l, %r, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Rows of 32-bit elements in a loop: the product is transposed, with the first operand read into registers, four (or two)
// rows at a time; the copies go on beside the product.
// CHECK-LABEL: .entry rows(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group 1;
// CHECK: bar.sync
// CHECK-COUNT-16: ld.shared.v2.b32
// CHECK: wgmma.fence.sync.aligned;
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}}, {%{{[^}]*}}}, %rd{{[0-9]+}}, {{added|fresh}}, 1, 1;
// CHECK: cp.async.cg.shared.global
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: ret;
// OLD-LABEL: .entry rows(
// OLD-NOT: wgmma
// OLD: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// OLD: ret;
tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ab = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %ab : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %bd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ba = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %bb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %bb : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cd = arith.muli %column, %pitch : tensor<64x1xi32>
  %ca = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %ca, %cb : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4096 = arith.constant 4096 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %far = arith.muli %i, %c4096 : i32
    %fars = tt.splat %far : i32 -> tensor<64x64xi32>
    %ai = tt.addptr %ap, %fars : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %bi = tt.addptr %bp, %fars : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %l = tt.load %ai : tensor<64x64x!tt.ptr<f32>>
    %r = tt.load %bi : tensor<64x64x!tt.ptr<f32>>
    %e = tt.dot %l, %r, %sum, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
