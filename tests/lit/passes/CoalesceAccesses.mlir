// RUN: tl-opt --coalesce-accesses %s | FileCheck %s
// Accesses of memory are anchored to layouts in which neighbours in memory are neighbours among the threads.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// Addresses that are aligned to 16 bytes are accessed four floats at a time; types say nothing of it yet.
// CHECK-LABEL: @aligned
// CHECK: tt.load %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>} : tensor<1024x!tt.ptr<f32>>
// CHECK: tt.store %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>} : tensor<1024x!tt.ptr<f32>>
tt.func public @aligned(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  tt.store %p, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Whatever numbers say where a load finds its elements, it works where these are; so does one that finds the same element
// many times where its value is needed. What lies apart in steps that nobody knows may be neighbours.
// CHECK-LABEL: @anywhere
// CHECK: tt.load %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [4]{{[^}]*}}} : tensor<1024x!tt.ptr<i32>>
// CHECK: tt.load %{{.*}} {ttg.anchor = {{.*}}, ttg.scattered}
// CHECK: tt.load %{{.*}} {ttg.anchor = {{.*}}, ttg.scattered}
// CHECK-NOT: ttg.scattered
// CHECK: tt.return
tt.func public @anywhere(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %s: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<i32>>
  %q = tt.addptr %xs, %v : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %w = tt.load %q : tensor<1024x!tt.ptr<i32>>
  %c64 = arith.constant dense<64> : tensor<1024xi32>
  %group = arith.divsi %range, %c64 : tensor<1024xi32>
  %g = tt.addptr %xs, %group : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %same = tt.load %g : tensor<1024x!tt.ptr<i32>>
  %step = tt.splat %s : i32 -> tensor<1024xi32>
  %apart = arith.muli %range, %step : tensor<1024xi32>
  %r = tt.addptr %xs, %apart : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %u = tt.load %r : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// What is loaded beside halves is loaded as they are, eight neighbours to a thread; but a store of
// eight floats by two instructions would leave gaps between lanes.
// CHECK-LABEL: @wider
// CHECK: tt.load %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [8]
// CHECK: tt.load %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [8]
// CHECK: tt.store %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [4]
tt.func public @wider(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f16>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %w = tt.load %q : tensor<1024x!tt.ptr<f32>>
  %e = arith.extf %v : tensor<1024xf16> to tensor<1024xf32>
  %s = arith.addf %e, %w : tensor<1024xf32>
  tt.store %q, %s : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Where nothing is certain, what is likely decides: pixels of a row follow each other.
// CHECK-LABEL: @pixels
// CHECK: ttg.anchor = #ttg.layout<blocked [64, 32], registers = [1, 1], lanes = [32, 1], warps = [2, 2]
tt.func public @pixels(%x: !tt.ptr<f32>, %width: i32, %pitch: i32, %plane: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %widths = tt.splat %width : i32 -> tensor<64xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64xi32>
  %planes = tt.splat %plane : i32 -> tensor<32xi32>
  %row = arith.divsi %r, %widths : tensor<64xi32>
  %column = arith.remsi %r, %widths : tensor<64xi32>
  %start = arith.muli %row, %pitches : tensor<64xi32>
  %pixel = arith.addi %start, %column : tensor<64xi32>
  %channel = arith.muli %c, %planes : tensor<32xi32>
  %p1 = tt.expand_dims %pixel {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c1 = tt.expand_dims %channel {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %p2 = tt.broadcast %p1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %c2 = tt.broadcast %c1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %at = arith.addi %p2, %c2 : tensor<64x32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %v = tt.load %p : tensor<64x32x!tt.ptr<f32>>
  tt.return
}

// A width that 16 divides cuts rows where four neighbours begin: they stay neighbours where rows lie
// apart.
// CHECK-LABEL: @rows
// CHECK: tt.store %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [4]
tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %width: i32 {tt.divisibility = 16 : i32}, %pitch: i32 {tt.divisibility = 16 : i32}, %v: tensor<1024xf32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %widths = tt.splat %width : i32 -> tensor<1024xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<1024xi32>
  %row = arith.divsi %r, %widths : tensor<1024xi32>
  %column = arith.remsi %r, %widths : tensor<1024xi32>
  %start = arith.muli %row, %pitches : tensor<1024xi32>
  %at = arith.addi %start, %column : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Those of which nothing is known are accessed one by one, by neighbouring lanes.
// CHECK-LABEL: @unaligned
// CHECK: tt.load %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [1], lanes = [32], warps = [4], order = [0]>}
tt.func public @unaligned(%x: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// An address that is a number, as one from memory, may be known to be aligned as well.
// CHECK-LABEL: @address
// CHECK: tt.load %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>} : tensor<1024x!tt.ptr<f32>>
tt.func public @address(%addresses: !tt.ptr<i64>) {
  %number = tt.load %addresses {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<i64>
  %x = tt.int_to_ptr %number : i64 -> !tt.ptr<f32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Of numbers that count on, only the first is what they start with.
// CHECK-LABEL: @addresses_in_a_row
// CHECK: tt.load %{{.*}} {ttg.anchor = #ttg.layout<blocked [1024], registers = [1], lanes = [32], warps = [4], order = [0]>} : tensor<1024x!tt.ptr<i16>>
tt.func public @addresses_in_a_row(%first: i64 {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %wide = arith.extsi %range : tensor<1024xi32> to tensor<1024xi64>
  %firsts = tt.splat %first : i64 -> tensor<1024xi64>
  %numbers = arith.addi %firsts, %wide : tensor<1024xi64>
  %p = tt.int_to_ptr %numbers : tensor<1024xi64> -> tensor<1024x!tt.ptr<i16>>
  %v = tt.load %p : tensor<1024x!tt.ptr<i16>>
  tt.return
}

// No thread goes idle for wide accesses: 128 threads have two of 256 elements each.
// CHECK-LABEL: @small
// CHECK: ttg.anchor = #ttg.layout<blocked [256], registers = [2]
tt.func public @small(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %p : tensor<256x!tt.ptr<f32>>
  tt.return
}

// Where columns are neighbours in memory, threads follow the columns.
// CHECK-LABEL: @columns
// CHECK: ttg.anchor = #ttg.layout<blocked [64, 64], registers = [4, 1], lanes = {{.*}} order = [0, 1]>
tt.func public @columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pitch = arith.constant dense<64> : tensor<1x64xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = arith.muli %columns, %pitch : tensor<1x64xi32>
  %down = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %along = tt.broadcast %starts : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %down, %along : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Many exchanges of positions that differ in fixed bits: the lowest bits are registers', whatever the loads like.
// CHECK-LABEL: @exchanges
// CHECK: tt.gather {{.*}} {axis = 0 : i32, ttg.anchor = #ttg.layout<blocked [1024], registers = [8], lanes = [32], warps = [4], order = [0]>}
// CHECK-NOT: tt.gather {{.*}}ttg.anchor
// CHECK: tt.return
tt.func public @exchanges(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %b0 = arith.constant dense<1> : tensor<1024xi32>
  %k0 = arith.xori %range, %b0 : tensor<1024xi32>
  %g0 = tt.gather %v[%k0] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s0 = arith.maximumf %v, %g0 : tensor<1024xf32>
  %b1 = arith.constant dense<2> : tensor<1024xi32>
  %k1 = arith.xori %range, %b1 : tensor<1024xi32>
  %g1 = tt.gather %s0[%k1] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s1 = arith.maximumf %s0, %g1 : tensor<1024xf32>
  %b2 = arith.constant dense<4> : tensor<1024xi32>
  %k2 = arith.xori %range, %b2 : tensor<1024xi32>
  %g2 = tt.gather %s1[%k2] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s2 = arith.maximumf %s1, %g2 : tensor<1024xf32>
  %b3 = arith.constant dense<8> : tensor<1024xi32>
  %k3 = arith.xori %range, %b3 : tensor<1024xi32>
  %g3 = tt.gather %s2[%k3] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s3 = arith.maximumf %s2, %g3 : tensor<1024xf32>
  %b4 = arith.constant dense<1> : tensor<1024xi32>
  %k4 = arith.xori %range, %b4 : tensor<1024xi32>
  %g4 = tt.gather %s3[%k4] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s4 = arith.maximumf %s3, %g4 : tensor<1024xf32>
  %b5 = arith.constant dense<2> : tensor<1024xi32>
  %k5 = arith.xori %range, %b5 : tensor<1024xi32>
  %g5 = tt.gather %s4[%k5] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s5 = arith.maximumf %s4, %g5 : tensor<1024xf32>
  %b6 = arith.constant dense<4> : tensor<1024xi32>
  %k6 = arith.xori %range, %b6 : tensor<1024xi32>
  %g6 = tt.gather %s5[%k6] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s6 = arith.maximumf %s5, %g6 : tensor<1024xf32>
  %b7 = arith.constant dense<8> : tensor<1024xi32>
  %k7 = arith.xori %range, %b7 : tensor<1024xi32>
  %g7 = tt.gather %s6[%k7] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %s7 = arith.maximumf %s6, %g7 : tensor<1024xf32>
  tt.store %p, %s7 : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Scalars have no layout.
// CHECK-LABEL: @scalar
// CHECK: tt.load %{{.*}} : !tt.ptr<f32>
tt.func public @scalar(%x: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  tt.return
}

// Beside a product of a loop a thread loads two halves, for an asynchronous copy to bring them, and what it meets alike.
// CHECK-LABEL: @beside_a_product
// CHECK: tt.load {{.*}} {ttg.anchor = #ttg.layout<blocked [128], registers = [2],
// CHECK: tt.load {{.*}} {ttg.anchor = #ttg.layout<blocked [128], registers = [2],
tt.func public @beside_a_product(%s: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %t: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %a: tensor<64x32xf16>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x128xf32>
  %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ss = tt.splat %s : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %sp = tt.addptr %ss, %columns : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %ts = tt.splat %t : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %tp = tt.addptr %ts, %columns : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x128xf32>) : i32 {
    %x = tt.load %sp : tensor<128x!tt.ptr<f16>>
    %y = tt.load %tp : tensor<128x!tt.ptr<f32>>
    %z = arith.truncf %y : tensor<128xf32> to tensor<128xf16>
    %w = arith.addf %x, %z : tensor<128xf16>
    %r = tt.expand_dims %w {axis = 0 : i32} : tensor<128xf16> -> tensor<1x128xf16>
    %b = tt.broadcast %r : tensor<1x128xf16> -> tensor<32x128xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return
}

}
