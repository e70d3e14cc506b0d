// RUN: %each_kernel %s --target sm_90a --deterministic --num-warps 1 --emit ptx | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: %each_kernel %s --target sm_90a --deterministic --num-warps 4 --emit ptx | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=FAST
// In a deterministic launch neighbours are combined first, then neighbouring pairs, and so on: the
// bits of the position from the lowest, whatever holds them.

// 256 elements: 128 of a thread's neighbours lie 128 apart with one warp, in chunks that come last;
// four warps hold two each. So it is runs, lanes at distance 1, 2, 4, 8, 16, warps, chunks.
// CHECK-LABEL: .entry sum(
// ONE: ld.global.v4
// ONE-COUNT-6: add.rn.f32
// ONE: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1;
// ONE: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1;
// ONE: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1;
// ONE: shfl.sync.bfly.b32 {{.*}}, 8, 31, -1;
// ONE: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// ONE-NOT: shared
// ONE: ret;
// FOUR: ld.global.v2
// FOUR-COUNT-1: add.rn.f32
// FOUR: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1;
// FOUR: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// FOUR: bar.sync
// FOUR: ld.shared.v4
// FOUR-NOT: shfl
// FOUR: ret;
tt.func public @sum(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %a = tt.addptr %p, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %a : tensor<256x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.addf %l, %r : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32>) -> f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.return
}

// Products that only a sum reads are rounded before it.
// CHECK-LABEL: .entry products(
// CHECK-NOT: fma.rn.f32
// CHECK: ret;
// FAST-LABEL: .entry products(
// FAST: fma.rn.f32
// FAST: ret;
tt.func public @products(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %a = tt.addptr %p, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %a : tensor<256x!tt.ptr<f32>>
  %w = arith.mulf %v, %v : tensor<256xf32>
  %s = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.addf %l, %r : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32>) -> f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.return
}

// A scan joins lanes in pairs: a shuffle for each bit. Otherwise levels are as large as is fast.
// CHECK-LABEL: .entry scan(
// ONE-COUNT-5: shfl.sync.idx
// ONE-NOT: shfl
// ONE: ret;
// FOUR-COUNT-5: shfl.sync.idx
// FOUR: bar.sync
// FOUR-NOT: shfl
// FOUR: ret;
tt.func public @scan(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %a = tt.addptr %p, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %a : tensor<128x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.addf %l, %r : f32
    tt.scan.return %c : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.store %a, %s : tensor<128x!tt.ptr<f32>>
  tt.return
}
