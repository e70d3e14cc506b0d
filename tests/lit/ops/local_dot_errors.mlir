// RUN: tl-opt %s -split-input-file -verify-diagnostics
// Extents of ttg.local_dot that do not go together.

#product = #ttg.layout<blocked [16, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
tt.func @inner(%a: !ttg.memdesc<16x8xf32, #ttg.shared<rows [16, 8], order = [1, 0]>>, %b: !ttg.memdesc<16x32xf32, #ttg.shared<rows [16, 32], order = [1, 0]>>, %c: tensor<16x32xf32, #product>) {
  // expected-error@+1 {{multiplies matrices, or batches of them, whose extents agree, found}}
  %0 = ttg.local_dot %a, %b, %c : !ttg.memdesc<16x8xf32, #ttg.shared<rows [16, 8], order = [1, 0]>>, !ttg.memdesc<16x32xf32, #ttg.shared<rows [16, 32], order = [1, 0]>> -> tensor<16x32xf32, #product>
  tt.return
}

// -----

#product = #ttg.layout<blocked [16, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
tt.func @columns(%a: !ttg.memdesc<16x8xf32, #ttg.shared<rows [16, 8], order = [1, 0]>>, %b: !ttg.memdesc<8x16xf32, #ttg.shared<rows [8, 16], order = [1, 0]>>, %c: tensor<16x32xf32, #product>) {
  // expected-error@+1 {{multiplies matrices, or batches of them, whose extents agree, found}}
  %0 = ttg.local_dot %a, %b, %c : !ttg.memdesc<16x8xf32, #ttg.shared<rows [16, 8], order = [1, 0]>>, !ttg.memdesc<8x16xf32, #ttg.shared<rows [8, 16], order = [1, 0]>> -> tensor<16x32xf32, #product>
  tt.return
}
