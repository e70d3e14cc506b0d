// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --emit ptx --num-warps 1 | FileCheck %s --check-prefix=ONE
// Threads wait for each other where one reads or writes what another has written or read in shared or
// global memory, and nowhere else. A program of one warp waits for its lanes only.

// ONE-NOT: bar.sync
// ONE: bar.warp.sync
// ONE-NOT: bar.sync

// A transposition moves 16 bytes on both sides of one barrier.
// CHECK-LABEL: .entry transposition(
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK-NOT: bar.sync
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK-NOT: bar.sync
// CHECK-COUNT-8: st.global.v4.b32
// CHECK: ret;
tt.func public @transposition(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %n = arith.constant dense<64> : tensor<64x1xi32>
  %m = arith.constant dense<64> : tensor<1x64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = arith.muli %r, %n : tensor<64x1xi32>
  %rb = tt.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %in = arith.addi %rb, %cb : tensor<64x64xi32>
  %cs = arith.muli %c, %m : tensor<1x64xi32>
  %rb2 = tt.broadcast %r : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb2 = tt.broadcast %cs : tensor<1x64xi32> -> tensor<64x64xi32>
  %out = arith.addi %rb2, %cb2 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %in : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %q = tt.addptr %os, %out : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %q, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Two sums one after the other lie apart: no third barrier.
// CHECK-LABEL: .entry two_sums(
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK-NOT: bar.sync
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @two_sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<1024xf32>
  %d = arith.subf %v, %ss : tensor<1024xf32>
  %e = arith.mulf %d, %d : tensor<1024xf32>
  %w = "tt.reduce"(%e) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32>) -> f32
  tt.store %o, %w : !tt.ptr<f32>
  tt.return
}

// In a loop the readers of the last iteration are waited for.
// CHECK-LABEL: .entry loop(
// CHECK-COUNT-2: bar.sync
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @loop(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant 0.0 : f32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %total = scf.for %i = %c0 to %n step %c1024 iter_args(%acc = %zero) -> (f32) : i32 {
    %y = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %xs = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32>) -> f32
    %next = arith.addf %acc, %s : f32
    scf.yield %next : f32
  }
  tt.store %o, %total : !tt.ptr<f32>
  tt.return
}

// What one thread has stored, another loads.
// CHECK-LABEL: .entry global_memory(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ld.global
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @global_memory(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %last = arith.constant dense<127> : tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %p, %one : tensor<128x!tt.ptr<f32>>
  %back = arith.subi %last, %r : tensor<128xi32>
  %q = tt.addptr %xs, %back : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %q : tensor<128x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %to = tt.addptr %os, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %to, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// The same thread, and other buffers: nobody waits.
// CHECK-LABEL: .entry in_place(
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @in_place(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  %w = arith.addf %v, %one : tensor<128xf32>
  tt.store %p, %w : tensor<128x!tt.ptr<f32>>
  tt.return
}
