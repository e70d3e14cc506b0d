// RUN: tl-opt --share-product-operands %s | FileCheck %s
// What a loop loads for a product goes by way of shared memory, where copies can bring it.

#rows = #ttg.layout<blocked [16, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#rows2048 = #ttg.layout<blocked [16, 2048], registers = [1, 8], lanes = [1, 32], warps = [4, 1], order = [1, 0]>
#a2048 = #ttg.layout<dot_operand mma [16, 2048], index = 0, bits = 16, warps = [1, 4]>
#b2048 = #ttg.layout<dot_operand mma [2048, 64], index = 1, bits = 16, warps = [1, 4]>
#rows4096 = #ttg.layout<blocked [16, 4096], registers = [1, 8], lanes = [1, 32], warps = [4, 1], order = [1, 0]>
#a4096 = #ttg.layout<dot_operand mma [16, 4096], index = 0, bits = 16, warps = [1, 4]>
#b4096 = #ttg.layout<dot_operand mma [4096, 64], index = 1, bits = 16, warps = [1, 4]>
#wide = #ttg.layout<blocked [64, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#high = #ttg.layout<blocked [64, 64], registers = [16, 1], lanes = [4, 8], warps = [1, 4], order = [0, 1]>
#words = #ttg.layout<blocked [64, 8], registers = [1, 4], lanes = [16, 2], warps = [4, 1], order = [1, 0]>
#a = #ttg.layout<dot_operand mma [16, 64], index = 0, bits = 16, warps = [1, 4]>
#b = #ttg.layout<dot_operand mma [64, 64], index = 1, bits = 16, warps = [1, 4]>
#a8 = #ttg.layout<dot_operand mma [16, 64], index = 0, bits = 8, warps = [1, 4]>
#b8 = #ttg.layout<dot_operand mma [64, 64], index = 1, bits = 8, warps = [1, 4]>
#c = #ttg.layout<mma [16, 64], warps = [1, 4]>
#pa = #ttg.layout<blocked [32, 128], registers = [1, 4], lanes = [1, 32], warps = [4, 1], order = [1, 0]>
#pat = #ttg.layout<blocked [128, 32], registers = [4, 1], lanes = [32, 1], warps = [1, 4], order = [0, 1]>
#pb = #ttg.layout<blocked [32, 64], registers = [4, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>
#ar = #ttg.layout<linear [128, 32], register = [[1, 0], [0, 4], [0, 8], [0, 16], [2, 0]], lane = [[0, 1], [0, 2], [16, 0], [4, 0], [8, 0]], warp = [[32, 0], [64, 0]], block = []>
#dr = #ttg.layout<linear [128, 64], register = [[0, 1], [1, 0], [0, 8], [0, 16], [0, 32], [2, 0]], lane = [[0, 2], [0, 4], [16, 0], [4, 0], [8, 0]], warp = [[32, 0], [64, 0]], block = []>

