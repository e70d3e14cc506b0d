// RUN: tl-opt --lower-to-ptx="target=sm_90a num-warps=4" %s | FileCheck %s
// Copies that go on by themselves, views of shared memory, and the barriers of the program that they
// need: where a thread reads what another has copied, and where a slot is filled again.

#l = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>
#h = #ttg.layout<blocked [1024], registers = [1], lanes = [32], warps = [4], order = [0]>
#s = #ttg.shared<rows [1024], order = [0]>
#apart = #ttg.shared<linear [1024], offset = [[4], [8], [16], [32], [64], [128], [256], [512], [1], [2]], block = []>

// Sixteen bytes a copy; a barrier between the wait and the loads of other threads.
// CHECK-LABEL: .entry whole(
// CHECK-COUNT-2: cp.async.cg.shared.global [{{.*}}], [%{{.*}}], 16;
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 0
// CHECK: bar.sync
// CHECK: ld.shared.v4.b32
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @whole(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
  %q = tt.addptr %os, %r : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xf32, #s>
  ttg.async_copy_global_to_local %p, %m : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  %v = ttg.local_load %m : !ttg.memdesc<1024xf32, #s> -> tensor<1024xf32, #l>
  tt.store %q, %v : tensor<1024x!tt.ptr<f32>, #l>
  tt.return
}

// What the mask leaves out is zero: the number of bytes that are read is.
// CHECK-LABEL: .entry masked(
// CHECK: selp.b32 [[N:%r[0-9]+]], 4, 0, %p
// CHECK: cp.async.ca.shared.global [{{.*}}], [%{{.*}}], 4, [[N]];
// CHECK: ret;
tt.func public @masked(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #l>
  %mask = arith.cmpi slt, %r, %ns : tensor<1024xi32, #l>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xf32, #s>
  ttg.async_copy_global_to_local %p, %m mask %mask : tensor<1024xi1, #l> : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  tt.return
}

// Neighbours that lie apart in shared memory are copied one by one, from known distances of one
// address and under one mask, as many as the analysis says share it.
// CHECK-LABEL: .entry apart(
// CHECK: selp.b32 [[N:%r[0-9]+]], 4, 0, %p
// CHECK: cp.async.ca.shared.global [{{.*}}], [[[P:%rd[0-9]+]]], 4, [[N]];
// CHECK-NEXT: cp.async.ca.shared.global [{{.*}}], [[[P]]+4], 4, [[N]];
// CHECK-NEXT: cp.async.ca.shared.global [{{.*}}], [[[P]]+8], 4, [[N]];
// CHECK-NEXT: cp.async.ca.shared.global [{{.*}}], [[[P]]+12], 4, [[N]];
// CHECK: ret;
tt.func public @apart(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #l>
  %mask = arith.cmpi slt, %r, %ns : tensor<1024xi32, #l>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xf32, #apart>
  ttg.async_copy_global_to_local %p, %m mask %mask : tensor<1024xi1, #l> : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #apart>
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  tt.return
}

// Two bytes are too few for a copy: they are loaded and stored.
// CHECK-LABEL: .entry narrow(
// CHECK-NOT: cp.async.c{{[ag]}}
// CHECK: ld.global.b16
// CHECK: st.shared.b16
// CHECK: ret;
tt.func public @narrow(%x: !tt.ptr<f16>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #h>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #h>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f16>, #h>, tensor<1024xi32, #h>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xf16, #s>
  ttg.async_copy_global_to_local %p, %m : tensor<1024x!tt.ptr<f16>, #h> -> !ttg.memdesc<1024xf16, #s>
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  tt.return
}

// Three slots, two copies ahead: one barrier an iteration, before the copy into the slot that was
// read in the iteration before.
// CHECK-LABEL: .entry pipeline(
// CHECK: cp.async.cg
// CHECK: cp.async.cg
// CHECK: cp.async.wait_group 1
// CHECK: bar.sync
// CHECK: cp.async.cg
// CHECK: ld.shared.v4.b32
// CHECK-NOT: bar.sync
// CHECK: cp.async.wait_group 0
// CHECK: ret;
tt.func public @pipeline(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %step = arith.constant dense<1024> : tensor<1024xi32, #l>
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #l>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
  %p0 = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  %p1 = tt.addptr %p0, %step : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  %p2 = tt.addptr %p1, %step : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  %m = ttg.local_alloc : () -> !ttg.memdesc<3x1024xf32, #s>
  %m0 = ttg.memdesc_index %m[%c0] : !ttg.memdesc<3x1024xf32, #s> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_copy_global_to_local %p0, %m0 : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_commit_group
  %m1 = ttg.memdesc_index %m[%c1] : !ttg.memdesc<3x1024xf32, #s> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_copy_global_to_local %p1, %m1 : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_commit_group
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<1024xf32, #l>) : i32 {
    ttg.async_wait {num = 1 : i32}
    %ahead = arith.addi %i, %c2 : i32
    %filled = arith.remui %ahead, %c3 : i32
    %read = arith.remui %i, %c3 : i32
    %ma = ttg.memdesc_index %m[%filled] : !ttg.memdesc<3x1024xf32, #s> -> !ttg.memdesc<1024xf32, #s>
    ttg.async_copy_global_to_local %p2, %ma : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
    ttg.async_commit_group
    %mr = ttg.memdesc_index %m[%read] : !ttg.memdesc<3x1024xf32, #s> -> !ttg.memdesc<1024xf32, #s>
    %v = ttg.local_load %mr : !ttg.memdesc<1024xf32, #s> -> tensor<1024xf32, #l>
    %next = arith.addf %acc, %v : tensor<1024xf32, #l>
    scf.yield %next : tensor<1024xf32, #l>
  }
  ttg.async_wait {num = 0 : i32}
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
  %q = tt.addptr %os, %r : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  tt.store %q, %sum : tensor<1024x!tt.ptr<f32>, #l>
  tt.return
}
