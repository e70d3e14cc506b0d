// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Shapes change the names of registers; data move only where the layout must.

// A tensor seen as a row is the same registers.
// CHECK-LABEL: .entry flat(
// CHECK: ld.global.v4
// CHECK-NOT: shared
// CHECK: st.global.v4
// CHECK: ret;
tt.func public @flat(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %k = arith.constant dense<64> : tensor<16x1xi32>
  %rn = arith.muli %re, %k : tensor<16x1xi32>
  %rb = tt.broadcast %rn : tensor<16x1xi32> -> tensor<16x64xi32>
  %cb = tt.broadcast %ce : tensor<1x64xi32> -> tensor<16x64xi32>
  %i = arith.addi %rb, %cb : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %v = tt.load %xp : tensor<16x64x!tt.ptr<f32>>
  %f = tt.reshape %v : tensor<16x64xf32> -> tensor<1024xf32>
  %j = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %j : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// A transposition of a square tile goes through shared memory once, and both sides of it are wide
// accesses of global memory.
// CHECK-LABEL: .entry transposed(
// CHECK: ld.global.v4
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK: st.global.v4
// CHECK: ret;
tt.func public @transposed(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %k = arith.constant dense<64> : tensor<64x1xi32>
  %rn = arith.muli %re, %k : tensor<64x1xi32>
  %rb = tt.broadcast %rn : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
  %i = arith.addi %rb, %cb : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %xp : tensor<64x64x!tt.ptr<f32>>
  %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %f = tt.reshape %t : tensor<64x64xf32> -> tensor<4096xf32>
  %j = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %j : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp, %f : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// Interleaved rows are stored in wide accesses; parting pairs costs nothing.
// CHECK-LABEL: .entry joined(
// CHECK: st.global.v4
// CHECK: ret;
tt.func public @joined(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %n = arith.negf %v : tensor<512xf32>
  %p = tt.join %v, %n : tensor<512xf32> -> tensor<512x2xf32>
  %f = tt.reshape %p : tensor<512x2xf32> -> tensor<1024xf32>
  %j = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %j : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry parted(
// CHECK-NOT: shared
// CHECK: st.global
// CHECK: ret;
tt.func public @parted(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %c = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<512xi32> -> tensor<512x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %k = arith.constant dense<2> : tensor<512x1xi32>
  %rn = arith.muli %re, %k : tensor<512x1xi32>
  %rb = tt.broadcast %rn : tensor<512x1xi32> -> tensor<512x2xi32>
  %cb = tt.broadcast %ce : tensor<1x2xi32> -> tensor<512x2xi32>
  %i = arith.addi %rb, %cb : tensor<512x2xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x2x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<512x2x!tt.ptr<f32>>, tensor<512x2xi32>
  %v = tt.load %xp : tensor<512x2x!tt.ptr<f32>>
  %a, %b = tt.split %v : tensor<512x2xf32> -> tensor<512xf32>
  %s = arith.addf %a, %b : tensor<512xf32>
  %j = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %j : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %s : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Elements picked by an index come from shared memory; an index is cut to the extent.
// CHECK-LABEL: .entry gathered(
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: and.b32
// CHECK: ld.shared
// CHECK: ret;
tt.func public @gathered(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %ws = tt.splat %w : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %wp = tt.addptr %ws, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %k = tt.load %wp : tensor<128x!tt.ptr<i32>>
  %g = tt.gather %v[%k] {axis = 0 : i32} : (tensor<128xf32>, tensor<128xi32>) -> tensor<128xf32>
  %j = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %g : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Repeating a column repeats a register.
// CHECK-LABEL: .entry repeated(
// CHECK-NOT: shared
// CHECK: st.global.v4.b32 [%rd{{[0-9]+}}], {[[R:%r[0-9]+]], [[R]], [[R]], [[R]]}
// CHECK: ret;
tt.func public @repeated(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %c = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %k = arith.constant dense<4> : tensor<128x1xi32>
  %rn = arith.muli %re, %k : tensor<128x1xi32>
  %rb = tt.broadcast %rn : tensor<128x1xi32> -> tensor<128x4xi32>
  %cb = tt.broadcast %ce : tensor<1x4xi32> -> tensor<128x4xi32>
  %i = arith.addi %rb, %cb : tensor<128x4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %e = tt.expand_dims %v {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
  %b = tt.broadcast %e : tensor<128x1xf32> -> tensor<128x4xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x4x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<128x4x!tt.ptr<f32>>, tensor<128x4xi32>
  tt.store %yp, %b : tensor<128x4x!tt.ptr<f32>>
  tt.return
}

// Where positions differ in bits of the register, elements change their names alone.
// CHECK-LABEL: .entry neighbours(
// CHECK: ld.global.v4.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]], [[C:%r[0-9]+]], [[D:%r[0-9]+]]}
// CHECK-NOT: sh
// CHECK: st.global.v4.b32 [%rd{{[0-9]+}}], {[[D]], [[C]], [[B]], [[A]]}
// CHECK: ret;
tt.func public @neighbours(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %c = arith.constant dense<3> : tensor<512xi32>
  %k = arith.xori %r, %c : tensor<512xi32>
  %g = tt.gather %v[%k] {axis = 0 : i32} : (tensor<512xf32>, tensor<512xi32>) -> tensor<512xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %g : tensor<512x!tt.ptr<f32>>
  tt.return
}

// In a bit of the lane, by shuffles.
// CHECK-LABEL: .entry lanes(
// CHECK-NOT: shared
// CHECK-COUNT-4: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1;
// CHECK-NOT: shared
// CHECK: ret;
tt.func public @lanes(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %c = arith.constant dense<16> : tensor<512xi32>
  %k = arith.xori %r, %c : tensor<512xi32>
  %g = tt.gather %v[%k] {axis = 0 : i32} : (tensor<512xf32>, tensor<512xi32>) -> tensor<512xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %g : tensor<512x!tt.ptr<f32>>
  tt.return
}

// In all bits, those of the warp among them: what another thread holds, by one access.
// CHECK-LABEL: .entry reversed(
// CHECK: st.shared.v4.b32
// CHECK: bar.sync
// CHECK: xor.b32 {{.*}}, 2032;
// CHECK-COUNT-1: ld.shared.v4.b32
// CHECK-NOT: ld.shared
// CHECK: ret;
tt.func public @reversed(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %c = arith.constant dense<511> : tensor<512xi32>
  %k = arith.subi %c, %r : tensor<512xi32>
  %g = tt.gather %v[%k] {axis = 0 : i32} : (tensor<512xf32>, tensor<512xi32>) -> tensor<512xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %g : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Positions that went through a type which does not hold them are others.
// CHECK-LABEL: .entry narrowed(
// CHECK: bar.sync
// CHECK: ld.shared.b32
// CHECK: ret;
tt.func public @narrowed(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %n = arith.trunci %r : tensor<512xi32> to tensor<512xi8>
  %k = arith.extui %n : tensor<512xi8> to tensor<512xi32>
  %g = tt.gather %v[%k] {axis = 0 : i32} : (tensor<512xf32>, tensor<512xi32>) -> tensor<512xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp, %g : tensor<512x!tt.ptr<f32>>
  tt.return
}