#words1 = #ttg.layout<blocked [64, 1, 8], registers = [1, 1, 4], lanes = [16, 1, 2], warps = [4, 1, 1], order = [2, 0, 1]>
#cube = #ttg.layout<blocked [64, 8, 8], registers = [1, 1, 1], lanes = [1, 4, 8], warps = [4, 1, 1], order = [2, 1, 0]>
#flat = #ttg.layout<blocked [64, 1, 8], registers = [1, 1, 1], lanes = [1, 4, 8], warps = [4, 1, 1], order = [2, 1, 0]>
#one = #ttg.layout<blocked [1, 8, 1], registers = [1, 1, 1], lanes = [1, 4, 8], warps = [4, 1, 1], order = [2, 1, 0]>
#square = #ttg.layout<blocked [64, 64], registers = [1, 1], lanes = [1, 32], warps = [4, 1], order = [1, 0]>
#eight = #ttg.layout<blocked [8], registers = [1], lanes = [32], warps = [4], order = [0]>
#eight0 = #ttg.layout<blocked [1, 8], registers = [1, 1], lanes = [1, 32], warps = [1, 4], order = [1, 0]>
#eight02 = #ttg.layout<blocked [1, 8, 1], registers = [1, 1, 1], lanes = [1, 32, 1], warps = [1, 4, 1], order = [1, 2, 0]>
#line = #ttg.layout<blocked [64], registers = [1], lanes = [32], warps = [4], order = [0]>
#line0 = #ttg.layout<blocked [1, 64], registers = [1, 1], lanes = [1, 32], warps = [1, 4], order = [1, 0]>
#c1 = #ttg.layout<blocked [1, 64], registers = [1, 2], lanes = [8, 4], warps = [1, 4], order = [1, 0]>
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// Rows of 128 bytes, swizzled so that tiles of 8 rows are read without conflicts, whichever axis k is.
// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %[[X]] : {{.*}} -> !ttg.memdesc<16x64xf16, #ttg.shared<hardware_swizzled [16, 64], bits = 16, bytes = 128, order = [1, 0]>>
// CHECK: %[[Y:.*]] = tt.load
// CHECK-NEXT: %[[N:.*]] = ttg.local_alloc %[[Y]] : {{.*}} -> !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>>
// CHECK-DAG: %[[A:.*]] = ttg.local_load %[[M]] {{.*}} -> tensor<16x64xf16, #ttg.layout<dot_operand mma [16, 64], index = 0, bits = 16, warps = [1, 4]>>
// CHECK-DAG: %[[B:.*]] = ttg.local_load %[[N]] {{.*}} -> tensor<64x64xf16, #ttg.layout<{{.*}}>>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.dot %[[A]], %[[B]],
tt.func public @loop(%p: tensor<16x64x!tt.ptr<f16>, #rows>, %q: tensor<64x64x!tt.ptr<f16>, #wide>, %n: i32, %z: tensor<16x64xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x64xf32, #c>) : i32 {
    %x = tt.load %p : tensor<16x64x!tt.ptr<f16>, #rows>
    %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #wide>
    %xa = ttg.convert_layout %x : tensor<16x64xf16, #rows> -> tensor<16x64xf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xf16, #wide> -> tensor<64x64xf16, #b>
    %d = tt.dot %xa, %yb, %acc {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
      : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #c>
    scf.yield %d : tensor<16x64xf32, #c>
  }
  tt.return
}

// What is widened is widened after it was read: bytes leave memory as the product wants them, and there are fewer.
// CHECK-LABEL: @widened
// CHECK: %[[Y:.*]] = tt.load
// CHECK-NEXT: %[[N:.*]] = ttg.local_alloc %[[Y]]
// CHECK: %[[W:.*]] = ttg.local_load %[[N]] : !ttg.memdesc<64x64xi8, {{.*}} -> tensor<64x64xi8, #ttg.layout<{{.*}}
// CHECK-NEXT: %[[B:.*]] = arith.sitofp %[[W]]
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.dot %{{.*}}, %[[B]],
tt.func public @widened(%x: tensor<16x64xf16, #a8>, %q: tensor<64x64x!tt.ptr<i8>, #high>, %n: i32, %z: tensor<16x64xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x64xf32, #c>) : i32 {
    %y = tt.load %q : tensor<64x64x!tt.ptr<i8>, #high>
    %h = arith.sitofp %y : tensor<64x64xi8, #high> to tensor<64x64xf16, #high>
    %yb = ttg.convert_layout %h : tensor<64x64xf16, #high> -> tensor<64x64xf16, #b8>
    %d = tt.dot %x, %yb, %acc {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
      : tensor<16x64xf16, #a8> * tensor<64x64xf16, #b8> -> tensor<16x64xf32, #c>
    scf.yield %d : tensor<16x64xf32, #c>
  }
  tt.return
}

