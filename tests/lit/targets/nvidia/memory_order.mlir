// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Accesses of global memory by different threads of a program keep the order of the text: a barrier
// stands where another thread may have made the earlier one, and nowhere else.

// Parameters lead to memory of their own.
// CHECK-LABEL: .entry apart(
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @apart(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %last = arith.constant dense<1023> : tensor<1024xi32>
  %back = arith.subi %last, %r : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %yp, %r : tensor<1024x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %back : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %w = arith.addi %v, %r : tensor<1024xi32>
  tt.store %xp, %w : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// Unless they are marked.
// CHECK-LABEL: .entry marked(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: ret;
tt.func public @marked(%x: !tt.ptr<i32> {tt.may_alias}, %y: !tt.ptr<i32> {tt.may_alias}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %last = arith.constant dense<1023> : tensor<1024xi32>
  %back = arith.subi %last, %r : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %yp, %r : tensor<1024x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %back : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %w = arith.addi %v, %r : tensor<1024xi32>
  tt.store %xp, %w : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// In a loop the stores of one iteration come before the loads of the next.
// CHECK-LABEL: .entry loop(
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: bar.sync
// CHECK: st.global
// CHECK: ret;
tt.func public @loop(%x: !tt.ptr<i32> {tt.may_alias}, %y: !tt.ptr<i32> {tt.may_alias}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %last = arith.constant dense<1023> : tensor<1024xi32>
  %back = arith.subi %last, %r : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %back : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  scf.for %i = %zero to %n step %one : i32 {
    %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
    tt.store %yp, %v : tensor<1024x!tt.ptr<i32>>
  }
  tt.return
}

// Each thread reads back what it wrote itself, where no two lanes have one address.
// CHECK-LABEL: .entry own(
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @own(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %xp, %r : tensor<1024x!tt.ptr<i32>>
  %v = tt.load %xp {isVolatile = true} : tensor<1024x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// Rows of 64 that are 128 apart.
// CHECK-LABEL: .entry rows(
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @rows(%x: !tt.ptr<i32>) {
  %c128 = arith.constant dense<128> : tensor<16x1xi32>
  %r0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r1 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r = arith.muli %r1, %c128 : tensor<16x1xi32>
  %c0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.expand_dims %c0 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rb = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<16x64xi32>
  %at = arith.addi %rb, %cb : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<16x64x!tt.ptr<i32>>, tensor<16x64xi32>
  %v = tt.load %xp : tensor<16x64x!tt.ptr<i32>>
  %w = arith.addi %v, %at : tensor<16x64xi32>
  tt.store %xp, %w : tensor<16x64x!tt.ptr<i32>>
  tt.return
}

// Pairs of lanes share an address: what is read is what one of them left there.
// CHECK-LABEL: .entry shared_by_lanes(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: ret;
tt.func public @shared_by_lanes(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %two = arith.constant dense<2> : tensor<1024xi32>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %half = arith.divsi %r, %two : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %half : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %xp, %r : tensor<1024x!tt.ptr<i32>>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// So do lanes whose offsets have too few bits for them: 8, and 16 after a product.
// CHECK-LABEL: .entry repeated_by_truncation(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: ret;
tt.func public @repeated_by_truncation(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %few = arith.trunci %r : tensor<512xi32> to tensor<512xi8>
  %at = arith.extsi %few : tensor<512xi8> to tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %xp, %r : tensor<512x!tt.ptr<i32>>
  %v = tt.load %xp : tensor<512x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %yp, %v : tensor<512x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: .entry repeated_by_a_product(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: ret;
tt.func public @repeated_by_a_product(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c256 = arith.constant dense<256> : tensor<512xi16>
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %few = arith.trunci %r : tensor<512xi32> to tensor<512xi16>
  %far = arith.muli %few, %c256 : tensor<512xi16>
  %at = arith.extsi %far : tensor<512xi16> to tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %xp, %r : tensor<512x!tt.ptr<i32>>
  %v = tt.load %xp : tensor<512x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %yp, %v : tensor<512x!tt.ptr<i32>>
  tt.return
}

// A narrow number is another one with a sign than without.
// CHECK-LABEL: .entry mixed_extensions(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: ret;
tt.func public @mixed_extensions(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>, %n: i8) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %last = arith.constant dense<127> : tensor<128xi32>
  %back = arith.subi %last, %r : tensor<128xi32>
  %a = arith.extui %n : i8 to i32
  %b0 = arith.extsi %n : i8 to i32
  %c = arith.constant 256 : i32
  %d = arith.addi %b0, %c : i32
  %xa = tt.addptr %x, %a : !tt.ptr<i8>, i32
  %xb = tt.addptr %x, %d : !tt.ptr<i8>, i32
  %xas = tt.splat %xa : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %xbs = tt.splat %xb : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %pa = tt.addptr %xas, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %pb0 = tt.addptr %xbs, %last : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %m1 = arith.constant dense<-1> : tensor<128xi32>
  %neg = arith.muli %r, %m1 : tensor<128xi32>
  %pb = tt.addptr %pb0, %neg : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %v = arith.trunci %r : tensor<128xi32> to tensor<128xi8>
  tt.store %pa, %v : tensor<128x!tt.ptr<i8>>
  %w = tt.load %pb : tensor<128x!tt.ptr<i8>>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  tt.store %yp, %w : tensor<128x!tt.ptr<i8>>
  tt.return
}

// A promise holds where it was made: 16 bytes at a time in one branch, 4 in the other.
// CHECK-LABEL: .entry hint_in_a_branch(
// CHECK: ld.global.v4.b32
// CHECK: ld.global.b32
// CHECK-NOT: ld.global.v4
// CHECK: ret;
tt.func public @hint_in_a_branch(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: i32, %c: i1, %out: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  scf.if %c {
    %at = arith.addi %s, %zero {tt.divisibility = dense<16> : tensor<1xi32>} : i32
    %p = tt.addptr %x, %at : !tt.ptr<f32>, i32
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %pp = tt.addptr %ps, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %v = tt.load %pp : tensor<512x!tt.ptr<f32>>
    tt.store %op, %v : tensor<512x!tt.ptr<f32>>
  } else {
    %p = tt.addptr %x, %s : !tt.ptr<f32>, i32
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %pp = tt.addptr %ps, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %v = tt.load %pp : tensor<512x!tt.ptr<f32>>
    tt.store %op, %v : tensor<512x!tt.ptr<f32>>
  }
  tt.return
}

// Pointers that change places in a loop lead to both buffers: what one iteration stores the next one loads.
// CHECK-LABEL: .entry swapped(
// CHECK: ld.global
// CHECK: bar.sync
// CHECK: ret;
tt.func public @swapped(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %last = arith.constant dense<127> : tensor<128xi32>
  %back = arith.subi %last, %r : tensor<128xi32>
  %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (!tt.ptr<i32>, !tt.ptr<i32>) : i32 {
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %from = tt.addptr %ps, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %v = tt.load %from : tensor<128x!tt.ptr<i32>>
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %to = tt.addptr %qs, %back : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %to, %v : tensor<128x!tt.ptr<i32>>
    scf.yield %q, %p : !tt.ptr<i32>, !tt.ptr<i32>
  }
  tt.return
}

// What is 256 integers further is apart, whatever the program's number adds to both.
// CHECK-LABEL: .entry pieces(
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @pieces(%x: !tt.ptr<i32>) {
  %c512 = arith.constant 512 : i32
  %further = arith.constant dense<256> : tensor<256xi32>
  %id = tt.get_program_id x : i32
  %begin = arith.muli %id, %c512 : i32
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %begins = tt.splat %begin : i32 -> tensor<256xi32>
  %first = arith.addi %begins, %r : tensor<256xi32>
  %second = arith.addi %first, %further : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %xs, %first : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %q = tt.addptr %xs, %second : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %p, %r : tensor<256x!tt.ptr<i32>>
  tt.store %q, %r : tensor<256x!tt.ptr<i32>>
  tt.return
}

// What is 255 integers further is not.
// CHECK-LABEL: .entry overlapping(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: st.global
// CHECK: ret;
tt.func public @overlapping(%x: !tt.ptr<i32>) {
  %further = arith.constant dense<255> : tensor<256xi32>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %second = arith.addi %r, %further : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %q = tt.addptr %xs, %second : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %p, %r : tensor<256x!tt.ptr<i32>>
  tt.store %q, %r : tensor<256x!tt.ptr<i32>>
  tt.return
}

// Whichever of two buffers is read, it is not the third.
// CHECK-LABEL: .entry chosen(
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @chosen(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>, %choice: i1, %other: i1) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %last = arith.constant dense<255> : tensor<256xi32>
  %back = arith.subi %last, %r : tensor<256xi32>
  %from = scf.if %choice -> (!tt.ptr<i32>) {
    scf.yield %x : !tt.ptr<i32>
  } else {
    %either = arith.select %other, %x, %y : !tt.ptr<i32>
    scf.yield %either : !tt.ptr<i32>
  }
  %froms = tt.splat %from : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %froms, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %p : tensor<256x!tt.ptr<i32>>
  %zs = tt.splat %z : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %q = tt.addptr %zs, %back : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %q, %v : tensor<256x!tt.ptr<i32>>
  tt.return
}

// It may be the second.
// CHECK-LABEL: .entry chosen_before(
// CHECK: ld.global
// CHECK: bar.sync
// CHECK: st.global
// CHECK: ret;
tt.func public @chosen_before(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %choice: i1) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %last = arith.constant dense<255> : tensor<256xi32>
  %back = arith.subi %last, %r : tensor<256xi32>
  %from = arith.select %choice, %x, %y : !tt.ptr<i32>
  %froms = tt.splat %from : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %froms, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %p : tensor<256x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %q = tt.addptr %ys, %back : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %q, %v : tensor<256x!tt.ptr<i32>>
  tt.return
}

// Pointers that a loop advances stay in their buffers: only stores wait for those before them.
// CHECK-LABEL: .entry advanced(
// CHECK: bar.sync
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @advanced(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 256 : i32
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %last = arith.constant dense<255> : tensor<256xi32>
  %back = arith.subi %last, %r : tensor<256xi32>
  %end:3 = scf.while (%i = %zero, %from = %x, %to = %y) : (i32, !tt.ptr<i32>, !tt.ptr<i32>) -> (i32, !tt.ptr<i32>, !tt.ptr<i32>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %from, %to : i32, !tt.ptr<i32>, !tt.ptr<i32>
  } do {
  ^bb0(%i: i32, %from: !tt.ptr<i32>, %to: !tt.ptr<i32>):
    %froms = tt.splat %from : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %p = tt.addptr %froms, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    %v = tt.load %p : tensor<256x!tt.ptr<i32>>
    %tos = tt.splat %to : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %q = tt.addptr %tos, %back : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>>
    %next = arith.addi %i, %step : i32
    %f = tt.addptr %from, %step : !tt.ptr<i32>, i32
    %t = tt.addptr %to, %step : !tt.ptr<i32>, i32
    scf.yield %next, %f, %t : i32, !tt.ptr<i32>, !tt.ptr<i32>
  }
  tt.return
}

// A loop between two accesses does not change where they are.
// CHECK-LABEL: .entry beside_a_loop(
// CHECK-NOT: bar.sync
// CHECK: ret;
tt.func public @beside_a_loop(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<i32>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%a = %v) -> (tensor<1024xi32>) : i32 {
    %w = tt.load %q {isVolatile = true} : tensor<1024x!tt.ptr<i32>>
    %b = arith.addi %a, %w : tensor<1024xi32>
    scf.yield %b : tensor<1024xi32>
  }
  tt.store %p, %sum : tensor<1024x!tt.ptr<i32>>
  tt.return
}
