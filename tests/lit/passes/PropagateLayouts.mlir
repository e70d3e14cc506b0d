// RUN: tl-opt --propagate-layouts %s | FileCheck %s
// Layouts spread from anchors until every tensor has one, and conversions stand where two meet.

module attributes {ttg.gpu = #ttg.gpu<warps = 1, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// What is computed from loaded values has their layout, addresses that of the access, and the anchor is gone.
// CHECK-LABEL: @chain
// CHECK: tt.make_range {{.*}} : tensor<128xi32, [[L:#ttg.layout<blocked \[128\], registers = \[4\], lanes = \[32\], warps = \[1\], order = \[0\]>]]>
// CHECK: tt.addptr {{.*}} : tensor<128x!tt.ptr<f32>, [[L]]>
// CHECK: tt.load %{{[0-9]+}} : tensor<128x!tt.ptr<f32>, [[L]]>
// CHECK: arith.addf {{.*}} : tensor<128xf32, [[L]]>
// CHECK-NOT: ttg.
// CHECK: tt.return
tt.func public @chain(%x: !tt.ptr<f32>) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p {ttg.anchor = #ttg.layout<blocked [128], registers = [4], lanes = [32], warps = [1], order = [0]>} : tensor<128x!tt.ptr<f32>>
  %s = arith.addf %v, %v : tensor<128xf32>
  tt.return
}

// A store takes its operands in its anchor's layout: the value is converted, and so are the addresses, which have
// the layout of the load.
// CHECK-LABEL: @two_anchors
// CHECK: %[[P:.*]] = tt.addptr {{.*}} registers = [4]
// CHECK: %[[Q:.*]] = ttg.convert_layout %[[P]] : {{.*}} registers = [4], {{.*}} registers = [1]
// CHECK: %[[V:.*]] = tt.load %[[P]]
// CHECK: %[[W:.*]] = ttg.convert_layout %[[V]] : {{.*}} registers = [4], {{.*}} registers = [1]
// CHECK: tt.store %[[Q]], %[[W]] : {{.*}} registers = [1]
tt.func public @two_anchors(%x: !tt.ptr<f32>) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p {ttg.anchor = #ttg.layout<blocked [128], registers = [4], lanes = [32], warps = [1], order = [0]>} : tensor<128x!tt.ptr<f32>>
  tt.store %p, %v {ttg.anchor = #ttg.layout<blocked [128], registers = [1], lanes = [32], warps = [1], order = [0]>} : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A loop carries what its body yields, from the first iteration on; what is carried and follows from nothing that
// has a layout is laid out plainly.
// CHECK-LABEL: @loop
// CHECK: scf.for {{.*}} -> (tensor<128xf32, #ttg.layout<blocked [128], registers = [4], {{.*}}>>, tensor<128xi32, #ttg.layout<blocked [128], registers = [1],
tt.func public @loop(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %range) -> (tensor<128xf32>, tensor<128xi32>) : i32 {
    %p = tt.addptr %xs, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %p {ttg.anchor = #ttg.layout<blocked [128], registers = [4], lanes = [32], warps = [1], order = [0]>} : tensor<128x!tt.ptr<f32>>
    %sum = arith.addf %acc, %v : tensor<128xf32>
    %next = arith.muli %at, %at : tensor<128xi32>
    scf.yield %sum, %next : tensor<128xf32>, tensor<128xi32>
  }
  tt.return
}

// A product takes its operands in the layouts of its instruction, which stays for the lowering.
// CHECK-LABEL: @product
// CHECK: %[[A:.*]] = ttg.convert_layout {{.*}} -> tensor<16x32xf16, #ttg.layout<mma [16, 32], warps = [1, 1]>>
// CHECK: tt.dot %[[A]], {{.*}} {ttg.instruction = #ttg.matrix_instruction<{{[^>]*}}>} : {{.*}} -> tensor<16x16xf32, #ttg.layout<mma [16, 16]
tt.func public @product(%x: !tt.ptr<f16>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %b = arith.constant dense<1.0> : tensor<32x16xf16>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %a = tt.load %xs {ttg.anchor = #ttg.layout<blocked [16, 32], registers = [1, 1], lanes = [1, 32], warps = [1, 1], order = [1, 0]>} : tensor<16x32x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %zero {
      ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>,
      ttg.anchor = #ttg.layout<mma [16, 16], warps = [1, 1]>,
      ttg.operand_anchors = [#ttg.layout<dot_operand mma [16, 32], index = 0, bits = 16, warps = [1, 1]>,
                             #ttg.layout<dot_operand mma [32, 16], index = 1, bits = 16, warps = [1, 1]>]}
      : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.return
}

// A load from anywhere takes the layout that its numbers come in, also from a loop; nothing is converted there.
// CHECK-LABEL: @scattered
// CHECK: %[[N:.*]] = tt.load %{{[0-9]+}} : tensor<128x!tt.ptr<i32>, [[L:#ttg.layout<blocked \[128\], registers = \[4\], lanes = \[32\], warps = \[1\], order = \[0\]>]]>
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %[[N]])
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.load %{{[0-9]+}} : tensor<128x!tt.ptr<i32>, [[L]]>
// CHECK-NOT: ttg.scattered
// CHECK: tt.return
tt.func public @scattered(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %range : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %p {ttg.anchor = #ttg.layout<blocked [128], registers = [4], lanes = [32], warps = [1], order = [0]>} : tensor<128x!tt.ptr<i32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %v) -> (tensor<128xi32>) : i32 {
    %q = tt.addptr %xs, %at : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %w = tt.load %q {ttg.anchor = #ttg.layout<blocked [128], registers = [1], lanes = [32], warps = [1], order = [0]>, ttg.scattered} : tensor<128x!tt.ptr<i32>>
    scf.yield %w : tensor<128xi32>
  }
  tt.return
}

// Addresses that can be computed in any layout take that of what the value meets first.
// CHECK-LABEL: @beside
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.load %{{[0-9]+}} : tensor<128x!tt.ptr<f16>, #ttg.layout<blocked [128], registers = [4]
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @beside(%x: !tt.ptr<f32>, %s: !tt.ptr<f16>) {
  %c64 = arith.constant dense<64> : tensor<128xi32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %group = arith.divsi %range, %c64 : tensor<128xi32>
  %ss = tt.splat %s : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %ss, %group : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %scale = tt.load %q {ttg.anchor = #ttg.layout<blocked [128], registers = [1], lanes = [32], warps = [1], order = [0]>, ttg.scattered} : tensor<128x!tt.ptr<f16>>
  %v = tt.load %p {ttg.anchor = #ttg.layout<blocked [128], registers = [4], lanes = [32], warps = [1], order = [0]>} : tensor<128x!tt.ptr<f32>>
  %wide = arith.extf %scale : tensor<128xf16> to tensor<128xf32>
  %r = arith.mulf %v, %wide : tensor<128xf32>
  tt.return
}

}
