// RUN: tl-opt %s | FileCheck %s
// RUN: tl-opt %s | tl-opt | FileCheck %s
// Every form of a layout is read, printed by its name, and read back.

// Accumulators of 64 bits are blocked layouts.
// CHECK-LABEL: @distributed
// CHECK-SAME: #ttg.layout<blocked [16, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>
// CHECK-SAME: #ttg.layout<mma [64, 64], warps = [2, 2]>
// CHECK-SAME: #ttg.layout<blocked [32, 32], registers = [1, 2], lanes = [8, 4], warps = [2, 2], order = [1, 0]>
// CHECK-SAME: #ttg.layout<wgmma [128, 64], n = 16, warps = [4, 2]>
// CHECK-SAME: #ttg.layout<mfma [64, 64], side = 32, warps = [2, 2]>
// CHECK-SAME: #ttg.layout<wmma [64, 64], version = 1, warps = [2, 2]>
tt.func @distributed(
    %blocked: tensor<16x64xf32, #ttg.layout<blocked [16, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>>,
    %mma: tensor<64x64xf32, #ttg.layout<mma [64, 64], warps = [2, 2]>>,
    %mma_f64: tensor<32x32xf64, #ttg.layout<mma [32, 32], bits = 64, warps = [2, 2]>>,
    %wgmma: tensor<128x64xf32, #ttg.layout<wgmma [128, 64], n = 16, warps = [4, 2]>>,
    %mfma: tensor<64x64xf32, #ttg.layout<mfma [64, 64], side = 32, warps = [2, 2]>>,
    %wmma: tensor<64x64xf32, #ttg.layout<wmma [64, 64], version = 1, warps = [2, 2]>>) {
  tt.return
}

// CHECK-LABEL: @operands
// CHECK-SAME: #ttg.layout<dot_operand mma [64, 32], index = 0, bits = 16, warps = [2, 2]>
// CHECK-SAME: #ttg.layout<dot_operand mma [32, 64], index = 1, bits = 8, warps = [2, 2]>
// CHECK-SAME: #ttg.layout<dot_operand wgmma [128, 32], index = 0, bits = 16, warps = [8, 2]>
// CHECK-SAME: #ttg.layout<dot_operand mfma [64, 32], index = 0, side = 32, k_width = 4, warps = [2, 2]>
// CHECK-SAME: #ttg.layout<dot_operand wmma [32, 64], index = 1, version = 2, k_width = 8, warps = [2, 2]>
// CHECK-SAME: #ttg.layout<dot_operand blocked [32, 8], index = 0, registers = [2, 1], lanes = [8, 4], warps = [2, 2], order = [0, 1]>
tt.func @operands(
    %a: tensor<64x32xf16, #ttg.layout<dot_operand mma [64, 32], index = 0, bits = 16, warps = [2, 2]>>,
    %b: tensor<32x64xi8, #ttg.layout<dot_operand mma [32, 64], index = 1, bits = 8, warps = [2, 2]>>,
    %wgmma: tensor<128x32xf16, #ttg.layout<dot_operand wgmma [128, 32], index = 0, bits = 16, warps = [8, 2]>>,
    %mfma: tensor<64x32xf16, #ttg.layout<dot_operand mfma [64, 32], index = 0, side = 32, k_width = 4, warps = [2, 2]>>,
    %wmma: tensor<32x64xf16, #ttg.layout<dot_operand wmma [32, 64], index = 1, version = 2, k_width = 8, warps = [2, 2]>>,
    %fma: tensor<32x8xf32, #ttg.layout<dot_operand blocked [32, 8], index = 0, registers = [2, 1], lanes = [8, 4], warps = [2, 2], order = [0, 1]>>) {
  tt.return
}

// A slice is printed as that of the smallest parent that gives it.
// CHECK-LABEL: @slices
// CHECK-SAME: #ttg.layout<slice <mma [64, 16], warps = [2, 2]>, axis = 1>
// CHECK-SAME: #ttg.layout<slice <blocked [64, 8], registers = [1, 1], lanes = [4, 8], warps = [2, 1], order = [1, 0]>, axis = 1>
// CHECK-SAME: #ttg.layout<slice <blocked [16, 8], registers = [1, 1], lanes = [4, 8], warps = [4, 1], order = [1, 0]>, axis = 1>
tt.func @slices(
    %rows: tensor<64xf32, #ttg.layout<slice <mma [64, 64], warps = [2, 2]>, axis = 1>>,
    %of_blocked: tensor<64xf32, #ttg.layout<slice <blocked [64, 8], registers = [1, 1], lanes = [4, 8], warps = [2, 1], order = [1, 0]>, axis = 1>>,
    %of_slice: tensor<16xf32, #ttg.layout<slice <slice <blocked [16, 8, 4], registers = [1, 1, 4], lanes = [4, 8, 1], warps = [4, 1, 1], order = [2, 1, 0]>, axis = 2>, axis = 1>>) {
  tt.return
}

