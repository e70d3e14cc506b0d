// RUN: tl-opt --split-input-file --verify-diagnostics %s
// What conversions refuse; layouts_errors.mlir has the layouts themselves.

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
