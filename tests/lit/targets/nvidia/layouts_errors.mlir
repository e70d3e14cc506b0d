// RUN: tl-opt --lower-to-ptx %s --split-input-file --verify-diagnostics
// TTGIR that somebody wrote is refused where it is not what the lowering takes for granted.

tt.func @no_layout(%x: !tt.ptr<f32>, %c: i1) {
  // expected-error @below {{a tensor has no layout: tensor<32xi32>}}
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  tt.return
}

// -----

tt.func @foreign_layout(%x: !tt.ptr<f32>, %c: i1) {
  // expected-error @below {{a tensor has no layout: tensor<32xi32, "foo">}}
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, "foo">
  tt.return
}

// -----

#s = #ttg.shared<rows [32], order = [0]>
tt.func @shared_layout(%x: !tt.ptr<f32>, %c: i1) {
  // expected-error @below {{a tensor has no layout: }}
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #s>
  tt.return
}

// -----

#l = #ttg.layout<blocked [32, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
tt.func @other_rank(%x: !tt.ptr<f32>, %c: i1) {
  // expected-error @below {{a tensor has a layout of another shape: }}
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #l>
  tt.return
}

// -----

#w = #ttg.layout<blocked [128], registers = [1], lanes = [32], warps = [8], order = [0]>
tt.func @other_warps(%x: !tt.ptr<f32>, %c: i1) {
  // expected-error @below {{a tensor has a layout for 8 warps, a program has 4: }}
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #w>
  tt.return
}

// -----

#w = #ttg.layout<blocked [128], registers = [1], lanes = [64], warps = [4], order = [0]>
tt.func @other_lanes(%x: !tt.ptr<f32>, %c: i1) {
  // expected-error @below {{a tensor has a layout for 64 lanes, a program has 32: }}
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #w>
  tt.return
}

// -----

#a = #ttg.layout<blocked [128], registers = [1], lanes = [32], warps = [4], order = [0]>
#b = #ttg.layout<blocked [128], registers = [2], lanes = [32], warps = [4], order = [0]>
tt.func @two_layouts(%x: !tt.ptr<f32>, %c: i1) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #a>
  // expected-error @below {{the tensors of 'tt.addptr' have different layouts, one is }}
  %p = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #a>, tensor<128xi32, #b>
  tt.return
}

// -----

#s = #ttg.shared<rows [32, 32], order = [1, 0]>
tt.func @chosen_memory(%x: !tt.ptr<f32>, %c: i1) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #s>
  %n = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #s>
  // expected-error @below {{shared memory cannot be the result of 'arith.select'}}
  %q = arith.select %c, %m, %n : !ttg.memdesc<32x32xf16, #s>
  tt.return
}

// -----

tt.func @narrow(%x: !tt.ptr<f32>, %c: i1) {
  // expected-error @below {{the sm_90a target has no elements of type i4}}
  %v = arith.constant 1 : i4
  tt.return
}

// -----

// expected-error @below {{parameter 0 of kernel 'tensor' has type}}
tt.func @tensor(%p: tensor<32xf32>) {
  tt.return
}

// -----

// expected-error @below {{parameter 0 of kernel 'memory' has type}}
tt.func @memory(%p: !ttg.memdesc<32xf16, #ttg.shared<rows [32], order = [0]>>) {
  tt.return
}

// -----

// expected-error @below {{only functions that have a body and no results are kernels}}
tt.func @result(%x: i32) -> i32 {
  tt.return %x : i32
}
