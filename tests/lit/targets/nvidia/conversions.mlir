// RUN: tl-opt --lower-to-ptx="target=sm_90a num-warps=2" %s | FileCheck %s
// A conversion goes no further than it must: to other registers of the thread, to other lanes by
// shuffles, through shared memory among the lanes of each warp, or among all threads.

#a = #ttg.layout<linear [8, 32], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[4, 0]], block = []>
#registers = #ttg.layout<linear [8, 32], register = [[2, 0], [1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[4, 0]], block = []>
#lanes = #ttg.layout<linear [8, 32], register = [[1, 0], [2, 0]], lane = [[0, 16], [0, 8], [0, 4], [0, 2], [0, 1]], warp = [[4, 0]], block = []>
#within = #ttg.layout<linear [8, 32], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [0, 4], [0, 8], [0, 16]], warp = [[4, 0]], block = []>
#two = #ttg.layout<linear [128], register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]], block = []>
#swapped = #ttg.layout<linear [128], register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [[64]], block = []>
#warps = #ttg.layout<linear [8, 32], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0]], warp = [[0, 16]], block = []>

// CHECK-LABEL: .entry other_registers(
// CHECK-NOT: {{shfl|shared|bar}}
// CHECK: ret;
tt.func public @other_registers(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #a>
  %v = tt.load %xs : tensor<8x32x!tt.ptr<f32>, #a>
  %w = ttg.convert_layout %v : tensor<8x32xf32, #a> -> tensor<8x32xf32, #registers>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #registers>
  tt.store %os, %w : tensor<8x32x!tt.ptr<f32>, #registers>
  tt.return
}

// One shuffle a register; the lane to ask is computed once.
// CHECK-LABEL: .entry other_lanes(
// CHECK-COUNT-4: shfl.sync.idx.b32
// CHECK-NOT: {{shfl|shared|bar}}
// CHECK: ret;
tt.func public @other_lanes(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #a>
  %v = tt.load %xs : tensor<8x32x!tt.ptr<f32>, #a>
  %w = ttg.convert_layout %v : tensor<8x32xf32, #a> -> tensor<8x32xf32, #lanes>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #lanes>
  tt.store %os, %w : tensor<8x32x!tt.ptr<f32>, #lanes>
  tt.return
}

// Two shuffles for 64 bits.
// CHECK-LABEL: .entry wide(
// CHECK-COUNT-8: shfl.sync.idx.b32
// CHECK-NOT: {{shfl|shared|bar}}
// CHECK: ret;
tt.func public @wide(%x: !tt.ptr<f64>, %o: !tt.ptr<f64>) {
  %xs = tt.splat %x : !tt.ptr<f64> -> tensor<8x32x!tt.ptr<f64>, #a>
  %v = tt.load %xs : tensor<8x32x!tt.ptr<f64>, #a>
  %w = ttg.convert_layout %v : tensor<8x32xf64, #a> -> tensor<8x32xf64, #lanes>
  %os = tt.splat %o : !tt.ptr<f64> -> tensor<8x32x!tt.ptr<f64>, #lanes>
  tt.store %os, %w : tensor<8x32x!tt.ptr<f64>, #lanes>
  tt.return
}

// Which register is read depends on the lane: each chooses what it presents, and where it puts what
// it got.
// CHECK-LABEL: .entry chosen_registers(
// CHECK: selp
// CHECK: selp
// CHECK: shfl.sync.idx.b32
// CHECK: shfl.sync.idx.b32
// CHECK: selp
// CHECK: selp
// CHECK-NOT: {{shfl|shared|bar}}
// CHECK: ret;
tt.func public @chosen_registers(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #two>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #two>
  %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>, #two>, tensor<128xi32, #two>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>, #two>
  %w = ttg.convert_layout %v : tensor<128xf32, #two> -> tensor<128xf32, #swapped>
  %j = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #swapped>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #swapped>
  %op = tt.addptr %os, %j : tensor<128x!tt.ptr<f32>, #swapped>, tensor<128xi32, #swapped>
  tt.store %op, %w : tensor<128x!tt.ptr<f32>, #swapped>
  tt.return
}

// Many choices cost more than memory does; but no other warp is waited for.
// CHECK-LABEL: .entry within_warps(
// CHECK: st.shared
// CHECK: bar.warp.sync
// CHECK: {{ld.shared|ldmatrix}}
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @within_warps(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #a>
  %v = tt.load %xs : tensor<8x32x!tt.ptr<f32>, #a>
  %w = ttg.convert_layout %v : tensor<8x32xf32, #a> -> tensor<8x32xf32, #within>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #within>
  tt.store %os, %w : tensor<8x32x!tt.ptr<f32>, #within>
  tt.return
}

// CHECK-LABEL: .entry among_warps(
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK-NOT: bar
// CHECK: ret;
tt.func public @among_warps(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #a>
  %v = tt.load %xs : tensor<8x32x!tt.ptr<f32>, #a>
  %w = ttg.convert_layout %v : tensor<8x32xf32, #a> -> tensor<8x32xf32, #warps>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #warps>
  tt.store %os, %w : tensor<8x32x!tt.ptr<f32>, #warps>
  tt.return
}
