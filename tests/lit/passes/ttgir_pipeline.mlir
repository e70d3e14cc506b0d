// RUN: tl-opt --ttgir-pipeline %s | FileCheck %s
// RUN: sed 's/warps = 4,/warps = 1,/' %s | tl-opt --ttgir-pipeline | FileCheck %s --check-prefix=ONE
// RUN: sed 's/matrix_instructions = .*>]>/matrix_instructions = []>/' %s | tl-opt --ttgir-pipeline | FileCheck %s --check-prefix=PLAIN
// Tensors get layouts in which accesses are wide and coalesced, and data move only where they must.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
    matrix_instructions = [#ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>]>} {

// Four elements a thread, as one access of 16 bytes; nothing is converted.
// CHECK-LABEL: @vector_add
// CHECK-COUNT-2: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>>
// CHECK-NOT: convert_layout
// CHECK: tt.store
// ONE-LABEL: @vector_add
// ONE: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [1], order = [0]>>
tt.func public @vector_add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                           %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp, %mask : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %b = tt.load %yp, %mask : tensor<1024x!tt.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<1024xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %sum, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// The sum of each row lies where the rows lie, and is stored from there.
// CHECK-LABEL: @row_sums
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f32>, #[[L:.*]]>
// CHECK-NOT: convert_layout
// CHECK: tt.store
tt.func public @row_sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c128 = arith.constant dense<128> : tensor<64x1xi32>
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %columns = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %rs = arith.muli %r, %c128 : tensor<64x1xi32>
  %rb = tt.broadcast %rs : tensor<64x1xi32> -> tensor<64x128xi32>
  %cb = tt.broadcast %c : tensor<1x128xi32> -> tensor<64x128xi32>
  %offsets = arith.addi %rb, %cb : tensor<64x128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %offsets : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
  %v = tt.load %p : tensor<64x128x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<64x128xf32>) -> tensor<64xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %rows : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %s : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A transposed copy reads along one axis and writes along the other: one conversion between.
