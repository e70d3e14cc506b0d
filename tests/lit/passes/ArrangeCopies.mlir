// RUN: tl-opt --arrange-copies %s | FileCheck %s
// RUN: sed 's/, ttg.lane_copies = array<i32: 4, 16>//' %s | tl-opt --arrange-copies | FileCheck %s --check-prefix=NONE
// RUN: sed 's/array<i32: 4, 16>/array<i32: 4>/' %s | tl-opt --arrange-copies | FileCheck %s --check-prefix=WORDS
// Layouts of loads in which the lanes of a warp write shared memory in order.

#l = #ttg.layout<blocked [64, 64], registers = [1, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>
#r = #ttg.layout<slice <blocked [64, 64], registers = [1, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>, axis = 1>
#c = #ttg.layout<slice <blocked [64, 64], registers = [1, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>, axis = 0>
#p = #ttg.layout<blocked [64, 64], registers = [8, 2], lanes = [2, 32], warps = [4, 1], order = [1, 0]>
#pr = #ttg.layout<slice <blocked [64, 64], registers = [8, 2], lanes = [2, 32], warps = [4, 1], order = [1, 0]>, axis = 1>
#pc = #ttg.layout<slice <blocked [64, 64], registers = [8, 2], lanes = [2, 32], warps = [4, 1], order = [1, 0]>, axis = 0>
#w = #ttg.layout<blocked [64, 64], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>
#wr = #ttg.layout<slice <blocked [64, 64], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>, axis = 1>
#wc = #ttg.layout<slice <blocked [64, 64], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>, axis = 0>
#a = #ttg.layout<dot_operand mfma [64, 64], index = 0, side = 32, k_width = 8, warps = [2, 2]>
#b = #ttg.layout<dot_operand mfma [64, 64], index = 1, side = 32, k_width = 8, warps = [2, 2]>
#f = #ttg.layout<dot_operand mfma [64, 64], index = 0, side = 32, k_width = 1, warps = [2, 2]>
#m = #ttg.shared<rows [64, 64], order = [1, 0]>
#n = #ttg.shared<swizzled [64, 64], vector = 8, per_phase = 2, max_phase = 8, order = [0, 1]>
module attributes {ttg.banks = 64 : i32, ttg.gpu = #ttg.gpu<warps = 4, lanes = 64, access_bytes = 16, sector_bytes = 64, shared_bytes = 163840, matrix_instructions = []>, ttg.loads_in_registers, ttg.lane_copies = array<i32: 4, 16>} {

// Eight lanes read a row of 128 bytes, and which piece of it depends on the row: as many as fill all banks read 16 rows of a
// column of pieces. The pointers are computed so.
// CHECK-LABEL: @rows
// CHECK: scf.for
// CHECK: tt.addptr {{.*}}linear [64, 64], register = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 8], [4, 16]], warp = {{\[\[}}8, 32], [16, 0]]
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}}linear [64, 64]
// CHECK: ttg.local_alloc {{.*}}linear {{.*}}swizzled [64, 64], vector = 8, per_phase = 2, max_phase = 8, order = [1, 0]
// CHECK: ttg.local_load {{.*}}swizzled {{.*}}dot_operand
// NONE-LABEL: @rows
// NONE: tt.load {{.*}}#ttg.layout<blocked
// NONE-LABEL: @turned
// What a thread loads by 16 bytes would be four copies of 4.
// WORDS-LABEL: @rows
// WORDS: tt.load {{.*}}#ttg.layout<blocked
// WORDS-LABEL: @turned
tt.func public @rows(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #r>
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #c>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #r> -> tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [8, 8], warps = [4, 1], order = [1, 0]>>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #c> -> tensor<1x64xi32, #ttg.layout<blocked [1, 64], registers = [1, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>>
  %ss = tt.splat %stride : i32 -> tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [8, 8], warps = [4, 1], order = [1, 0]>>
  %rs = arith.muli %re, %ss : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [8, 8], warps = [4, 1], order = [1, 0]>>
  %rb = tt.broadcast %rs : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [8, 8], warps = [4, 1], order = [1, 0]>> -> tensor<64x64xi32, #l>
  %cb = tt.broadcast %ce : tensor<1x64xi32, #ttg.layout<blocked [1, 64], registers = [1, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>> -> tensor<64x64xi32, #l>
  %o = arith.addi %rb, %cb : tensor<64x64xi32, #l>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %xs, %o : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  scf.for %i = %c0 to %count step %c1 : i32 {
    %at = arith.muli %i, %c64 : i32
    %ats = tt.splat %at : i32 -> tensor<64x64xi32, #l>
    %q = tt.addptr %p, %ats : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %v = tt.load %q : tensor<64x64x!tt.ptr<f16>, #l>
    %s = ttg.local_alloc %v : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #m>
    %w = ttg.local_load %s : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #a>
    tt.print "w" {hex = false, isSigned = array<i32: 0>} : %w : tensor<64x64xf16, #a>
  }
  tt.return
}

