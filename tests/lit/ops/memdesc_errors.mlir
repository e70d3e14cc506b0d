// RUN: tl-opt --split-input-file --verify-diagnostics %s
// What views of shared memory refuse.

#s = #ttg.shared<rows [64, 32], order = [1, 0]>
tt.func @other_tensor(%m: !ttg.memdesc<3x64x32xf16, #s>, %i: i32) {
  // expected-error@+1 {{chooses one of several tensors, which the result must be like}}
  %one = ttg.memdesc_index %m[%i] : !ttg.memdesc<3x64x32xf16, #s> -> !ttg.memdesc<64x32xf32, #s>
  tt.return
}

// -----

#s = #ttg.shared<rows [64, 32], order = [1, 0]>
#half = #ttg.shared<rows [32, 32], order = [1, 0]>
tt.func @offset(%m: !ttg.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{begins at a multiple of its extents within the whole; offset 16 along axis 0 does not}}
  %part = ttg.memdesc_subview %m {offsets = array<i64: 16, 0>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<32x32xf16, #half>
  tt.return
}

// -----

#s = #ttg.shared<rows [64, 32], order = [1, 0]>
#columns = #ttg.shared<rows [64, 16], order = [1, 0]>
tt.func @pieces(%m: !ttg.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{does not lie in one piece, as its layout would have it}}
  %part = ttg.memdesc_subview %m {offsets = array<i64: 0, 16>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<64x16xf16, #columns>
  tt.return
}

// -----

#s = #ttg.shared<rows [64, 32], order = [1, 0]>
tt.func @rank(%m: !ttg.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{needs a part of the same rank and element type, and one offset an axis}}
  %part = ttg.memdesc_subview %m {offsets = array<i64: 0>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<64x32xf16, #s>
  tt.return
}

// -----

#s = #ttg.shared<rows [64, 32], order = [1, 0]>
#t = #ttg.shared<rows [32, 64], order = [1, 0]>
tt.func @moved(%m: !ttg.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{moves no data, but the layout of the result has axis 0 elsewhere}}
  %turned = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<32x64xf16, #t>
  tt.return
}

// -----

#s = #ttg.shared<rows [64, 32], order = [1, 0]>
#t = #ttg.shared<rows [32, 64], order = [0, 1]>
tt.func @permutation(%m: !ttg.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{has an order that is no permutation of the axes}}
  %turned = ttg.memdesc_trans %m {order = array<i32: 1, 1>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<32x64xf16, #t>
  tt.return
}

// -----

#s = #ttg.shared<rows [64, 32], order = [1, 0]>
#t = #ttg.shared<rows [32, 64], order = [0, 1]>
tt.func @element(%m: !ttg.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{keeps rank, size and element type}}
  %turned = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #s> -> !ttg.memdesc<32x64xi16, #t>
  tt.return
}
