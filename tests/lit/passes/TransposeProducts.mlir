// RUN: tl-opt --transpose-products %s | FileCheck %s
// Products are transposed where a loop loads their first operand with neighbours along k, and their second one without:
// instructions of groups of warps read 32- and 8-bit elements along k, or the first operand from registers.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
    matrix_instructions = [#ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 16], element = f16, sum = f32>,
                           #ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 8], element = tf32, sum = f32>,
                           #ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 32], element = i8, sum = i32>,
                           #ttg.matrix_instruction<family = "wgmma", shape = [64, 8, 32], element = f8E4M3FN, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 8], element = tf32, sum = f32>]>} {

// The sum goes around transposed, from zeros on, and comes back after the loop.
// CHECK-LABEL: @carried(
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[Z]]) -> (tensor<64x128xf32>)
// CHECK: %[[A:.*]] = tt.load {{.*}} : tensor<128x32x!tt.ptr<f32>>
// CHECK: %[[B:.*]] = tt.load {{.*}} : tensor<32x64x!tt.ptr<f32>>
// CHECK-DAG: %[[BT:.*]] = tt.trans %[[B]] {order = array<i32: 1, 0>} : tensor<32x64xf32> -> tensor<64x32xf32>
// CHECK-DAG: %[[AT:.*]] = tt.trans %[[A]] {order = array<i32: 1, 0>} : tensor<128x32xf32> -> tensor<32x128xf32>
// CHECK: %[[D:.*]] = tt.dot %[[BT]], %[[AT]], %[[ACC]], inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
// CHECK-NEXT: scf.yield %[[D]]
// CHECK: %[[T:.*]] = tt.trans %[[R]] {order = array<i32: 1, 0>} : tensor<64x128xf32> -> tensor<128x64xf32>
// CHECK: tt.return %[[T]]
tt.func public @carried(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// A sum that the loop does something else with is transposed where it is used.
// CHECK-LABEL: @used(
// CHECK: scf.for {{.*}} -> (tensor<128x64xf32>)
// CHECK: %[[S:.*]] = arith.addf
// CHECK: %[[C:.*]] = tt.trans %[[S]]
// CHECK: %[[D:.*]] = tt.dot {{.*}}, %[[C]], inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
// CHECK: %[[T:.*]] = tt.trans %[[D]]
// CHECK: scf.yield %[[T]]
tt.func public @used(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %twice = arith.addf %acc, %acc : tensor<128x64xf32>
    %d = tt.dot %a, %b, %twice, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// What the loop transposes is taken as it was loaded.
// CHECK-LABEL: @transposed_load(
// CHECK: %[[A:.*]] = tt.load
// CHECK: %[[B:.*]] = tt.load
// CHECK: %[[BT:.*]] = tt.trans %[[B]]
// CHECK: tt.dot %[[BT]], %[[A]], %{{.*}}, inputPrecision = tf32 : tensor<64x64xf32>
tt.func public @transposed_load(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ps = arith.constant dense<1024> : tensor<1x64xi32>
  %pm = arith.muli %pce, %ps : tensor<1x64xi32>
  %prb = tt.broadcast %pre : tensor<64x1xi32> -> tensor<64x64xi32>
  %pcb = tt.broadcast %pm : tensor<1x64xi32> -> tensor<64x64xi32>
  %po = arith.addi %prb, %pcb : tensor<64x64xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<64x1xi32>
  %qm = arith.muli %qre, %qs : tensor<64x1xi32>
  %qrb = tt.broadcast %qm : tensor<64x1xi32> -> tensor<64x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<64x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<64x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %p : tensor<64x64x!tt.ptr<f32>>
    %b = tt.load %q : tensor<64x64x!tt.ptr<f32>>
    %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
    %d = tt.dot %t, %b, %acc, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// Elements of 8 bits, too.
// CHECK-LABEL: @bytes(
// CHECK: tt.dot {{.*}} : tensor<64x64xi8> * tensor<64x128xi8> -> tensor<64x128xi32>
tt.func public @bytes(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x64xi32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x64xi32>
  %pcb = tt.broadcast %pce : tensor<1x64xi32> -> tensor<128x64xi32>
  %po = arith.addi %prb, %pcb : tensor<128x64xi32>
  %pp = tt.splat %x : !tt.ptr<i8> -> tensor<128x64x!tt.ptr<i8>>
  %p = tt.addptr %pp, %po : tensor<128x64x!tt.ptr<i8>>, tensor<128x64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<64x1xi32>
  %qm = arith.muli %qre, %qs : tensor<64x1xi32>
  %qrb = tt.broadcast %qm : tensor<64x1xi32> -> tensor<64x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<64x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<64x64xi32>
  %qp = tt.splat %y : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %q = tt.addptr %qp, %qo : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xi32>) : i32 {
    %a = tt.load %p : tensor<128x64x!tt.ptr<i8>>
    %b = tt.load %q : tensor<64x64x!tt.ptr<i8>>
    %d = tt.dot %a, %b, %acc : tensor<128x64xi8> * tensor<64x64xi8> -> tensor<128x64xi32>
    scf.yield %d : tensor<128x64xi32>
  }
  tt.return %r : tensor<128x64xi32>
}

// Floats of 8 bits, if sums may be imprecise.
// CHECK-LABEL: @imprecise(
// CHECK: tt.dot {{.*}} {maxNumImpreciseAcc = 32 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x128xf8E4M3FN> -> tensor<64x128xf32>
tt.func public @imprecise(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x64xi32>
  %pcb = tt.broadcast %pce : tensor<1x64xi32> -> tensor<128x64xi32>
  %po = arith.addi %prb, %pcb : tensor<128x64xi32>
  %pp = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<128x64x!tt.ptr<f8E4M3FN>>
  %p = tt.addptr %pp, %po : tensor<128x64x!tt.ptr<f8E4M3FN>>, tensor<128x64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<64x1xi32>
  %qm = arith.muli %qre, %qs : tensor<64x1xi32>
  %qrb = tt.broadcast %qm : tensor<64x1xi32> -> tensor<64x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<64x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<64x64xi32>
  %qp = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %q = tt.addptr %qp, %qo : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %q : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %acc {maxNumImpreciseAcc = 32 : i32} : tensor<128x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// They may not.
// CHECK-LABEL: @precise(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @precise(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x64xi32>
  %pcb = tt.broadcast %pce : tensor<1x64xi32> -> tensor<128x64xi32>
  %po = arith.addi %prb, %pcb : tensor<128x64xi32>
  %pp = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<128x64x!tt.ptr<f8E4M3FN>>
  %p = tt.addptr %pp, %po : tensor<128x64x!tt.ptr<f8E4M3FN>>, tensor<128x64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<64x1xi32>
  %qm = arith.muli %qre, %qs : tensor<64x1xi32>
  %qrb = tt.broadcast %qm : tensor<64x1xi32> -> tensor<64x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<64x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<64x64xi32>
  %qp = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %q = tt.addptr %qp, %qo : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %q : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %acc : tensor<128x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// Both lie with neighbours along k.
// CHECK-LABEL: @both(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @both(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<1x64xi32>
  %qm = arith.muli %qce, %qs : tensor<1x64xi32>
  %qrb = tt.broadcast %qre : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qm : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// The second one does: the first goes to registers.
// CHECK-LABEL: @first(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @first(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<1x32xi32>
  %pm = arith.muli %pce, %ps : tensor<1x32xi32>
  %prb = tt.broadcast %pre : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pm : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<1x64xi32>
  %qm = arith.muli %qce, %qs : tensor<1x64xi32>
  %qrb = tt.broadcast %qre : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qm : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// None does.
// CHECK-LABEL: @neither(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @neither(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<1x32xi32>
  %pm = arith.muli %pce, %ps : tensor<1x32xi32>
  %prb = tt.broadcast %pre : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pm : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// Elements of 16 bits are read either way.
// CHECK-LABEL: @halves(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @halves(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f16>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// The instruction has more rows than the result columns.
// CHECK-LABEL: @narrow(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @narrow(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x32xi32>
  %qcb = tt.broadcast %qce : tensor<1x32xi32> -> tensor<32x32xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x32xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x32xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x32x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x32xf32> -> tensor<128x32xf32>
    scf.yield %d : tensor<128x32xf32>
  }
  tt.return %r : tensor<128x32xf32>
}

// Numbers that are not rounded have no such instruction.
// CHECK-LABEL: @exact(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @exact(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

// Floats that the loop computes with, too: registers are where that is done.
// CHECK-LABEL: @computed(
// CHECK: %[[M:.*]] = arith.mulf
// CHECK: %[[T:.*]] = tt.trans %[[M]]
// CHECK: tt.dot %[[T]], %{{.*}} : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
tt.func public @computed(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<64x1xi32>
  %pm = arith.muli %pre, %ps : tensor<64x1xi32>
  %prb = tt.broadcast %pm : tensor<64x1xi32> -> tensor<64x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<64x32xi32>
  %po = arith.addi %prb, %pcb : tensor<64x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %p : tensor<64x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %twice = arith.addf %b, %b : tensor<32x64xf32>
    %m = arith.mulf %twice, %b : tensor<32x64xf32>
    %d = tt.dot %a, %m, %acc, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// A result meets that of a product that is not transposed.
// CHECK-LABEL: @meets(
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @meets(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pre = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %pce = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ps = arith.constant dense<1024> : tensor<128x1xi32>
  %pm = arith.muli %pre, %ps : tensor<128x1xi32>
  %prb = tt.broadcast %pm : tensor<128x1xi32> -> tensor<128x32xi32>
  %pcb = tt.broadcast %pce : tensor<1x32xi32> -> tensor<128x32xi32>
  %po = arith.addi %prb, %pcb : tensor<128x32xi32>
  %pp = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %p = tt.addptr %pp, %po : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %qr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %qc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %qre = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %qce = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qs = arith.constant dense<1024> : tensor<32x1xi32>
  %qm = arith.muli %qre, %qs : tensor<32x1xi32>
  %qrb = tt.broadcast %qm : tensor<32x1xi32> -> tensor<32x64xi32>
  %qcb = tt.broadcast %qce : tensor<1x64xi32> -> tensor<32x64xi32>
  %qo = arith.addi %qrb, %qcb : tensor<32x64xi32>
  %qp = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %q = tt.addptr %qp, %qo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %a = tt.load %p : tensor<128x32x!tt.ptr<f32>>
    %b = tt.load %q : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    %e = tt.dot %a, %b, %acc : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
    %f = arith.mulf %d, %e : tensor<128x64xf32>
    scf.yield %f : tensor<128x64xf32>
  }
  tt.return %r : tensor<128x64xf32>
}

}