// Bytes that do not lie together along k are read as they were loaded and stored again when they are halves.
// CHECK-LABEL: @across
// CHECK: %[[Y:.*]] = tt.load
// CHECK-NEXT: %[[N:.*]] = ttg.local_alloc %[[Y]] : {{.*}} -> !ttg.memdesc<64x64xi8, #ttg.shared<rows [64, 64], order = [1, 0]>>
// CHECK-NEXT: %[[W:.*]] = ttg.local_load %[[N]]
// CHECK-NEXT: %[[H:.*]] = arith.sitofp %[[W]]
// CHECK: ttg.convert_layout %[[H]]
tt.func public @across(%x: tensor<16x64xf16, #a>, %q: tensor<64x64x!tt.ptr<i8>, #wide>, %n: i32, %z: tensor<16x64xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x64xf32, #c>) : i32 {
    %y = tt.load %q : tensor<64x64x!tt.ptr<i8>, #wide>
    %h = arith.sitofp %y : tensor<64x64xi8, #wide> to tensor<64x64xf16, #wide>
    %yb = ttg.convert_layout %h : tensor<64x64xf16, #wide> -> tensor<64x64xf16, #b>
    %d = tt.dot %x, %yb, %acc {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
      : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #c>
    scf.yield %d : tensor<16x64xf32, #c>
  }
  tt.return
}

// Numbers that share a word are taken out of it where the product needs them: through other shapes, too, with the shifts
// made there once more.
// CHECK-LABEL: @unpacked
// CHECK: %[[Y:.*]] = tt.load
// CHECK-NEXT: %[[N:.*]] = ttg.local_alloc %[[Y]] : {{.*}} -> !ttg.memdesc<64x8xi32, #ttg.shared<
// CHECK: %[[W:.*]] = ttg.local_load %[[N]] : {{.*}} -> tensor<64x8xi32,
// CHECK-NEXT: tt.expand_dims %[[W]]
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[B:.*]] = tt.reshape
// CHECK: tt.dot %{{.*}}, %[[B]],
tt.func public @unpacked(%x: tensor<16x64xf16, #a>, %q: tensor<64x8x!tt.ptr<i32>, #words>, %n: i32, %z: tensor<16x64xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %four = arith.constant dense<4> : tensor<8xi32, #eight>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #eight>
  %at = arith.muli %range, %four : tensor<8xi32, #eight>
  %at0 = tt.expand_dims %at {axis = 0 : i32} : tensor<8xi32, #eight> -> tensor<1x8xi32, #eight0>
  %at2 = tt.expand_dims %at0 {axis = 2 : i32} : tensor<1x8xi32, #eight0> -> tensor<1x8x1xi32, #eight02>
  %atc = ttg.convert_layout %at2 : tensor<1x8x1xi32, #eight02> -> tensor<1x8x1xi32, #one>
  %shift = tt.broadcast %atc : tensor<1x8x1xi32, #one> -> tensor<64x8x8xi32, #cube>
  %fifteen = arith.constant dense<15> : tensor<64x8x8xi32, #cube>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x64xf32, #c>) : i32 {
    %y = tt.load %q : tensor<64x8x!tt.ptr<i32>, #words>
    %y1 = tt.expand_dims %y {axis = 1 : i32} : tensor<64x8xi32, #words> -> tensor<64x1x8xi32, #words1>
    %yc = ttg.convert_layout %y1 : tensor<64x1x8xi32, #words1> -> tensor<64x1x8xi32, #flat>
    %wide = tt.broadcast %yc : tensor<64x1x8xi32, #flat> -> tensor<64x8x8xi32, #cube>
    %moved = arith.shrsi %wide, %shift : tensor<64x8x8xi32, #cube>
    %number = arith.andi %moved, %fifteen : tensor<64x8x8xi32, #cube>
    %h = arith.sitofp %number : tensor<64x8x8xi32, #cube> to tensor<64x8x8xf16, #cube>
    %w = tt.reshape %h : tensor<64x8x8xf16, #cube> -> tensor<64x64xf16, #square>
    %b = ttg.convert_layout %w : tensor<64x64xf16, #square> -> tensor<64x64xf16, #b>
    %d = tt.dot %x, %b, %acc {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
      : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #c>
    scf.yield %d : tensor<16x64xf32, #c>
  }
  tt.return
}