// Neighbours in memory that are not those which the product reads together stay with the threads, which turn them.
// CHECK-LABEL: @turned
// CHECK: tt.load {{.*}}#ttg.layout<blocked [64, 64], registers = [8, 2]
// CHECK: tt.return
tt.func public @turned(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #pr>
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #pc>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #pr> -> tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [8, 1], lanes = [2, 32], warps = [4, 1], order = [1, 0]>>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #pc> -> tensor<1x64xi32, #ttg.layout<blocked [1, 64], registers = [8, 2], lanes = [2, 32], warps = [4, 1], order = [1, 0]>>
  %c64 = arith.constant dense<64> : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [8, 1], lanes = [2, 32], warps = [4, 1], order = [1, 0]>>
  %rs = arith.muli %re, %c64 : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [8, 1], lanes = [2, 32], warps = [4, 1], order = [1, 0]>>
  %rb = tt.broadcast %rs : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [8, 1], lanes = [2, 32], warps = [4, 1], order = [1, 0]>> -> tensor<64x64xi32, #p>
  %cb = tt.broadcast %ce : tensor<1x64xi32, #ttg.layout<blocked [1, 64], registers = [8, 2], lanes = [2, 32], warps = [4, 1], order = [1, 0]>> -> tensor<64x64xi32, #p>
  %o = arith.addi %rb, %cb : tensor<64x64xi32, #p>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #p>
  %q = tt.addptr %xs, %o : tensor<64x64x!tt.ptr<f16>, #p>, tensor<64x64xi32, #p>
  scf.for %i = %c0 to %count step %c1 : i32 {
    %v = tt.load %q : tensor<64x64x!tt.ptr<f16>, #p>
    %s = ttg.local_alloc %v : (tensor<64x64xf16, #p>) -> !ttg.memdesc<64x64xf16, #n>
    %w = ttg.local_load %s : !ttg.memdesc<64x64xf16, #n> -> tensor<64x64xf16, #b>
    tt.print "w" {hex = false, isSigned = array<i32: 0>} : %w : tensor<64x64xf16, #b>
  }
  tt.return
}

// Pointers that would have to move between threads stay.
// CHECK-LABEL: @carried
// CHECK: tt.load {{.*}}#ttg.layout<blocked
// CHECK: tt.return
tt.func public @carried(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %count step %c1 : i32 {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %s = ttg.local_alloc %v : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #m>
    %w = ttg.local_load %s : !ttg.memdesc<64x64xf16, #m> -> tensor<64x64xf16, #a>
    tt.print "w" {hex = false, isSigned = array<i32: 0>} : %w : tensor<64x64xf16, #a>
  }
  tt.return
}

// Elements of 4 bytes that are loaded one by one are as many copies.
// CHECK-LABEL: @words
// CHECK: tt.load {{.*}}linear [64, 64], register = {{.*}}lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]
// WORDS-LABEL: @words
// WORDS: tt.load {{.*}}linear [64, 64], register = {{.*}}lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]
tt.func public @words(%x: !tt.ptr<f32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #wr>
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #wc>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #wr> -> tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #wc> -> tensor<1x64xi32, #ttg.layout<blocked [1, 64], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>>
  %c64 = arith.constant dense<64> : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>>
  %rs = arith.muli %re, %c64 : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>>
  %rb = tt.broadcast %rs : tensor<64x1xi32, #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>> -> tensor<64x64xi32, #w>
  %cb = tt.broadcast %ce : tensor<1x64xi32, #ttg.layout<blocked [1, 64], registers = [1, 1], lanes = [1, 64], warps = [4, 1], order = [1, 0]>> -> tensor<64x64xi32, #w>
  %o = arith.addi %rb, %cb : tensor<64x64xi32, #w>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #w>
  %q = tt.addptr %xs, %o : tensor<64x64x!tt.ptr<f32>, #w>, tensor<64x64xi32, #w>
  scf.for %i = %c0 to %count step %c1 : i32 {
    %v = tt.load %q : tensor<64x64x!tt.ptr<f32>, #w>
    %s = ttg.local_alloc %v : (tensor<64x64xf32, #w>) -> !ttg.memdesc<64x64xf32, #m>
    %u = ttg.local_load %s : !ttg.memdesc<64x64xf32, #m> -> tensor<64x64xf32, #f>
    tt.print "u" {hex = false, isSigned = array<i32: 0>} : %u : tensor<64x64xf32, #f>
  }
  tt.return
}

}