// Threads that are too many hold copies.
// CHECK-LABEL: @copies
// CHECK-SAME: #ttg.layout<blocked [32], registers = [4], lanes = [32], warps = [4], order = [0]>
tt.func @copies(%x: tensor<32xf32, #ttg.layout<blocked [32], registers = [4], lanes = [32], warps = [4], order = [0]>>) {
  tt.return
}

// The images of bits get a name where they have one; dimensions without bits may be left out.
// CHECK-LABEL: @linear
// CHECK-SAME: #ttg.layout<blocked [4, 4], registers = [1, 4], lanes = [4, 1], warps = [1, 1], order = [1, 0]>
// CHECK-SAME: #ttg.layout<linear [4, 4], register = {{\[\[}}1, 1], [0, 2]], lane = {{\[\[}}1, 0], [2, 0]], warp = [], block = []>
// CHECK-SAME: #ttg.layout<linear [4], register = {{\[\[}}1]], lane = [], warp = [], block = {{\[\[}}2]]>
tt.func @linear(
    %named: tensor<4x4xf32, #ttg.layout<linear [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]]>>,
    %no_name: tensor<4x4xf32, #ttg.layout<linear [4, 4], register = [[1, 1], [0, 2]], lane = [[1, 0], [2, 0]], warp = [], block = []>>,
    %blocks: tensor<4xf32, #ttg.layout<linear [4], register = [[1]], lane = [], warp = [], block = [[2]]>>) {
  tt.return
}

// CHECK-LABEL: @shared
// CHECK-SAME: #ttg.shared<rows [64, 32], order = [0, 1]>
// CHECK-SAME: #ttg.shared<swizzled [64, 64], vector = 4, per_phase = 2, max_phase = 8, order = [1, 0]>
// CHECK-SAME: #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
// CHECK-SAME: #ttg.shared<hardware_swizzled [64, 128], bits = 16, bytes = 64, order = [1, 0]>
// CHECK-SAME: #ttg.shared<hardware_swizzled [64, 64], bits = 8, bytes = 32, order = [0, 1]>
// CHECK-SAME: #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 0, order = [1, 0]>
// CHECK-SAME: #ttg.shared<hardware_swizzled [4, 64, 64], bits = 16, bytes = 128, order = [2, 1, 0]>
// CHECK-SAME: #ttg.shared<linear [4, 4], offset = {{\[\[}}0, 1], [0, 2], [1, 2], [2, 1]], block = []>
tt.func @shared(
    %rows: !ttg.memdesc<64x32xf16, #ttg.shared<rows [64, 32], order = [0, 1]>>,
    %swizzled: !ttg.memdesc<64x64xf16, #ttg.shared<swizzled [64, 64], vector = 4, per_phase = 2, max_phase = 8, order = [1, 0]>>,
    %full: !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>>,
    %half: !ttg.memdesc<64x128xf16, #ttg.shared<hardware_swizzled [64, 128], bits = 16, bytes = 64, order = [1, 0]>>,
    %quarter: !ttg.memdesc<64x64xi8, #ttg.shared<hardware_swizzled [64, 64], bits = 8, bytes = 32, order = [0, 1]>>,
    %none: !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 0, order = [1, 0]>>,
    %buffers: !ttg.memdesc<4x64x64xf16, #ttg.shared<hardware_swizzled [4, 64, 64], bits = 16, bytes = 128, order = [2, 1, 0]>>,
    %no_name: !ttg.memdesc<4x4xf16, #ttg.shared<linear [4, 4], offset = [[0, 1], [0, 2], [1, 2], [2, 1]]>>) {
  tt.return
}

// The swizzle of the hardware counts in bytes: for other elements it is one of software.
// CHECK-LABEL: @same_map
// CHECK-SAME: !ttg.memdesc<64x64xf32, #ttg.shared<swizzled [64, 64], vector = 8, per_phase = 1, max_phase = 8, order = [1, 0]>>
tt.func @same_map(%x: !ttg.memdesc<64x64xf32, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>>) {
  tt.return
}
