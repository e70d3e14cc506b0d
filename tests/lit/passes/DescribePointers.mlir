// RUN: tl-opt --describe-pointers=product-warps=4 --canonicalize --cse %s | FileCheck %s
// RUN: tl-opt --describe-pointers="product-warps=4 may-check" --canonicalize --cse %s | FileCheck %s --check-prefix=CHECKED
// RUN: tl-opt --describe-pointers %s | FileCheck %s --check-prefix=OFF
// Loads by strided pointers become loads of described blocks, where products of groups of warps take
// them in a loop.

// OFF-NOT: descriptor

// Rows that pointers carried by the loop go along, with a limit in the mask. The other operand lies
// row by row, and its rows are below a limit.
// CHECK-LABEL: @matrices
// CHECK-DAG: %[[A:.*]] = tt.make_tensor_descriptor %arg0, [%arg3, %arg4], [%{{.*}}, %{{.*}}] {tt.from_pointers = array<i32>} : <f16>, <64x32xf16>
// CHECK-DAG: %[[B:.*]] = tt.make_tensor_descriptor %arg1, [%arg4, %{{.*}}], [%{{.*}}, %{{.*}}] {tt.from_pointers = array<i32>} : <f16>, <32x64xf16>
// CHECK-NOT: tt.assert
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) -> (tensor<64x64xf32>)
// CHECK-DAG: tt.descriptor_load %[[A]][%{{.*}}, %[[I]]] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
// CHECK-DAG: tt.descriptor_load %[[B]][%[[I]], %{{.*}}] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func public @matrices(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %k: i32, %s: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %za = arith.constant dense<0.0> : tensor<64x32xf16>
  %zb = arith.constant dense<0.0> : tensor<32x64xf16>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  %rows = arith.addi %starts, %r64 : tensor<64xi32>
  %rows1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ss = tt.splat %s : i32 -> tensor<64x1xi32>
  %ra = arith.muli %rows1, %ss : tensor<64x1xi32>
  %pa = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
  %pa1 = tt.addptr %pa, %ra : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
  %pa2 = tt.broadcast %pa1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
  %ks = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ks2 = tt.broadcast %ks : tensor<1x32xi32> -> tensor<64x32xi32>
  %pa3 = tt.addptr %pa2, %ks2 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %kd = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %sb = tt.splat %s : i32 -> tensor<32x1xi32>
  %rb = arith.muli %kd, %sb : tensor<32x1xi32>
  %pb = tt.splat %b : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
  %pb1 = tt.addptr %pb, %rb : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
  %pb2 = tt.broadcast %pb1 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
  %ns = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ns2 = tt.broadcast %ns : tensor<1x64xi32> -> tensor<32x64xi32>
  %pb3 = tt.addptr %pb2, %ns2 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %ms = tt.splat %m : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %rows1, %ms : tensor<64x1xi32>
  %below2 = tt.broadcast %below : tensor<64x1xi1> -> tensor<64x32xi1>
  %moveda = arith.constant dense<32> : tensor<64x32xi32>
  %s32 = arith.muli %s, %c32 : i32
  %movedb = tt.splat %s32 : i32 -> tensor<32x64xi32>
  %sum, %qa, %qb = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero, %xa = %pa3, %xb = %pb3) -> (tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>) : i32 {
    %left = arith.subi %k, %i : i32
    %la = tt.splat %left : i32 -> tensor<1x32xi32>
    %ma = arith.cmpi slt, %ks, %la : tensor<1x32xi32>
    %ma2 = tt.broadcast %ma : tensor<1x32xi1> -> tensor<64x32xi1>
    %ma3 = arith.andi %below2, %ma2 : tensor<64x32xi1>
    %lb = tt.splat %left : i32 -> tensor<32x1xi32>
    %mb = arith.cmpi sgt, %lb, %kd : tensor<32x1xi32>
    %mb2 = tt.broadcast %mb : tensor<32x1xi1> -> tensor<32x64xi1>
    %x = tt.load %xa, %ma3, %za : tensor<64x32x!tt.ptr<f16>>
    %y = tt.load %xb, %mb2, %zb : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %na = tt.addptr %xa, %moveda : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %nb = tt.addptr %xb, %movedb : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    scf.yield %d, %na, %nb : tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>
  }
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Nothing is masked: rows go on as far as can be, and the columns are those of the block.
// CHECK-LABEL: @unmasked
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 64 : i32
// CHECK: tt.make_tensor_descriptor %arg0, [%[[ROWS]], %[[COLUMNS]]]
// CHECK-NOT: tt.assert
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: tt.descriptor_load %{{.*}}[%[[I]], %c0_i32]
// CHECK: tt.return
tt.func public @unmasked(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// What is a multiple of parameters makes an axis of its own.
// CHECK-LABEL: @heads
// CHECK-DAG: %[[N:.*]] = arith.extsi %arg1
// CHECK-DAG: %[[S:.*]] = arith.extsi %arg2
// CHECK-DAG: %[[NS:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: tt.make_tensor_descriptor %arg0, [%{{.*}}, %arg1, %{{.*}}], [%[[NS]], %[[S]], %{{.*}}] {tt.from_pointers = array<i32>} : <f16>, <1x32x64xf16>
// CHECK: %[[H:.*]] = tt.get_program_id y
// CHECK-NOT: tt.assert
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: tt.descriptor_load %{{.*}}[%[[H]], %[[I]], %c0_i32] : !tt.tensordesc<1x32x64xf16> -> tensor<32x64xf16>
// CHECK: tt.return
tt.func public @heads(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %h = tt.get_program_id y : i32
  %hw = arith.extsi %h : i32 to i64
  %nw = arith.extsi %n : i32 to i64
  %sw = arith.extsi %s : i32 to i64
  %hn = arith.muli %hw, %nw : i64
  %hns = arith.muli %hn, %sw : i64
  %head = tt.addptr %b, %hns : !tt.ptr<f16>, i64
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %head : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %m1 = arith.cmpi slt, %row1, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %zeros : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The number of a head is negative if a parameter is: the descriptor says so.
// CHECK-LABEL: @counted
// CHECK: tt.make_tensor_descriptor %arg0, {{.*}} {tt.from_pointers = array<i32: 1>}
// CHECK-NOT: tt.assert
// CHECK: tt.descriptor_load
// CHECK: tt.return
tt.func public @counted(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %pid = tt.get_program_id y : i32
  %h = arith.divsi %pid, %n : i32
  %hn = arith.muli %h, %n : i32
  %hns = arith.muli %hn, %s : i32
  %head = tt.addptr %b, %hns : !tt.ptr<f16>, i32
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %head : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The sign of a quotient is that of the divisor, too, and of a remainder that of the dividend alone.
// CHECK-LABEL: @divided
// CHECK: tt.make_tensor_descriptor %arg0, {{.*}} {tt.from_pointers = array<i32: 1>}
// CHECK: tt.return
tt.func public @divided(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %pid = tt.get_program_id y : i32
  %r = arith.remsi %pid, %x : i32
  %h = arith.divsi %r, %n : i32
  %hn = arith.muli %h, %n : i32
  %hns = arith.muli %hn, %s : i32
  %head = tt.addptr %b, %hns : !tt.ptr<f16>, i32
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %head : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// What is at least zero is not negative, whatever else it is.
// CHECK-LABEL: @at_least
// CHECK: tt.make_tensor_descriptor %arg0, {{.*}} {tt.from_pointers = array<i32>}
// CHECK: tt.return
tt.func public @at_least(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %pid = tt.get_program_id y : i32
  %left = arith.subi %pid, %n : i32
  %h = arith.maxsi %left, %c0 : i32
  %hn = arith.muli %h, %n : i32
  %hns = arith.muli %hn, %s : i32
  %head = tt.addptr %b, %hns : !tt.ptr<f16>, i32
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %head : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// What is divided by is the size of the last group.
// CHECK-LABEL: @group
// CHECK: tt.make_tensor_descriptor %arg0, {{.*}} {tt.from_pointers = array<i32: 1>}
// CHECK: tt.return
tt.func public @group(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %pid = tt.get_program_id y : i32
  %c8 = arith.constant 8 : i32
  %pidx = tt.get_program_id x : i32
  %left = arith.subi %n, %pidx : i32
  %size = arith.minsi %left, %c8 : i32
  %h = arith.divsi %pid, %size : i32
  %hn = arith.muli %h, %n : i32
  %hns = arith.muli %hn, %s : i32
  %head = tt.addptr %b, %hns : !tt.ptr<f16>, i32
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %head : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Nobody knows the sign of a difference.
// CHECK-LABEL: @subtracted
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @subtracted(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %pid = tt.get_program_id y : i32
  %h = arith.subi %pid, %n : i32
  %hn = arith.muli %h, %n : i32
  %hns = arith.muli %hn, %s : i32
  %head = tt.addptr %b, %hns : !tt.ptr<f16>, i32
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %head : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The first row is a number of 64 bits: that it has 32 is checked before the loop, or not relied on.
// CHECK-LABEL: @wide
// CHECK-NOT: descriptor
// CHECK: tt.return
// CHECKED-LABEL: @wide
// CHECKED: arith.cmpi sge
// CHECKED: arith.cmpi slt
// CHECKED: tt.assert %{{.*}}, "a block that a loop loads begins before its tensor{{.*}}" {tt.always_checked}
// CHECKED: scf.for
// CHECKED: tt.descriptor_load
// CHECKED: tt.return
tt.func public @wide(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %pid = tt.get_program_id y : i32
  %pidz = tt.get_program_id z : i32
  %y64 = arith.extsi %pid : i32 to i64
  %z64 = arith.extsi %pidz : i32 to i64
  %s64 = arith.extsi %s : i32 to i64
  %first = arith.addi %y64, %z64 : i64
  %hns = arith.muli %first, %s64 : i64
  %head = tt.addptr %b, %hns : !tt.ptr<f16>, i64
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %head : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A mask may say that rows are not negative, too.
// CHECK-LABEL: @both_sides
// CHECK: tt.descriptor_load
// CHECK: tt.return
tt.func public @both_sides(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %shift = arith.xori %i, %x : i32
    %sh = tt.splat %shift : i32 -> tensor<32xi32>
    %row = arith.addi %sh, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %none = arith.constant dense<0> : tensor<32x1xi32>
    %m1 = arith.cmpi slt, %row1, %limits : tensor<32x1xi32>
    %m2 = arith.cmpi sge, %row1, %none : tensor<32x1xi32>
    %m3 = arith.andi %m1, %m2 : tensor<32x1xi1>
    %mask = tt.broadcast %m3 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %zeros : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Rows may begin below zero, and the mask does not say what is then.
// CHECK-LABEL: @negative
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @negative(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %c16 = arith.constant dense<16> : tensor<32xi32>
    %first = arith.subi %is, %c16 : tensor<32xi32>
    %row = arith.addi %first, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %m1 = arith.cmpi slt, %row1, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %zeros : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Rows that wrap around.
// CHECK-LABEL: @wrapped
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @wrapped(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %sums = arith.addi %is, %r32 : tensor<32xi32>
    %ns = tt.splat %n : i32 -> tensor<32xi32>
    %row = arith.remsi %sums, %ns : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A limit that no launch knows.
// CHECK-LABEL: @limit_in_loop
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @limit_in_loop(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %half = arith.divsi %n, %c32 : i32
    %limits = tt.splat %half : i32 -> tensor<32x1xi32>
    %m1 = arith.cmpi slt, %row1, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %zeros : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A limit of something else than the rows.
// CHECK-LABEL: @limit_of_other
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @limit_of_other(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %ri = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %m1 = arith.cmpi slt, %ri, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %zeros : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Comparisons without a sign.
// CHECK-LABEL: @without_sign
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @without_sign(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %m1 = arith.cmpi ult, %row1, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %zeros : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Rows that are not below a limit.
// CHECK-LABEL: @upwards
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @upwards(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %m1 = arith.cmpi sgt, %row1, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %zeros : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Something else than zeros beside the tensor.
// CHECK-LABEL: @other
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @other(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %ones = arith.constant dense<1.0> : tensor<32x64xf16>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %m1 = arith.cmpi slt, %row1, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %ones : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// TMA gives zeros without a sign.
// CHECK-LABEL: @negative_zero
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @negative_zero(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %ones = arith.constant dense<-0.0> : tensor<32x64xf16>
    %limits = tt.splat %n : i32 -> tensor<32x1xi32>
    %m1 = arith.cmpi slt, %row1, %limits : tensor<32x1xi32>
    %mask = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %p, %mask, %ones : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A load that is to be made where it stands.
// CHECK-LABEL: @volatile
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @volatile(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p {isVolatile = true} : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A base, and a stride, of which nothing is known.
// CHECK-LABEL: @unaligned_base
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @unaligned_base(%b: !tt.ptr<f16> , %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @unaligned_stride
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @unaligned_stride(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %x : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A stride that no launch knows.
// CHECK-LABEL: @computed_stride
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @computed_stride(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %c16 = arith.constant 16 : i32
  %z = tt.get_program_id z : i32
  %x = arith.muli %z, %c16 : i32
  %ss = tt.splat %x : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Other parameters may lead to the memory.
// CHECK-LABEL: @aliased
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @aliased(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.may_alias}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32> {tt.may_alias}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The kernel writes the memory, if only later.
// CHECK-LABEL: @written
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @written(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  %pb = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %h16 = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tt.store %pb, %h16 : tensor<64x64x!tt.ptr<f16>>
  tt.return
}

// Somebody else may have written what is waited for.
// CHECK-LABEL: @waited_for
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @waited_for(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>, %lock: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %seen = tt.atomic_load acquire, gpu, %lock : (!tt.ptr<i32>) -> i32
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A loop that may write what it reads.
// CHECK-LABEL: @loop_writes
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @loop_writes(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.may_alias}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32> {tt.may_alias}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    tt.store %po, %d : tensor<64x64x!tt.ptr<f32>>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A loop that writes through a parameter that may overlap others, but not the one that it reads; before and after it, other
// kernels are let begin.
// CHECK-LABEL: @writes_elsewhere
// CHECK: tt.descriptor_load
// CHECK: tt.return
tt.func public @writes_elsewhere(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32> {tt.may_alias}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  tt.grid_dependency_launch_dependents
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %is, %r32 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %ps = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    tt.store %po, %d : tensor<64x64x!tt.ptr<f32>>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.grid_dependency_launch_dependents
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Two numbers of 32 bits, whose sum may have more, if the loop ends there: the descriptor says that
// its end has to be a count.
// CHECK-LABEL: @two_numbers
// CHECK: tt.make_tensor_descriptor %arg0, {{.*}} {tt.from_pointers = array<i32: 1>}
// CHECK-NOT: tt.assert
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: tt.descriptor_load %{{.*}}[%[[I]], %c0_i32]
// CHECK: tt.return
tt.func public @two_numbers(%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %s: i32 {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16>, %zero: tensor<64x64xf32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf16>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cols = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
  %ss = tt.splat %s : i32 -> tensor<32x1xi32>
  %none0 = arith.constant dense<0> : tensor<32xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %row = arith.addi %r32, %none0 : tensor<32xi32>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rs = arith.muli %row1, %ss : tensor<32x1xi32>
    %rs2 = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
    %off = arith.addi %rs2, %cols2 : tensor<32x64xi32>
    %is0 = arith.muli %i, %s : i32
    %from = tt.addptr %b, %is0 : !tt.ptr<f16>, i32
    %ps = tt.splat %from : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %y = tt.load %p : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %q, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
