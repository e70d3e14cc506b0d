// RUN: tl-opt %s | tl-opt | FileCheck %s
// A conversion goes between two layouts; one to the same layout folds away.
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLDED

#rows = #ttg.layout<blocked [16, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>
#columns = #ttg.layout<blocked [16, 64], registers = [4, 1], lanes = [4, 8], warps = [1, 4], order = [0, 1]>

// CHECK-LABEL: @between
// CHECK: ttg.convert_layout %{{.*}} : tensor<16x64xf32, #ttg.layout<blocked [16, 64], registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>>
// CHECK-SAME: -> tensor<16x64xf32, #ttg.layout<blocked [16, 64], registers = [4, 1], lanes = [4, 8], warps = [1, 4], order = [0, 1]>>
tt.func @between(%x: tensor<16x64xf32, #rows>) -> tensor<16x64xf32, #columns> {
  %y = ttg.convert_layout %x : tensor<16x64xf32, #rows> -> tensor<16x64xf32, #columns>
  tt.return %y : tensor<16x64xf32, #columns>
}

// FOLDED-LABEL: @same
// FOLDED-NOT: convert_layout
tt.func @same(%x: tensor<16x64xf32, #rows>) -> tensor<16x64xf32, #rows> {
  %y = ttg.convert_layout %x : tensor<16x64xf32, #rows> -> tensor<16x64xf32, #rows>
  tt.return %y : tensor<16x64xf32, #rows>
}
