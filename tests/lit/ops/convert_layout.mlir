// RUN: tl-opt %s | tl-opt | FileCheck %s
// Layouts are printed by their name where they have one, else bit by bit, and read back in both
// forms; a conversion to the same layout folds away.
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLDED

#rows = #ttg.layout<blocked [16, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>
#columns = #ttg.layout<blocked [16, 64], registers = [4, 1], lanes = [4, 8], warps = [1, 4], order = [0, 1]>
#named = #ttg.layout<linear [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], warp = [], block = []>
#mixed = #ttg.layout<linear [4, 4], register = [[1, 1], [0, 2]], lane = [[1, 0], [2, 0]], warp = [], block = []>

// CHECK-LABEL: @between
// CHECK: ttg.convert_layout %{{.*}} : tensor<16x64xf32, #ttg.layout<blocked [16, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>>
// CHECK-SAME: -> tensor<16x64xf32, #ttg.layout<blocked [16, 64], registers = [4, 1], lanes = [4, 8], warps = [1, 4], order = [0, 1]>>
tt.func @between(%x: tensor<16x64xf32, #rows>) -> tensor<16x64xf32, #columns> {
  %y = ttg.convert_layout %x : tensor<16x64xf32, #rows> -> tensor<16x64xf32, #columns>
  tt.return %y : tensor<16x64xf32, #columns>
}

// A linear layout that is a blocked one gets its name back.
// CHECK-LABEL: @recognized
// CHECK-SAME: #ttg.layout<blocked [4, 4], registers = [1, 4], lanes = [4, 1], warps = [1, 1], order = [1, 0]>
tt.func @recognized(%x: tensor<4x4xf32, #named>) {
  tt.return
}

// CHECK-LABEL: @no_name
// CHECK-SAME: #ttg.layout<linear [4, 4], register = {{\[\[}}1, 1], [0, 2]], lane = {{\[\[}}1, 0], [2, 0]], warp = [], block = []>
tt.func @no_name(%x: tensor<4x4xf32, #mixed>) {
  tt.return
}

// FOLDED-LABEL: @same
// FOLDED-NOT: convert_layout
tt.func @same(%x: tensor<16x64xf32, #rows>) -> tensor<16x64xf32, #rows> {
  %y = ttg.convert_layout %x : tensor<16x64xf32, #rows> -> tensor<16x64xf32, #rows>
  tt.return %y : tensor<16x64xf32, #rows>
}