// CHECK-LABEL: @transpose
// CHECK: %[[V:.*]] = tt.load {{.*}} registers = [1, 4]
// CHECK: ttg.convert_layout %[[V]] : {{.*}} -> tensor<64x64xf32, #ttg.layout<blocked [64, 64], registers = [4, 1]
// CHECK: tt.store {{.*}} registers = [4, 1]
tt.func public @transpose(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %d64 = arith.constant dense<64> : tensor<1x64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = arith.muli %r, %c64 : tensor<64x1xi32>
  %rb = tt.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %in = arith.addi %rb, %cb : tensor<64x64xi32>
  %cs = arith.muli %c, %d64 : tensor<1x64xi32>
  %rb2 = tt.broadcast %r : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb2 = tt.broadcast %cs : tensor<1x64xi32> -> tensor<64x64xi32>
  %out = arith.addi %rb2, %cb2 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %in : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %op = tt.addptr %os, %out : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %op, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A sum that a loop carries has the layout of what is added.
// CHECK-LABEL: @loop
// CHECK: scf.for {{.*}} -> (tensor<1024xf32, #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>>)
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @loop(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %total = scf.for %i = %c0 to %n step %c1024 iter_args(%acc = %zero) -> (tensor<1024xf32>) : i32 {
    %q = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %xs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p, %total : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// What is computed from numbers alone has the layout of the accesses of its shape, not one of its
// own.
// CHECK-LABEL: @from_numbers
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @from_numbers(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %half = arith.constant dense<0.5> : tensor<1024xf32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %number = arith.sitofp %range : tensor<1024xi32> to tensor<1024xf32>
  %keep = arith.cmpf ogt, %number, %half : tensor<1024xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %kept = arith.select %keep, %v, %zero : tensor<1024xi1>, tensor<1024xf32>
  tt.store %p, %kept : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Two chains that begin with numbers alone choose one after the other, and neither is left without.
// CHECK-LABEL: @two_choices
// CHECK: math.sin {{.*}} registers = [4]
// CHECK: math.cos {{.*}} registers = [4]
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @two_choices(%o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %x = arith.sitofp %range : tensor<1024xi32> to tensor<1024xf32>
  %s = math.sin %x : tensor<1024xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %s : tensor<1024x!tt.ptr<f32>>
  %twice = arith.addi %range, %range : tensor<1024xi32>
  %y = arith.sitofp %twice : tensor<1024xi32> to tensor<1024xf32>
  %c = math.cos %y : tensor<1024xf32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qp = tt.addptr %qs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %qp, %c : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// What chooses its layout for itself does so once, and the others still get theirs: both halves of
// a split have one layout.
// CHECK-LABEL: @halves
// CHECK: tt.split {{.*}} -> tensor<8xf32, #ttg.layout<
tt.func public @halves(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %places = tt.reshape %range : tensor<16xi32> -> tensor<8x2xi32>
  %bases = tt.splat %in : !tt.ptr<f32> -> tensor<8x2x!tt.ptr<f32>>
  %pointers = tt.addptr %bases, %places : tensor<8x2x!tt.ptr<f32>>, tensor<8x2xi32>
  %pairs = tt.load %pointers : tensor<8x2x!tt.ptr<f32>>
  %low, %high = tt.split %pairs : tensor<8x2xf32> -> tensor<8xf32>
  %rows = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %starts = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %to = tt.addptr %starts, %rows : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %to, %low : tensor<8x!tt.ptr<f32>>
  tt.return
}

// A loop's result has the layout that its body computes it in: nothing moves after the loop.
// CHECK-LABEL: @largest
// CHECK-NOT: ttg.convert_layout
tt.func public @largest(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %start = arith.constant dense<0.0> : tensor<1024xf32>
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %bases = tt.splat %in : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %all = scf.for %i = %c0 to %n step %step iter_args(%sum = %start) -> (tensor<1024xf32>) : i32 {
    %shift = tt.splat %i : i32 -> tensor<1024xi32>
    %places = arith.addi %shift, %range : tensor<1024xi32>
    %pointers = tt.addptr %bases, %places : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %values = tt.load %pointers : tensor<1024x!tt.ptr<f32>>
    %next = arith.maxnumf %sum, %values : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %squares = arith.mulf %all, %all : tensor<1024xf32>
  %result = "tt.reduce"(%squares) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %out, %result : !tt.ptr<f32>
  tt.return
}

// A tensor without axes is one number, which every thread holds.
// CHECK-LABEL: @one_number
// CHECK: tt.store {{.*}} tensor<!tt.ptr<f32>, #ttg.layout<
tt.func public @one_number(%out: !tt.ptr<f32>, %value: f32) {
  %number = tt.splat %value : f32 -> tensor<f32>
  %place = tt.splat %out : !tt.ptr<f32> -> tensor<!tt.ptr<f32>>
  tt.store %place, %number : tensor<!tt.ptr<f32>>
  tt.return
}

// A product has the layout of the matrix instruction, where the target has one.
// CHECK-LABEL: @product
// CHECK: tt.dot {{.*}} -> tensor<32x32xf32, #ttg.layout<mma [32, 32]
// PLAIN-LABEL: @product
// PLAIN-NOT: #ttg.layout<mma
// PLAIN: ttg.local_dot
// PLAIN-NOT: #ttg.layout<mma
// PLAIN: tt.return
tt.func public @product(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %a = tt.load %xs : tensor<32x32x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tt.dot %a, %a, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  tt.store %os, %c : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// A scaled product is one of widened elements; its accumulator comes in the layout of the result.
// CHECK-LABEL: @scaled_accumulator
// CHECK: [[C:%[0-9]+]] = ttg.convert_layout {{.*}} -> tensor<32x32xf32, [[TILE:#ttg.layout<linear \[32, 32\], register = \[\[0, 1\], \[0, 2\], \[1, 0\]\], lane = \[\[2, 0\], \[0, 4\], \[0, 8\], \[0, 16\], \[4, 0\]\], warp = \[\[8, 0\], \[16, 0\]\], block = \[\]>]]>
// CHECK: ttg.local_dot {{.*}}, [[C]] {{.*}} -> tensor<32x32xf32, [[TILE]]>
tt.func public @scaled_accumulator(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %down = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %along = tt.expand_dims %rows {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %begin = arith.muli %down, %pitch : tensor<32x1xi32>
  %first = tt.broadcast %begin : tensor<32x1xi32> -> tensor<32x32xi32>
  %next = tt.broadcast %along : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %first, %next : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<32x32x!tt.ptr<f8E4M3FN>>
  %xp = tt.addptr %xs, %at : tensor<32x32x!tt.ptr<f8E4M3FN>>, tensor<32x32xi32>
  %a = tt.load %xp : tensor<32x32x!tt.ptr<f8E4M3FN>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %c = tt.load %yp : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot_scaled %a, %a, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E4M3FN> -> tensor<32x32xf32>
  tt.store %yp, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

}
