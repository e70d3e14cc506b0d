// RUN: tl-opt --remove-layout-conversions %s | FileCheck %s
// A store works where its value is, unless it would be scattered over memory.

#wide = #ttg.layout<blocked [64, 64], registers = [1, 4], lanes = [2, 16], warps = [1, 1], order = [1, 0]>
#single = #ttg.layout<blocked [64, 64], registers = [1, 1], lanes = [1, 32], warps = [1, 1], order = [1, 0]>
#down = #ttg.layout<blocked [64, 64], registers = [4, 1], lanes = [16, 2], warps = [1, 1], order = [0, 1]>
#down1 = #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [2, 16], warps = [1, 1], order = [1, 0]>
#across1 = #ttg.layout<blocked [1, 64], registers = [1, 4], lanes = [2, 16], warps = [1, 1], order = [1, 0]>
#line = #ttg.layout<blocked [32], registers = [1], lanes = [32], warps = [1], order = [0]>
#line1 = #ttg.layout<blocked [1, 32], registers = [1, 1], lanes = [1, 32], warps = [1, 1], order = [1, 0]>
#fours = #ttg.layout<blocked [1, 32], registers = [1, 4], lanes = [4, 8], warps = [1, 1], order = [1, 0]>
#eights = #ttg.layout<blocked [1, 32], registers = [1, 8], lanes = [8, 4], warps = [1, 1], order = [1, 0]>
#few = #ttg.layout<blocked [8, 4], registers = [1, 1], lanes = [8, 4], warps = [1, 1], order = [0, 1]>
#rows = #ttg.layout<blocked [8, 4], registers = [1, 1], lanes = [8, 4], warps = [1, 1], order = [1, 0]>
module attributes {ttg.gpu = #ttg.gpu<warps = 1, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// One element a lane along the rows touches as many sectors: the value stays, and the addresses are converted.
// CHECK-LABEL: @near
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} : tensor<64x64x!tt.ptr<f32>, {{.*}} registers = [1, 4]
// CHECK: %[[V:.*]] = tt.load
// CHECK: tt.store %[[P]], %[[V]] : tensor<64x64x!tt.ptr<f32>, #ttg.layout<blocked [64, 64], registers = [1, 1]
tt.func public @near(%x: tensor<64x64x!tt.ptr<f32>, #single>, %o: tensor<64x64x!tt.ptr<f32>, #wide>) {
  %v = tt.load %x : tensor<64x64x!tt.ptr<f32>, #single>
  %w = ttg.convert_layout %v : tensor<64x64xf32, #single> -> tensor<64x64xf32, #wide>
  tt.store %o, %w : tensor<64x64x!tt.ptr<f32>, #wide>
  tt.return
}

// Lanes that follow the columns would write into 16 rows at a time: the value moves.
// CHECK-LABEL: @far
// CHECK: %[[V:.*]] = tt.load
// CHECK: %[[W:.*]] = ttg.convert_layout %[[V]]
// CHECK: tt.store %{{.*}}, %[[W]] : tensor<64x64x!tt.ptr<f32>, #ttg.layout<blocked [64, 64], registers = [1, 1]
tt.func public @far(%x: tensor<64x64x!tt.ptr<f32>, #down>, %o: tensor<64x64x!tt.ptr<f32>, #single>) {
  %v = tt.load %x : tensor<64x64x!tt.ptr<f32>, #down>
  %w = ttg.convert_layout %v : tensor<64x64xf32, #down> -> tensor<64x64xf32, #single>
  tt.store %o, %w : tensor<64x64x!tt.ptr<f32>, #single>
  tt.return
}

// One element a thread is not worth moving.
// CHECK-LABEL: @few
// CHECK: %[[V:.*]] = tt.load
// CHECK: tt.store %{{.*}}, %[[V]]
tt.func public @few(%x: tensor<8x4x!tt.ptr<f32>, #few>, %o: tensor<8x4x!tt.ptr<f32>, #rows>) {
  %v = tt.load %x : tensor<8x4x!tt.ptr<f32>, #few>
  %w = ttg.convert_layout %v : tensor<8x4xf32, #few> -> tensor<8x4xf32, #rows>
  tt.store %o, %w : tensor<8x4x!tt.ptr<f32>, #rows>
  tt.return
}

// What can be computed in any layout is left to be computed where the store works.
// CHECK-LABEL: @cheap
// CHECK: %[[C:.*]] = ttg.convert_layout
// CHECK: tt.store %{{.*}}, %[[C]]
tt.func public @cheap(%o: tensor<64x64x!tt.ptr<i32>, #wide>) {
  %c = arith.constant dense<1> : tensor<64x64xi32, #single>
  %d = ttg.convert_layout %c : tensor<64x64xi32, #single> -> tensor<64x64xi32, #wide>
  tt.store %o, %d : tensor<64x64x!tt.ptr<i32>, #wide>
  tt.return
}

