// RUN: tl-opt --check-remainders --split-input-file %s | FileCheck %s
// Remainders from which the addresses of loads for products follow count as contiguous, and a check says that they are.

// CHECK-LABEL: @rows
// CHECK-DAG: %[[NEGATED:.*]] = arith.subi %{{.*}}, %[[START:arg1]]
// CHECK-DAG: %[[REST:.*]] = arith.remui %[[NEGATED]], %[[SIZE:.*]] : i32
// CHECK-DAG: arith.cmpi sge, %[[START]], %{{.*}} : i32
// CHECK-DAG: arith.cmpi ult, %[[NEGATED]], %[[SIZE]] : i32
// CHECK-DAG: arith.cmpi uge, %[[REST]], %{{.*}} : i32
// CHECK: tt.assert %{{.*}}, "the offsets of a load for tl::dot wrap around below zero: the left operand of % is negative and a multiple of the right one" {tt.always_checked} : i1
// CHECK-NEXT: arith.remsi {{.*}} {ttg.contiguous}
tt.func public @rows(%a: !tt.ptr<f16>, %start: i32, %n: i32 {tt.divisibility = 16 : i32}, %k: i32, %acc: tensor<16x16xf32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %starts = tt.splat %start : i32 -> tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %x = arith.addi %starts, %range : tensor<16xi32>
  %r = arith.remsi %x, %ns : tensor<16xi32>
  %column = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %offsets = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %step = arith.constant dense<16> : tensor<16x16xi32>
  // The pointers that the loop carries begin with them.
  %sum:2 = scf.for %i = %c0 to %k step %c16 iter_args(%c = %acc, %q = %p) -> (tensor<16x16xf32>, tensor<16x16x!tt.ptr<f16>>) : i32 {
    %v = tt.load %q : tensor<16x16x!tt.ptr<f16>>
    %d = tt.dot %v, %v, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %next = tt.addptr %q, %step : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
    scf.yield %d, %next : tensor<16x16xf32>, tensor<16x16x!tt.ptr<f16>>
  }
  tt.return
}

// -----