// What is loaded, converted and used beside the product is read as it is needed.
// CHECK-LABEL: @beside
// CHECK: %[[Y:.*]] = tt.load
// CHECK-NEXT: %[[N:.*]] = ttg.local_alloc %[[Y]] : {{.*}} -> !ttg.memdesc<64xf32, #ttg.shared<rows [64], order = [0]>>
// CHECK: %[[V:.*]] = ttg.local_load %[[N]] : {{.*}} -> tensor<64xf32, #ttg.layout<slice
// CHECK: tt.expand_dims %[[V]] {axis = 0 : i32}
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.yield
tt.func public @beside(%x: tensor<16x64xf16, #a>, %y: tensor<64x64xf16, #b>, %q: tensor<64x!tt.ptr<f32>, #line>, %n: i32, %z: tensor<16x64xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x64xf32, #c>) : i32 {
    %v = tt.load %q : tensor<64x!tt.ptr<f32>, #line>
    %v0 = tt.expand_dims %v {axis = 0 : i32} : tensor<64xf32, #line> -> tensor<1x64xf32, #line0>
    %vc = ttg.convert_layout %v0 : tensor<1x64xf32, #line0> -> tensor<1x64xf32, #c1>
    %wide = tt.broadcast %vc : tensor<1x64xf32, #c1> -> tensor<16x64xf32, #c>
    %d = tt.dot %x, %y, %acc {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
      : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #c>
    %s = arith.addf %d, %wide : tensor<16x64xf32, #c>
    scf.yield %s : tensor<16x64xf32, #c>
  }
  tt.return
}

// Outside of loops an operand waits for its product in shared memory, not in registers.
// CHECK-LABEL: @once
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %[[X]]
// CHECK-NEXT: arith.negf
// CHECK-NEXT: %[[A:.*]] = ttg.local_load %[[M]]
// CHECK-NEXT: tt.dot %[[A]]
tt.func public @once(%p: tensor<16x64x!tt.ptr<f16>, #rows>, %b: tensor<64x64xf16, #b>, %z: tensor<16x64xf32, #c>) {
  %x = tt.load %p : tensor<16x64x!tt.ptr<f16>, #rows>
  %xa = ttg.convert_layout %x : tensor<16x64xf16, #rows> -> tensor<16x64xf16, #a>
  %y = arith.negf %z : tensor<16x64xf32, #c>
  %d = tt.dot %xa, %b, %y {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
    : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #c>
  tt.return
}

// Four warps leave half of shared memory to a second program; where an operand would take more, it is converted.
// CHECK-LABEL: @once_large
// CHECK-NOT: ttg.local_alloc
// CHECK: ttg.convert_layout
tt.func public @once_large(%p: tensor<16x4096x!tt.ptr<f16>, #rows4096>, %b: tensor<4096x64xf16, #b4096>, %z: tensor<16x64xf32, #c>) {
  %x = tt.load %p : tensor<16x4096x!tt.ptr<f16>, #rows4096>
  %xa = ttg.convert_layout %x : tensor<16x4096xf16, #rows4096> -> tensor<16x4096xf16, #a4096>
  %d = tt.dot %xa, %b, %z {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
    : tensor<16x4096xf16, #a4096> * tensor<4096x64xf16, #b4096> -> tensor<16x64xf32, #c>
  tt.return
}

// What half of that takes waits there.
// CHECK-LABEL: @once_small
// CHECK: ttg.local_alloc
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.dot
tt.func public @once_small(%p: tensor<16x2048x!tt.ptr<f16>, #rows2048>, %b: tensor<2048x64xf16, #b2048>, %z: tensor<16x64xf32, #c>) {
  %x = tt.load %p : tensor<16x2048x!tt.ptr<f16>, #rows2048>
  %xa = ttg.convert_layout %x : tensor<16x2048xf16, #rows2048> -> tensor<16x2048xf16, #a2048>
  %d = tt.dot %xa, %b, %z {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
    : tensor<16x2048xf16, #a2048> * tensor<2048x64xf16, #b2048> -> tensor<16x64xf32, #c>
  tt.return
}

// A product in a branch of the loop that loads for it.
// CHECK-LABEL: @in_a_branch
// CHECK: scf.for
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %[[X]]
// CHECK: scf.if
// CHECK-NEXT: ttg.local_load %[[M]]
tt.func public @in_a_branch(%p: tensor<16x64x!tt.ptr<f16>, #rows>, %n: i32, %b: tensor<64x64xf16, #b>, %z: tensor<16x64xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x64xf32, #c>) : i32 {
    %x = tt.load %p : tensor<16x64x!tt.ptr<f16>, #rows>
    %odd = arith.trunci %i : i32 to i1
    %s = scf.if %odd -> (tensor<16x64xf32, #c>) {
      %xa = ttg.convert_layout %x : tensor<16x64xf16, #rows> -> tensor<16x64xf16, #a>
      %d = tt.dot %xa, %b, %acc {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>}
        : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #c>
      scf.yield %d : tensor<16x64xf32, #c>
    } else {
      scf.yield %acc : tensor<16x64xf32, #c>
    }
    scf.yield %s : tensor<16x64xf32, #c>
  }
  tt.return
}

// A loop without products that says how many stages it has: each thread finds what it loaded itself.
// CHECK-LABEL: @sums
// CHECK: scf.for
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %[[X]]
// CHECK-NEXT: ttg.local_load %[[M]]
// CHECK: scf.for
// CHECK-NOT: ttg.local_alloc
tt.func public @sums(%p: tensor<16x64x!tt.ptr<f16>, #rows>, %n: i32, %z: tensor<16x64xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x64xf16, #rows>) : i32 {
    %x = tt.load %p : tensor<16x64x!tt.ptr<f16>, #rows>
    %s = arith.addf %acc, %x : tensor<16x64xf16, #rows>
    scf.yield %s : tensor<16x64xf16, #rows>
  } {tt.num_stages = 3 : i32}
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %r) -> (tensor<16x64xf16, #rows>) : i32 {
    %x = tt.load %p : tensor<16x64x!tt.ptr<f16>, #rows>
    %s = arith.addf %acc, %x : tensor<16x64xf16, #rows>
    scf.yield %s : tensor<16x64xf16, #rows>
  }
  tt.return
}