// What is computed of a row and a column is computed where it is needed, if for nobody else: they are converted.
// CHECK-LABEL: @row_and_column
// CHECK: %[[R:.*]] = tt.broadcast %arg0
// CHECK-NEXT: %[[RC:.*]] = ttg.convert_layout %[[R]]
// CHECK: %[[C:.*]] = tt.broadcast %arg1
// CHECK-NEXT: %[[CC:.*]] = ttg.convert_layout %[[C]]
// CHECK-NEXT: %[[D:.*]] = arith.subf {{.*}} registers = [1, 1]
// CHECK: %[[E:.*]] = math.exp2 %[[D]] {{.*}} registers = [1, 1]
// CHECK: tt.store %{{.*}}, %[[E]]
tt.func public @row_and_column(%r: tensor<64x1xf32, #down1>, %c: tensor<1x64xf32, #across1>, %o: tensor<64x64x!tt.ptr<f32>, #single>) {
  %rows = tt.broadcast %r : tensor<64x1xf32, #down1> -> tensor<64x64xf32, #wide>
  %columns = tt.broadcast %c : tensor<1x64xf32, #across1> -> tensor<64x64xf32, #wide>
  %d = arith.subf %rows, %columns : tensor<64x64xf32, #wide>
  %e = math.exp2 %d : tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %e : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #single>
  tt.store %o, %f : tensor<64x64x!tt.ptr<f32>, #single>
  tt.return
}

// Others use it as it is, or all of it was loaded: its conversion stays.
// CHECK-LABEL: @used_twice
// CHECK: %[[E:.*]] = math.exp2 {{.*}} registers = [1, 4]
// CHECK: ttg.convert_layout %[[E]]
// CHECK-LABEL: @loaded
// CHECK: %[[E:.*]] = math.exp2 {{.*}} registers = [1, 4]
// CHECK: ttg.convert_layout %[[E]]
tt.func public @used_twice(%r: tensor<64x1xf32, #down1>, %o: tensor<64x64x!tt.ptr<f32>, #down>, %p: tensor<64x64x!tt.ptr<f32>, #wide>) {
  %rows = tt.broadcast %r : tensor<64x1xf32, #down1> -> tensor<64x64xf32, #wide>
  %e = math.exp2 %rows : tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %e : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #down>
  tt.store %o, %f : tensor<64x64x!tt.ptr<f32>, #down>
  tt.store %p, %e : tensor<64x64x!tt.ptr<f32>, #wide>
  tt.return
}
tt.func public @loaded(%x: tensor<64x64x!tt.ptr<f32>, #wide>, %o: tensor<64x64x!tt.ptr<f32>, #single>) {
  %v = tt.load %x : tensor<64x64x!tt.ptr<f32>, #wide>
  %e = math.exp2 %v : tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %e : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #down>
  %g = arith.negf %f : tensor<64x64xf32, #down>
  tt.return
}

// Narrow numbers are converted before arithmetic widens them.
// CHECK-LABEL: @narrow
// CHECK: %[[V:.*]] = tt.load
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[V]] : tensor<64x64xf16
// CHECK: arith.extf %[[C]] {{.*}} registers = [1, 1]
// CHECK-NOT: ttg.convert_layout
tt.func public @narrow(%x: tensor<64x64x!tt.ptr<f16>, #wide>, %y: tensor<64x64xf32, #single>) {
  %v = tt.load %x : tensor<64x64x!tt.ptr<f16>, #wide>
  %e = arith.extf %v : tensor<64x64xf16, #wide> to tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %e : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #single>
  %g = arith.addf %f, %y : tensor<64x64xf32, #single>
  tt.return
}

