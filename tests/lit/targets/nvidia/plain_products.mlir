// RUN: tlc compile %s --target sm_90a --emit ptx --entry square > %t.square
// RUN: grep -c "ld.shared.v4" %t.square | FileCheck %s --check-prefix=READS
// RUN: grep -c "ld.shared" %t.square | FileCheck %s --check-prefix=READS
// RUN: grep -c "fma.rn.f32" %t.square | FileCheck %s --check-prefix=ADDS
// RUN: FileCheck %s --check-prefix=ORDER < %t.square
// RUN: tlc compile %s --target sm_90a --emit ptx --entry largest_of_rows > %t.rows
// RUN: grep -c "shfl.sync" %t.rows | FileCheck %s --check-prefix=ROWS
// RUN: grep -c ";" %t.rows | FileCheck %s --check-prefix=LINES
// RUN: tlc compile %s --target sm_90a --emit ptx --entry wide > %t.wide
// RUN: grep -c "ld.shared" %t.wide | FileCheck %s --check-prefix=WIDE
// Products by multiply-adds: a thread's elements are a grid of rows and columns of the result, which
// takes few reads of the operands, four numbers each, and short reductions along either axis.

// Of 64 x 64 a thread has 4 x 8. A step of k reads 4 rows at once, and 8 columns as two groups of
// four: 3 reads for 32 multiply-adds. There is no loop of the 32 steps.
// READS: {{^}}96{{$}}
// ADDS: {{^}}1024{{$}}
// The second row begins with the column in which the first one ends, and the third likewise.
// ORDER-COUNT-7: fma.rn.f32
// ORDER: fma.rn.f32 %r{{[0-9]+}}, [[ROW:%r[0-9]+]], [[LAST:%r[0-9]+]],
// ORDER-NEXT: fma.rn.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[LAST]],
// ORDER-COUNT-6: fma.rn.f32
// ORDER: fma.rn.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[FIRST:%r[0-9]+]],
// ORDER-NEXT: fma.rn.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[FIRST]],
tt.func public @square(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %arows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %acols = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %adown = tt.expand_dims %arows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %aalong = tt.expand_dims %acols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %apitch = arith.constant dense<32> : tensor<64x1xi32>
  %abegin = arith.muli %adown, %apitch : tensor<64x1xi32>
  %afirst = tt.broadcast %abegin : tensor<64x1xi32> -> tensor<64x32xi32>
  %anext = tt.broadcast %aalong : tensor<1x32xi32> -> tensor<64x32xi32>
  %ar = arith.addi %afirst, %anext : tensor<64x32xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ar : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %a = tt.load %ap : tensor<64x32x!tt.ptr<f32>>
  %brows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bcols = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bdown = tt.expand_dims %brows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %balong = tt.expand_dims %bcols {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bpitch = arith.constant dense<64> : tensor<32x1xi32>
  %bbegin = arith.muli %bdown, %bpitch : tensor<32x1xi32>
  %bfirst = tt.broadcast %bbegin : tensor<32x1xi32> -> tensor<32x64xi32>
  %bnext = tt.broadcast %balong : tensor<1x64xi32> -> tensor<32x64xi32>
  %br = arith.addi %bfirst, %bnext : tensor<32x64xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %br : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = ieee : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %crows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ccols = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cdown = tt.expand_dims %crows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %calong = tt.expand_dims %ccols {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cpitch = arith.constant dense<64> : tensor<64x1xi32>
  %cbegin = arith.muli %cdown, %cpitch : tensor<64x1xi32>
  %cfirst = tt.broadcast %cbegin : tensor<64x1xi32> -> tensor<64x64xi32>
  %cnext = tt.broadcast %calong : tensor<1x64xi32> -> tensor<64x64xi32>
  %cr = arith.addi %cfirst, %cnext : tensor<64x64xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %cr : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %cp, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Of 128 x 128 a thread has 8 x 16, its row in 8 lanes: three exchanges of two values for each of 8
// rows, and nothing between warps.
// ROWS: {{^}}48{{$}}
// LINES: {{^[123]...$}}
tt.func public @largest_of_rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %arows = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %acols = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %adown = tt.expand_dims %arows {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %aalong = tt.expand_dims %acols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %apitch = arith.constant dense<32> : tensor<128x1xi32>
  %abegin = arith.muli %adown, %apitch : tensor<128x1xi32>
  %afirst = tt.broadcast %abegin : tensor<128x1xi32> -> tensor<128x32xi32>
  %anext = tt.broadcast %aalong : tensor<1x32xi32> -> tensor<128x32xi32>
  %ar = arith.addi %afirst, %anext : tensor<128x32xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ar : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %a = tt.load %ap : tensor<128x32x!tt.ptr<f32>>
  %brows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bcols = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %bdown = tt.expand_dims %brows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %balong = tt.expand_dims %bcols {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %bpitch = arith.constant dense<128> : tensor<32x1xi32>
  %bbegin = arith.muli %bdown, %bpitch : tensor<32x1xi32>
  %bfirst = tt.broadcast %bbegin : tensor<32x1xi32> -> tensor<32x128xi32>
  %bnext = tt.broadcast %balong : tensor<1x128xi32> -> tensor<32x128xi32>
  %br = arith.addi %bfirst, %bnext : tensor<32x128xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %br : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
  %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = ieee : tensor<128x32xf32> * tensor<32x128xf32> -> tensor<128x128xf32>
  %ir = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ie = tt.expand_dims %ir {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %i = tt.broadcast %ie : tensor<1x128xi32> -> tensor<128x128xi32>
  %most:2 = "tt.reduce"(%d, %i) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
    %gt = arith.cmpf ogt, %p, %q : f32
    %eq = arith.cmpf oeq, %p, %q : f32
    %lt = arith.cmpi slt, %pi, %qi : i32
    %first = arith.andi %eq, %lt : i1
    %take = arith.ori %gt, %first : i1
    %v = arith.select %take, %p, %q : f32
    %vi = arith.select %take, %pi, %qi : i32
    tt.reduce.return %v, %vi : f32, i32
  }) : (tensor<128x128xf32>, tensor<128x128xi32>) -> (tensor<128xf32>, tensor<128xi32>)
  %os = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %op = tt.addptr %os, %ir : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %op, %most#1 : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Four warps beside each other in a wide result: of 8 x 512 a thread has 4 x 8.
// WIDE: {{^}}96{{$}}
tt.func public @wide(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %arows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %acols = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %adown = tt.expand_dims %arows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %aalong = tt.expand_dims %acols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %apitch = arith.constant dense<32> : tensor<8x1xi32>
  %abegin = arith.muli %adown, %apitch : tensor<8x1xi32>
  %afirst = tt.broadcast %abegin : tensor<8x1xi32> -> tensor<8x32xi32>
  %anext = tt.broadcast %aalong : tensor<1x32xi32> -> tensor<8x32xi32>
  %ar = arith.addi %afirst, %anext : tensor<8x32xi32>
  %as = tt.splat %x : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ar : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  %a = tt.load %ap : tensor<8x32x!tt.ptr<f32>>
  %brows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bcols = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %bdown = tt.expand_dims %brows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %balong = tt.expand_dims %bcols {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %bpitch = arith.constant dense<512> : tensor<32x1xi32>
  %bbegin = arith.muli %bdown, %bpitch : tensor<32x1xi32>
  %bfirst = tt.broadcast %bbegin : tensor<32x1xi32> -> tensor<32x512xi32>
  %bnext = tt.broadcast %balong : tensor<1x512xi32> -> tensor<32x512xi32>
  %br = arith.addi %bfirst, %bnext : tensor<32x512xi32>
  %bs = tt.splat %y : !tt.ptr<f32> -> tensor<32x512x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %br : tensor<32x512x!tt.ptr<f32>>, tensor<32x512xi32>
  %b = tt.load %bp : tensor<32x512x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<8x512xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = ieee : tensor<8x32xf32> * tensor<32x512xf32> -> tensor<8x512xf32>
  %crows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %ccols = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %cdown = tt.expand_dims %crows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %calong = tt.expand_dims %ccols {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %cpitch = arith.constant dense<512> : tensor<8x1xi32>
  %cbegin = arith.muli %cdown, %cpitch : tensor<8x1xi32>
  %cfirst = tt.broadcast %cbegin : tensor<8x1xi32> -> tensor<8x512xi32>
  %cnext = tt.broadcast %calong : tensor<1x512xi32> -> tensor<8x512xi32>
  %cr = arith.addi %cfirst, %cnext : tensor<8x512xi32>
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<8x512x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %cr : tensor<8x512x!tt.ptr<f32>>, tensor<8x512xi32>
  tt.store %cp, %d : tensor<8x512x!tt.ptr<f32>>
  tt.return
}