// A first operand that groups of warps take from registers: read four rows at a time from memory, which lies as the load
// does.
// CHECK-LABEL: @registers
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %[[X]] : {{.*}} -> !ttg.memdesc<32x128xf32, #ttg.shared<hardware_swizzled [32, 128], bits = 32, bytes = 128, order = [1, 0]>>
// CHECK: %[[Y:.*]] = tt.load
// CHECK-NEXT: %[[N:.*]] = ttg.local_alloc %[[Y]]
// CHECK: %[[R:.*]] = ttg.local_load %[[M]] {{.*}} -> tensor<32x128xf32
// CHECK-NEXT: %[[A:.*]] = tt.trans %[[R]]
// CHECK-NEXT: ttg.warp_group_dot %[[A]], %[[N]], %{{.*}} {instruction = array<i32: 64, 64, 8>, warps = array<i32: 4, 1>}
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.yield
tt.func public @registers(%p: tensor<32x128x!tt.ptr<f32>, #pa>, %q: tensor<32x64x!tt.ptr<f32>, #pb>, %n: i32, %z: tensor<128x64xf32, #dr>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<128x64xf32, #dr>) : i32 {
    %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #pa>
    %y = tt.load %q : tensor<32x64x!tt.ptr<f32>, #pb>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x128xf32, #pa> -> tensor<128x32xf32, #pat>
    %a = ttg.convert_layout %t : tensor<128x32xf32, #pat> -> tensor<128x32xf32, #ar>
    %d = tt.dot %a, %y, %acc, inputPrecision = tf32 {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", shape = [64, 64, 8], element = tf32, sum = f32>}
      : tensor<128x32xf32, #ar> * tensor<32x64xf32, #pb> -> tensor<128x64xf32, #dr>
    scf.yield %d : tensor<128x64xf32, #dr>
  }
  tt.return
}

}
