// RUN: tl-opt --split-input-file --verify-diagnostics %s
// What layouts and conversions refuse.

tt.func @no_layout(%x: tensor<16xf32>) {
  // expected-error@+1 {{needs a tensor with a layout, found 'tensor<16xf32>'}}
  %y = ttg.convert_layout %x : tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

#l = #ttg.layout<blocked [32], registers = [1], lanes = [32], warps = [1], order = [0]>
tt.func @other_shape(%x: tensor<16xf32, #l>) {
  // expected-error@+1 {{has a layout that covers another shape}}
  %y = ttg.convert_layout %x : tensor<16xf32, #l> -> tensor<16xf32, #l>
  tt.return
}

// -----

// expected-error@+1 {{unknown layout 'striped', expected blocked or linear}}
#l = #ttg.layout<striped [32]>

// -----

// expected-error@+1 {{a layout covers extents that are powers of two, at most 2^20, found 12}}
#l = #ttg.layout<blocked [12], registers = [1], lanes = [32], warps = [1], order = [0]>

// -----

// expected-error@+1 {{order must be a permutation of the axes}}
#l = #ttg.layout<blocked [16, 16], registers = [1, 1], lanes = [2, 16], warps = [1, 1], order = [1, 1]>

// -----

// expected-error@+1 {{lanes needs one number an axis: expected 2, found 1}}
#l = #ttg.layout<blocked [16, 16], registers = [1, 1], lanes = [32], warps = [1, 1], order = [1, 0]>

// -----

// expected-error@+1 {{the layout does not hold every element}}
#l = #ttg.layout<linear [4], register = [[1]], lane = [], warp = [], block = []>
