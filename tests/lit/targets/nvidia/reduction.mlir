// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --num-warps 1 --emit ptx | FileCheck %s --check-prefix=ONE
// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s --check-prefix=EIGHT
// Reductions: registers first, then shuffles within the warp, then once through shared memory
// among the warps that share a row.

// Four warps meet once.
// CHECK-LABEL: .entry all(
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK-NOT: bar.sync
// CHECK: ret;
// One warp needs no shared memory.
// ONE-LABEL: .entry all(
// ONE-COUNT-5: shfl.sync.bfly
// ONE-NOT: shared
// ONE-NOT: bar.sync
// ONE: ret;
// Of eight warps' sums a lane reads four and its neighbour the others.
// EIGHT-LABEL: .entry all(
// EIGHT-COUNT-5: shfl.sync.bfly
// EIGHT: bar.sync
// EIGHT: ld.shared.v4
// EIGHT-NOT: ld.shared
// EIGHT: shfl.sync.bfly
// EIGHT-NOT: shfl
// EIGHT: ret;
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

// Rows that a warp holds stay in it.
// CHECK-LABEL: .entry rows(
// CHECK: shfl.sync.bfly
// CHECK-NOT: shared
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %k = arith.constant dense<128> : tensor<64x1xi32>
  %rn = arith.muli %re, %k : tensor<64x1xi32>
  %rb = tt.broadcast %rn : tensor<64x1xi32> -> tensor<64x128xi32>
  %cb = tt.broadcast %ce : tensor<1x128xi32> -> tensor<64x128xi32>
  %o = arith.addi %rb, %cb : tensor<64x128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
  %v = tt.load %xp : tensor<64x128x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tt.reduce.return %d : f32
  }) : (tensor<64x128xf32>) -> tensor<64xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %s : tensor<64x!tt.ptr<f32>>
  tt.return
}

// An integer reduction takes no float instruction.
// CHECK-LABEL: .entry integers(
// CHECK: max.s32
// CHECK: shfl.sync.bfly
// CHECK: ret;
tt.func public @integers(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<1024xi32>) -> i32
  tt.store %y, %s : !tt.ptr<i32>
  tt.return
}

// The largest and where it is: both travel, and all lanes decide alike, for the lower lane's pair
// is the first.
// CHECK-LABEL: .entry arg(
// CHECK: shfl.sync.bfly
// CHECK: shfl.sync.bfly
// CHECK: selp
// CHECK: ret;
tt.func public @arg(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %s:2 = "tt.reduce"(%v, %r) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %g = arith.cmpf ogt, %a, %b : f32
    %e = arith.cmpf oeq, %a, %b : f32
    %l = arith.cmpi slt, %i, %j : i32
    %t = arith.andi %e, %l : i1
    %c = arith.ori %g, %t : i1
    %p = arith.select %c, %a, %b : f32
    %q = arith.select %c, %i, %j : i32
    tt.reduce.return %p, %q : f32, i32
  }) : (tensor<256xf32>, tensor<256xi32>) -> (f32, i32)
  tt.store %y, %s#1 : !tt.ptr<i32>
  tt.return
}

// Counting is adding to shared memory; a bin out of range counts nowhere.
// CHECK-LABEL: .entry histogram(
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: setp.lt.u32
// CHECK: @%p{{[0-9]+}} red.shared.add.u32
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK: ret;
tt.func public @histogram(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %o = tt.histogram %v : tensor<1024xi32> -> tensor<128xi32>
  %h = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %h : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// All 64 bits decide whether there is a bin.
// CHECK-LABEL: .entry wide_histogram(
// CHECK: setp.lt.u64 {{.*}}, 128;
// CHECK: red.shared.add.u32
// CHECK: ret;
tt.func public @wide_histogram(%x: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i64>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i64>>
  %o = tt.histogram %v : tensor<128xi64> -> tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %o : tensor<128x!tt.ptr<i32>>
  tt.return
}

// A byte is the number of a bin from 0 to 255.
// CHECK-LABEL: .entry byte_histogram(
// CHECK: ld.global.{{[bu]8}}
// CHECK-NOT: cvt.s32.s8
// CHECK: red.shared.add.u32
// CHECK: ret;
tt.func public @byte_histogram(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<i8>>
  %o = tt.histogram %v : tensor<128xi8> -> tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %h = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %yp = tt.addptr %ys, %h : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %yp, %o : tensor<256x!tt.ptr<i32>>
  tt.return
}

// Of each pair of products that only a sum reads one is added as it is multiplied.
// CHECK-LABEL: .entry products(
// CHECK-COUNT-2: mul.rn.f32
// CHECK-NOT: mul.
// CHECK-COUNT-2: fma.rn.f32
// CHECK: ret;
tt.func public @products(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %p = arith.mulf %v, %v : tensor<512xf32>
  %s = "tt.reduce"(%p) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<512xf32>) -> f32
  tt.store %out, %s : !tt.ptr<f32>
  tt.return
}

// Eight rows in each of eight warps' threads: lanes divide them, 4 + 2 + 1 exchanges that leave a
// lane with one, and 2 more; a lane writes one sum and reads one part, and its row comes to all.
// EIGHT-LABEL: .entry eight_rows(
// EIGHT-COUNT-9: shfl.sync.bfly
// EIGHT: st.shared
// EIGHT-NOT: st.shared
// EIGHT: bar.sync
// EIGHT: ld.shared
// EIGHT-NOT: bar.sync
// EIGHT-COUNT-8: shfl.sync.idx
// EIGHT: ret;
tt.func public @eight_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
  %extent = arith.constant dense<1024> : tensor<8x1xi32>
  %starts = arith.muli %r1, %extent : tensor<8x1xi32>
  %r2 = tt.broadcast %starts : tensor<8x1xi32> -> tensor<8x1024xi32>
  %c2 = tt.broadcast %c1 : tensor<1x1024xi32> -> tensor<8x1024xi32>
  %at = arith.addi %r2, %c2 : tensor<8x1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<8x1024x!tt.ptr<f32>>, tensor<8x1024xi32>
  %v = tt.load %xp : tensor<8x1024x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<8x1024xf32>) -> tensor<8xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %yp, %s : tensor<8x!tt.ptr<f32>>
  tt.return
}

// Lanes vote on booleans.
// CHECK-LABEL: .entry any(
// CHECK: vote.sync.ballot
// CHECK-NOT: vote
// CHECK-NOT: shfl
// CHECK: bar.sync
// CHECK: ret;
// ONE-LABEL: .entry any(
// ONE: vote.sync.ballot
// ONE-NOT: shfl
// ONE-NOT: shared
// ONE: ret;
tt.func public @any(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i1>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<1024xi32>
  %b = arith.cmpi ne, %v, %zero : tensor<1024xi32>
  %s = "tt.reduce"(%b) <{axis = 0 : i32}> ({
  ^bb0(%p: i1, %q: i1):
    %c = arith.ori %p, %q : i1
    tt.reduce.return %c : i1
  }) : (tensor<1024xi1>) -> i1
  tt.store %y, %s : !tt.ptr<i1>
  tt.return
}