// A value that an operation takes twice is looked at once, however long the chain.
// CHECK-LABEL: @squares
// CHECK-COUNT-40: arith.mulf
tt.func public @squares(%x0: tensor<64x64xf32, #wide>, %y: tensor<64x64xf32, #single>) {
  %x1 = arith.mulf %x0, %x0 : tensor<64x64xf32, #wide>
  %x2 = arith.mulf %x1, %x1 : tensor<64x64xf32, #wide>
  %x3 = arith.mulf %x2, %x2 : tensor<64x64xf32, #wide>
  %x4 = arith.mulf %x3, %x3 : tensor<64x64xf32, #wide>
  %x5 = arith.mulf %x4, %x4 : tensor<64x64xf32, #wide>
  %x6 = arith.mulf %x5, %x5 : tensor<64x64xf32, #wide>
  %x7 = arith.mulf %x6, %x6 : tensor<64x64xf32, #wide>
  %x8 = arith.mulf %x7, %x7 : tensor<64x64xf32, #wide>
  %x9 = arith.mulf %x8, %x8 : tensor<64x64xf32, #wide>
  %x10 = arith.mulf %x9, %x9 : tensor<64x64xf32, #wide>
  %x11 = arith.mulf %x10, %x10 : tensor<64x64xf32, #wide>
  %x12 = arith.mulf %x11, %x11 : tensor<64x64xf32, #wide>
  %x13 = arith.mulf %x12, %x12 : tensor<64x64xf32, #wide>
  %x14 = arith.mulf %x13, %x13 : tensor<64x64xf32, #wide>
  %x15 = arith.mulf %x14, %x14 : tensor<64x64xf32, #wide>
  %x16 = arith.mulf %x15, %x15 : tensor<64x64xf32, #wide>
  %x17 = arith.mulf %x16, %x16 : tensor<64x64xf32, #wide>
  %x18 = arith.mulf %x17, %x17 : tensor<64x64xf32, #wide>
  %x19 = arith.mulf %x18, %x18 : tensor<64x64xf32, #wide>
  %x20 = arith.mulf %x19, %x19 : tensor<64x64xf32, #wide>
  %x21 = arith.mulf %x20, %x20 : tensor<64x64xf32, #wide>
  %x22 = arith.mulf %x21, %x21 : tensor<64x64xf32, #wide>
  %x23 = arith.mulf %x22, %x22 : tensor<64x64xf32, #wide>
  %x24 = arith.mulf %x23, %x23 : tensor<64x64xf32, #wide>
  %x25 = arith.mulf %x24, %x24 : tensor<64x64xf32, #wide>
  %x26 = arith.mulf %x25, %x25 : tensor<64x64xf32, #wide>
  %x27 = arith.mulf %x26, %x26 : tensor<64x64xf32, #wide>
  %x28 = arith.mulf %x27, %x27 : tensor<64x64xf32, #wide>
  %x29 = arith.mulf %x28, %x28 : tensor<64x64xf32, #wide>
  %x30 = arith.mulf %x29, %x29 : tensor<64x64xf32, #wide>
  %x31 = arith.mulf %x30, %x30 : tensor<64x64xf32, #wide>
  %x32 = arith.mulf %x31, %x31 : tensor<64x64xf32, #wide>
  %x33 = arith.mulf %x32, %x32 : tensor<64x64xf32, #wide>
  %x34 = arith.mulf %x33, %x33 : tensor<64x64xf32, #wide>
  %x35 = arith.mulf %x34, %x34 : tensor<64x64xf32, #wide>
  %x36 = arith.mulf %x35, %x35 : tensor<64x64xf32, #wide>
  %x37 = arith.mulf %x36, %x36 : tensor<64x64xf32, #wide>
  %x38 = arith.mulf %x37, %x37 : tensor<64x64xf32, #wide>
  %x39 = arith.mulf %x38, %x38 : tensor<64x64xf32, #wide>
  %x40 = arith.mulf %x39, %x39 : tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %x40 : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #single>
  %g = arith.addf %f, %y : tensor<64x64xf32, #single>
  tt.return
}

// A row of few elements is loaded by all threads that need it, four of a thread at once.
// CHECK-LABEL: @row_where_needed
// CHECK-NOT: ttg.convert_layout %{{.*}}xf32
// CHECK: tt.load %{{.*}} : tensor<32x!tt.ptr<f32>, {{.*}} registers = [4]
// CHECK: tt.expand_dims %{{.*}} -> tensor<1x32xf32, {{.*}} registers = [1, 4]
// CHECK-NOT: ttg.convert_layout %{{.*}}xf32
// CHECK: tt.return
tt.func public @row_where_needed(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: tensor<1x32x!tt.ptr<f32>, #fours>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #line>
  %p = tt.addptr %s, %r : tensor<32x!tt.ptr<f32>, #line>, tensor<32xi32, #line>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>, #line>
  %e = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #line> -> tensor<1x32xf32, #line1>
  %c = ttg.convert_layout %e : tensor<1x32xf32, #line1> -> tensor<1x32xf32, #fours>
  %m = math.exp %c : tensor<1x32xf32, #fours>
  tt.store %y, %m : tensor<1x32x!tt.ptr<f32>, #fours>
  tt.return
}

