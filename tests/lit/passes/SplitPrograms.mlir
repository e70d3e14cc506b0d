// RUN: tl-opt --split-programs=blocks=2 --canonicalize --cse %s | FileCheck %s
// RUN: tl-opt --split-programs=blocks=8 %s | FileCheck %s --check-prefix=MANY
// RUN: tl-opt --split-programs %s | FileCheck %s --check-prefix=MANY
// Rows of products are divided among the blocks of a program, and what all blocks load is marked.

// MANY-NOT: tt.blocks
// MANY-NOT: tt.multicast

// The first operand and the result are divided; the second operand is loaded by both. Rows of the mask begin where the
// block's do, columns do not change.
// CHECK-LABEL: @product
// CHECK-SAME: tt.blocks = 2 : i32
// CHECK: %[[BLOCK:.*]] = tt.get_program_id x : i32
// CHECK: %[[RANK:.*]] = arith.remsi %[[BLOCK]], %c2_i32
// CHECK: %[[PROGRAM:.*]] = arith.divsi %[[BLOCK]], %c2_i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[PROGRAM]], %c256_i32
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<128x128xf32>)
// CHECK: %[[OWN:.*]] = arith.muli %[[RANK]], %c128_i32
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[OWN]]
// CHECK: tt.descriptor_load %{{.*}}[%[[ROW]], %[[K]]] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
// CHECK: tt.descriptor_load %{{.*}}[%[[K]], %c0_i32] {tt.multicast = 2 : i32} : !tt.tensordesc<64x128xf16>
// CHECK: tt.dot {{.*}} tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
// CHECK: %[[RANGE:.*]] = tt.make_range {end = 128 : i32, start = 0 : i32}
// CHECK: %[[PART:.*]] = tt.splat %{{.*}} : i32 -> tensor<128xi32>
// CHECK: arith.addi %[[RANGE]], %[[PART]]
// CHECK: tt.store {{.*}} : tensor<128x128x!tt.ptr<f32>>
tt.func public @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %m: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %width = arith.constant 128 : i64
  %none = arith.constant dense<0.0> : tensor<256x128xf32>
  %kw = arith.extsi %k : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%m, %k], [%kw, %one] : <f16>, <256x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %p = tt.get_program_id x : i32
  %row = arith.muli %p, %c256 : i32
  %sum = scf.for %i = %zero to %k step %c64 iter_args(%acc = %none) -> (tensor<256x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<256x64xf16> -> tensor<256x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<256x64xf16> * tensor<64x128xf16> -> tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  }
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %n = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rs = tt.splat %row : i32 -> tensor<256xi32>
  %rows = arith.addi %rs, %r : tensor<256xi32>
  %down = tt.expand_dims %rows {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %across = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %pitch = arith.constant dense<128> : tensor<256x1xi32>
  %begin = arith.muli %down, %pitch : tensor<256x1xi32>
  %b1 = tt.broadcast %begin : tensor<256x1xi32> -> tensor<256x128xi32>
  %b2 = tt.broadcast %across : tensor<1x128xi32> -> tensor<256x128xi32>
  %at = arith.addi %b1, %b2 : tensor<256x128xi32>
  %limit = tt.splat %m : i32 -> tensor<256x1xi32>
  %inside = arith.cmpi slt, %down, %limit : tensor<256x1xi32>
  %mask = tt.broadcast %inside : tensor<256x1xi1> -> tensor<256x128xi1>
  %base = tt.splat %c : !tt.ptr<f32> -> tensor<256x128x!tt.ptr<f32>>
  %to = tt.addptr %base, %at : tensor<256x128x!tt.ptr<f32>>, tensor<256x128xi32>
  tt.store %to, %sum, %mask : tensor<256x128x!tt.ptr<f32>>
  tt.return
}