// Where the start is known not to be negative, the numbers are contiguous anyway; a divisor of which nothing is known
// leaves no run of two; and what no loop of products loads from is not looked at.
// CHECK-LABEL: @unchecked
// CHECK-NOT: tt.assert
// CHECK-NOT: ttg.contiguous
// CHECK: tt.return
tt.func public @unchecked(%a: !tt.ptr<f16>, %start: i32, %n: i32 {tt.divisibility = 16 : i32}, %odd: i32, %k: i32, %acc: tensor<16x16xf32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c16 : i32
  %begins = tt.splat %pid : i32 -> tensor<16xi32>
  %starts = tt.splat %start : i32 -> tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %odds = tt.splat %odd : i32 -> tensor<16xi32>
  %x = arith.addi %begins, %range : tensor<16xi32>
  %y = arith.addi %starts, %range : tensor<16xi32>
  %r = arith.remsi %x, %ns : tensor<16xi32>
  %s = arith.remsi %y, %odds : tensor<16xi32>
  %t = arith.addi %r, %s : tensor<16xi32>
  %column = tt.expand_dims %t {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %offsets = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %sum = scf.for %i = %c0 to %k step %c16 iter_args(%c = %acc) -> (tensor<16x16xf32>) : i32 {
    %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
    %d = tt.dot %v, %v, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %u = arith.remsi %y, %ns : tensor<16xi32>
  %bs = tt.splat %a : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %q = tt.addptr %bs, %u : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %w = tt.load %q : tensor<16x!tt.ptr<f16>>
  tt.store %q, %w : tensor<16x!tt.ptr<f16>>
  tt.return
}

// -----

// Places in pages of %size rows: what the loop multiplies lies apart, and is not checked in each iteration.
// CHECK-LABEL: @pages
// CHECK-NOT: tt.assert
// CHECK-NOT: ttg.contiguous
// CHECK: tt.return
tt.func public @pages(%a: !tt.ptr<f16>, %size: i32 {tt.divisibility = 16 : i32}, %row: i32, %first: i32, %k: i32, %acc: tensor<16x16xf32>) {
  %c16 = arith.constant 16 : i32
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %sizes = tt.splat %size : i32 -> tensor<16xi32>
  %rows = tt.splat %row : i32 -> tensor<16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %sum = scf.for %i = %first to %k step %c16 iter_args(%c = %acc) -> (tensor<16x16xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<16xi32>
    %x = arith.addi %is, %range : tensor<16xi32>
    %r = arith.remsi %x, %sizes : tensor<16xi32>
    %apart = arith.muli %r, %rows : tensor<16xi32>
    %column = tt.expand_dims %apart {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %offsets = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
    %p = tt.addptr %as, %offsets : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
    %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
    %d = tt.dot %v, %v, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.return
}

// -----

// Here they lie side by side; and so do those that a loop around multiplies, for this one.
// CHECK-LABEL: @columns
// CHECK: tt.assert
// CHECK-NEXT: arith.remsi {{.*}} {ttg.contiguous}
// CHECK: scf.for
// CHECK: tt.assert
// CHECK-NEXT: arith.remsi {{.*}} {ttg.contiguous}
tt.func public @columns(%a: !tt.ptr<f16>, %size: i32 {tt.divisibility = 16 : i32}, %row: i32, %first: i32, %k: i32, %acc: tensor<16x16xf32>) {
  %c16 = arith.constant 16 : i32
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %sizes = tt.splat %size : i32 -> tensor<16xi32>
  %rows = tt.splat %row : i32 -> tensor<16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %tiles = scf.for %t = %first to %k step %c16 iter_args(%all = %acc) -> (tensor<16x16xf32>) : i32 {
    %ts = tt.splat %t : i32 -> tensor<16xi32>
    %y = arith.addi %ts, %range : tensor<16xi32>
    %s = arith.remsi %y, %sizes : tensor<16xi32>
    %apart = arith.muli %s, %rows : tensor<16xi32>
    %sum = scf.for %i = %first to %k step %c16 iter_args(%c = %all) -> (tensor<16x16xf32>) : i32 {
      %is = tt.splat %i : i32 -> tensor<16xi32>
      %x = arith.addi %is, %range : tensor<16xi32>
      %r = arith.remsi %x, %sizes : tensor<16xi32>
      %place = arith.addi %r, %apart : tensor<16xi32>
      %column = tt.expand_dims %place {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
      %offsets = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
      %p = tt.addptr %as, %offsets : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
      %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
      %d = tt.dot %v, %v, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    }
    scf.yield %sum : tensor<16x16xf32>
  }
  tt.return
}

// Numbers of 64 bits, of a range of 32.
// CHECK-LABEL: @widened
// CHECK: tt.assert
// CHECK-NEXT: arith.remsi {{.*}} {ttg.contiguous} : tensor<16xi64>
tt.func public @widened(%a: !tt.ptr<f16>, %size: i64 {tt.divisibility = 16 : i32}, %first: i64, %k: i32, %acc: tensor<16x16xf32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %wide = arith.extsi %range : tensor<16xi32> to tensor<16xi64>
  %sizes = tt.splat %size : i64 -> tensor<16xi64>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %starts = tt.splat %first : i64 -> tensor<16xi64>
  %x = arith.addi %starts, %wide : tensor<16xi64>
  %r = arith.remsi %x, %sizes : tensor<16xi64>
  %column = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi64> -> tensor<16x1xi64>
  %offsets = tt.broadcast %column : tensor<16x1xi64> -> tensor<16x16xi64>
  %p = tt.addptr %as, %offsets : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi64>
  %sum = scf.for %i = %c0 to %k step %c16 iter_args(%c = %acc) -> (tensor<16x16xf32>) : i32 {
    %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
    %d = tt.dot %v, %v, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.return
}