// Two accesses of a thread are not worth it.
// CHECK-LABEL: @row_of_eights
// CHECK: tt.load %{{.*}} : tensor<32x!tt.ptr<f32>, {{.*}} registers = [1]
// CHECK: ttg.convert_layout %{{.*}} : tensor<1x32xf32
tt.func public @row_of_eights(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: tensor<1x32x!tt.ptr<f32>, #eights>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #line>
  %p = tt.addptr %s, %r : tensor<32x!tt.ptr<f32>, #line>, tensor<32xi32, #line>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>, #line>
  %e = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #line> -> tensor<1x32xf32, #line1>
  %c = ttg.convert_layout %e : tensor<1x32xf32, #line1> -> tensor<1x32xf32, #eights>
  %m = math.exp %c : tensor<1x32xf32, #eights>
  tt.store %y, %m : tensor<1x32x!tt.ptr<f32>, #eights>
  tt.return
}

// What others write meanwhile is loaded once.
// CHECK-LABEL: @row_that_others_write
// CHECK: tt.load %{{.*}} {isVolatile = true} : tensor<32x!tt.ptr<f32>, {{.*}} registers = [1]
// CHECK: ttg.convert_layout %{{.*}} : tensor<1x32xf32
tt.func public @row_that_others_write(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: tensor<1x32x!tt.ptr<f32>, #fours>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #line>
  %p = tt.addptr %s, %r : tensor<32x!tt.ptr<f32>, #line>, tensor<32xi32, #line>
  %v = tt.load %p {isVolatile = true} : tensor<32x!tt.ptr<f32>, #line>
  %e = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #line> -> tensor<1x32xf32, #line1>
  %c = ttg.convert_layout %e : tensor<1x32xf32, #line1> -> tensor<1x32xf32, #fours>
  %m = math.exp %c : tensor<1x32xf32, #fours>
  tt.store %y, %m : tensor<1x32x!tt.ptr<f32>, #fours>
  tt.return
}

// CHECK-LABEL: @row_fetched_again
// CHECK: tt.load {{.*}}cache_modifier = cv{{.*}} : tensor<32x!tt.ptr<f32>, {{.*}} registers = [1]
// CHECK: ttg.convert_layout %{{.*}} : tensor<1x32xf32
tt.func public @row_fetched_again(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: tensor<1x32x!tt.ptr<f32>, #fours>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #line>
  %p = tt.addptr %s, %r : tensor<32x!tt.ptr<f32>, #line>, tensor<32xi32, #line>
  %v = tt.load %p cacheModifier = cv : tensor<32x!tt.ptr<f32>, #line>
  %e = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #line> -> tensor<1x32xf32, #line1>
  %c = ttg.convert_layout %e : tensor<1x32xf32, #line1> -> tensor<1x32xf32, #fours>
  %m = math.exp %c : tensor<1x32xf32, #fours>
  tt.store %y, %m : tensor<1x32x!tt.ptr<f32>, #fours>
  tt.return
}

// A load that its loop copies ahead stays as it is; one stage copies nothing.
// CHECK-LABEL: @row_of_a_loop
// CHECK: tt.load %{{.*}} : tensor<32x!tt.ptr<f32>, {{.*}} registers = [1]
// CHECK: ttg.convert_layout %{{.*}} : tensor<1x32xf32
// CHECK: tt.load %{{.*}} : tensor<32x!tt.ptr<f32>, {{.*}} registers = [4]
// CHECK-NOT: ttg.convert_layout %{{.*}} : tensor<1x32xf32
// CHECK: tt.return
tt.func public @row_of_a_loop(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: tensor<1x32x!tt.ptr<f32>, #fours>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #line>
  %p = tt.addptr %s, %r : tensor<32x!tt.ptr<f32>, #line>, tensor<32xi32, #line>
  scf.for %i3 = %c0 to %n step %c1 : i32 {
    %v = tt.load %p : tensor<32x!tt.ptr<f32>, #line>
    %e = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #line> -> tensor<1x32xf32, #line1>
    %c = ttg.convert_layout %e : tensor<1x32xf32, #line1> -> tensor<1x32xf32, #fours>
    %m = math.exp %c : tensor<1x32xf32, #fours>
    tt.store %y, %m : tensor<1x32x!tt.ptr<f32>, #fours>
  } {tt.num_stages = 3 : i32}
  scf.for %i1 = %c0 to %n step %c1 : i32 {
    %v = tt.load %p : tensor<32x!tt.ptr<f32>, #line>
    %e = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #line> -> tensor<1x32xf32, #line1>
    %c = ttg.convert_layout %e : tensor<1x32xf32, #line1> -> tensor<1x32xf32, #fours>
    %m = math.exp %c : tensor<1x32xf32, #fours>
    tt.store %y, %m : tensor<1x32x!tt.ptr<f32>, #fours>
  } {tt.num_stages = 1 : i32}
  tt.return
}

}