// Pointers that the loop advances, a bias of each column, a maximum of each row and a row's number of elements.
// CHECK-LABEL: @around
// CHECK-SAME: tt.blocks = 2 : i32
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>)
// CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>>
// CHECK: tt.load {{.*}} : tensor<32x64x!tt.ptr<f16>>
// CHECK: tt.load {{.*}} : tensor<64x!tt.ptr<f32>>
// CHECK: "tt.reduce"
// CHECK: (tensor<64x64xf32>) -> tensor<64xf32>
// CHECK: tt.store {{.*}} : tensor<64x!tt.ptr<f32>>
tt.func public @around(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %bias: !tt.ptr<f32>, %out: !tt.ptr<f32>, %k: i32) {
  %zero = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %step = arith.constant dense<32> : tensor<128x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %loop:2 = scf.for %i = %zero to %k step %c32 iter_args(%acc = %none, %at = %as) -> (tensor<128x64xf32>, tensor<128x32x!tt.ptr<f16>>) : i32 {
    %x = tt.load %at : tensor<128x32x!tt.ptr<f16>>
    %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %acc : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    %next = tt.addptr %at, %step : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
    scf.yield %d, %next : tensor<128x64xf32>, tensor<128x32x!tt.ptr<f16>>
  }
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bp = tt.splat %bias : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %bn = tt.addptr %bp, %n : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %bn : tensor<64x!tt.ptr<f32>>
  %line = tt.expand_dims %v {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %all = tt.broadcast %line : tensor<1x64xf32> -> tensor<128x64xf32>
  %with = arith.addf %loop#0, %all : tensor<128x64xf32>
  %most = "tt.reduce"(%with) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %m = arith.maximumf %l, %r : f32
    tt.reduce.return %m : f32
  }) : (tensor<128x64xf32>) -> tensor<128xf32>
  %rows = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %op = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %to = tt.addptr %op, %rows : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %to, %most : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A reduction along the rows needs elements of both blocks.
// CHECK-LABEL: @across_rows
// CHECK-NOT: tt.blocks
// CHECK: tt.dot {{.*}} -> tensor<128x64xf32>
tt.func public @across_rows(%out: !tt.ptr<f32>, %x: tensor<128x32xf16>, %y: tensor<32x64xf16>) {
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot %x, %y, %none : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
  %most = "tt.reduce"(%d) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %m = arith.maximumf %l, %r : f32
    tt.reduce.return %m : f32
  }) : (tensor<128x64xf32>) -> tensor<64xf32>
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %op = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %op, %n : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %to, %most : tensor<64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @stores_in_a_loop
// CHECK-NOT: tt.blocks
// CHECK: tt.return
tt.func public @stores_in_a_loop(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %out: !tt.ptr<f32>, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  scf.for %i = %zero to %tiles step %one : i32 {
    %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
    %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %none : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    tt.store %to, %d : tensor<128x64x!tt.ptr<f32>>
  }
  tt.return
}

// Blocks that begin at multiples of their rows: each row falls to the same block in all iterations.
// CHECK-LABEL: @stores_tiles
// CHECK-SAME: tt.blocks = 2 : i32
// CHECK: scf.for
// CHECK: tt.descriptor_store {{.*}} : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
// CHECK-LABEL: @stores_overlapping_tiles
// CHECK-NOT: tt.blocks
// CHECK: tt.return
tt.func public @stores_tiles(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %out: !tt.ptr<f32>, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rows = arith.constant 128 : i32
  %width = arith.constant 64 : i64
  %unit = arith.constant 1 : i64
  %columns = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %all = arith.muli %tiles, %rows : i32
  %to = tt.make_tensor_descriptor %out, [%all, %columns], [%width, %unit] : <f32>, <128x64xf32>
  scf.for %i = %zero to %tiles step %one : i32 {
    %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
    %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %none : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    %row = arith.muli %i, %rows : i32
    tt.descriptor_store %to[%row, %zero], %d : !tt.tensordesc<128x64xf32>, tensor<128x64xf32>
  }
  tt.return
}
tt.func public @stores_overlapping_tiles(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %out: !tt.ptr<f32>, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 64 : i32
  %width = arith.constant 64 : i64
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %to = tt.make_tensor_descriptor %out, [%tiles, %half], [%width, %unit] : <f32>, <128x64xf32>
  scf.for %i = %zero to %tiles step %one : i32 {
    %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
    %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %none : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    %row = arith.muli %i, %half : i32
    tt.descriptor_store %to[%row, %zero], %d : !tt.tensordesc<128x64xf32>, tensor<128x64xf32>
  }
  tt.return
}

// Another matrix in each iteration may have the same rows elsewhere, and so may matrices of a batch.
// CHECK-LABEL: @stores_moving_matrices
// CHECK-NOT: tt.blocks
// CHECK-LABEL: @stores_batches
// CHECK-NOT: tt.blocks
// CHECK: tt.return
tt.func public @stores_moving_matrices(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rows = arith.constant 128 : i32
  %width = arith.constant 64 : i64
  %unit = arith.constant 1 : i64
  %columns = arith.constant 64 : i32
  %move = arith.constant 4096 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  scf.for %i = %zero to %tiles step %one : i32 {
    %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
    %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
    %fi = arith.sitofp %i : i32 to f32
    %init = tt.splat %fi : f32 -> tensor<128x64xf32>
    %d = tt.dot %x, %y, %init : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    %off = arith.muli %i, %move : i32
    %from = tt.addptr %out, %off : !tt.ptr<f32>, i32
    %to = tt.make_tensor_descriptor %from, [%rows, %columns], [%width, %unit] : <f32>, <128x64xf32>
    tt.descriptor_store %to[%zero, %zero], %d : !tt.tensordesc<128x64xf32>, tensor<128x64xf32>
  }
  tt.return
}
tt.func public @stores_batches(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rows = arith.constant 128 : i32
  %width = arith.constant 64 : i64
  %unit = arith.constant 1 : i64
  %columns = arith.constant 64 : i32
  %move = arith.constant 4096 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %batch = arith.constant 4096 : i64
  %to = tt.make_tensor_descriptor %out, [%tiles, %rows, %columns], [%batch, %width, %unit] : <f32>, <1x128x64xf32>
  scf.for %i = %zero to %tiles step %one : i32 {
    %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
    %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
    %fi = arith.sitofp %i : i32 to f32
    %init = tt.splat %fi : f32 -> tensor<128x64xf32>
    %d = tt.dot %x, %y, %init : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    %e = tt.expand_dims %d {axis = 0 : i32} : tensor<128x64xf32> -> tensor<1x128x64xf32>
    tt.descriptor_store %to[%i, %zero, %zero], %e : !tt.tensordesc<1x128x64xf32>, tensor<1x128x64xf32>
  }
  tt.return
}

// What is stored is read as well; and what is stored is no tensor that is divided.
// CHECK-LABEL: @reads_what_it_stores
// CHECK-NOT: tt.blocks
// CHECK-LABEL: @stores_a_scalar
// CHECK-NOT: tt.blocks
// CHECK-LABEL: @adds
// CHECK-NOT: tt.blocks
tt.func public @reads_what_it_stores(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
  %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
  %before = tt.load %to : tensor<128x64x!tt.ptr<f32>>
  %d = tt.dot %x, %y, %before : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
  tt.store %to, %d : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
tt.func public @stores_a_scalar(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %out: !tt.ptr<f32>, %flag: !tt.ptr<i32>) {
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
  %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
  %d = tt.dot %x, %y, %none : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
  tt.store %to, %d : tensor<128x64x!tt.ptr<f32>>
  tt.store %flag, %one : !tt.ptr<i32>
  tt.return
}
tt.func public @adds(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %always = arith.constant dense<true> : tensor<128x64xi1>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %x = tt.load %as : tensor<128x32x!tt.ptr<f16>>
  %y = tt.load %bs : tensor<32x64x!tt.ptr<f16>>
  %d = tt.dot %x, %y, %none : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %to, %d, %always : (tensor<128x64x!tt.ptr<f32>>, tensor<128x64xf32>, tensor<128x64xi1>) -> tensor<128x64xf32>
  tt.return
}

// How often the block is loaded follows from memory, which another program may write meanwhile.
// CHECK-LABEL: @counts_from_memory
// CHECK-SAME: tt.blocks = 2 : i32
// CHECK-NOT: tt.multicast
// CHECK: tt.return
tt.func public @counts_from_memory(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %count: !tt.ptr<i32>, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %width = arith.constant 128 : i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %end = tt.load %count : !tt.ptr<i32>
  %sum = scf.for %i = %zero to %end step %c64 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %x = tt.load %as : tensor<128x64x!tt.ptr<f16>>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %to = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  tt.store %to, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}
