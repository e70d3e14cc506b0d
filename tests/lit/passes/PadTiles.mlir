// RUN: tl-opt --pad-tiles %s | FileCheck %s
// RUN: tl-opt --pad-tiles %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// Extents grow to powers of two, and what would show the padding gets a mask, an identity or a zero.

// REMARK: remark: 22 % of the elements of tensors in kernel 'accesses' are padding; tensors of 100 are computed as 128
// REMARK: remark: 47 % of the elements of tensors in kernel 'known_identity' are padding; tensors of 3x4x5 are computed as 4x4x8
// REMARK-NOT: 'callee'
// REMARK-NOT: 'powers_of_two'

// CHECK-LABEL: tt.func public @accesses(
// CHECK-NOT: tensor<100x
tt.func public @accesses(%p: !tt.ptr<f32>, %n: i32) {
  // CHECK: tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %r = tt.make_range {end = 100 : i32, start = 0 : i32} : tensor<100xi32>
  %ns = tt.splat %n : i32 -> tensor<100xi32>
  // CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<128xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<100xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<100x!tt.ptr<f32>>
  %a = tt.addptr %ps, %r : tensor<100x!tt.ptr<f32>>, tensor<100xi32>
  // CHECK: %[[LIMIT:.*]] = arith.constant dense<100> : tensor<128xi32>
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[LIMIT]] : tensor<128xi32>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32>
  // CHECK: tt.load %{{.*}}, %[[INSIDE]], %[[ZERO]] : tensor<128x!tt.ptr<f32>>
  %x = tt.load %a : tensor<100x!tt.ptr<f32>>
  // CHECK: %[[BOTH:.*]] = arith.andi %[[MASK]], %{{.*}} : tensor<128xi1>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %[[BOTH]]
  tt.store %a, %x, %m : tensor<100x!tt.ptr<f32>>
  // CHECK: tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>)
  %o = tt.atomic_rmw fadd, relaxed, gpu, %a, %x : (tensor<100x!tt.ptr<f32>>, tensor<100xf32>) -> tensor<100xf32>
  // CHECK: %[[HOLDS:.*]] = arith.ori %[[MASK]], %{{.*}} : tensor<128xi1>
  // CHECK: tt.assert %[[HOLDS]], "outside"
  tt.assert %m, "outside" : tensor<100xi1>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<128xi32> -> tensor<16xi32>
  %h = tt.histogram %r : tensor<100xi32> -> tensor<10xi32>
  tt.return
}

// Descriptors of other blocks become pointers; the kernel makes those that it is handed. What is
// read out of bounds is the zero that products need.
// CHECK-LABEL: tt.func public @described(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f16>
// CHECK-NOT: tensordesc<20x
// CHECK-NOT: arith.select
tt.func public @described(%d: !tt.tensordesc<20x16xf16>, %m: i32, %n: i32, %s: i64, %one: i64,
                          %b: tensor<16x20xf16>, %c: tensor<16x16xf32>, %i: i32) {
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<32x16xi1>
  // CHECK: %[[INSIDE:.*]] = tt.broadcast %{{.*}} : tensor<32x1xi1> -> tensor<32x16xi1>
  // CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[INSIDE]]
  // CHECK: %[[X:.*]] = tt.load %{{.*}}, %[[BOTH]], %{{.*}} : tensor<32x16x!tt.ptr<f16>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<20x16xf16> -> tensor<20x16xf16>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<20x16xf16> -> tensor<16x20xf16>
  // CHECK: tt.dot %{{.*}}, %[[X]]
  %y = tt.dot %t, %x, %c : tensor<16x20xf16> * tensor<20x16xf16> -> tensor<16x16xf32>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x16x!tt.ptr<f16>>
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<20x16xf16>, tensor<20x16xf16>
  tt.return
}

// Of rows beyond the written ones none is gathered.
// CHECK-LABEL: tt.func private @gathered(
tt.func private @gathered(%d: !tt.tensordesc<1x64xf16>, %i: tensor<12xi32>, %y: i32) -> tensor<12x64xf16> {
  // CHECK: %[[NONE:.*]] = arith.constant dense<-1> : tensor<16xi32>
  // CHECK: %[[ROWS:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NONE]]
  // CHECK: tt.descriptor_gather %{{.*}}[%[[ROWS]], %{{.*}}] : (!tt.tensordesc<1x64xf16>, tensor<16xi32>, i32) -> tensor<16x64xf16>
  %t = tt.descriptor_gather %d[%i, %y] : (!tt.tensordesc<1x64xf16>, tensor<12xi32>, i32) -> tensor<12x64xf16>
  tt.return %t : tensor<12x64xf16>
}

// CHECK-LABEL: tt.func @known_identity(
tt.func @known_identity(%x: tensor<3x4x5xf32>) -> (tensor<3x4xf32>, tensor<4x5xf32>) {
  // CHECK: %[[LINE:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<8xi32>
  // CHECK: %[[MASK:.*]] = tt.broadcast %{{.*}} : tensor<1x1x8xi1> -> tensor<4x4x8xi1>
  // CHECK: %[[OTHER:.*]] = arith.constant dense<-0.000000e+00> : tensor<4x4x8xf32>
  // CHECK: %[[X:.*]] = arith.select %[[MASK]], %{{.*}}, %[[OTHER]]
  // CHECK: "tt.reduce"(%[[X]]) <{axis = 2 : i32}>
  %s = "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<3x4x5xf32>) -> tensor<3x4xf32>
  // CHECK: arith.constant dense<0xFFC00000> : tensor<4x4x8xf32>
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %b, %a : f32
    tt.reduce.return %c : f32
  }) : (tensor<3x4x5xf32>) -> tensor<4x5xf32>
  tt.return %s, %m : tensor<3x4xf32>, tensor<4x5xf32>
}

// Along an extent that is a power of two nothing changes.
// CHECK-LABEL: tt.func @other_axis(
tt.func @other_axis(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  // CHECK-NOT: select
  // CHECK: tt.return
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<3x4xf32>) -> tensor<3xf32>
  tt.return %s : tensor<3xf32>
}

// CHECK-LABEL: tt.func @flags(
tt.func @flags(%x: tensor<5xf32>) -> f32 {
  // CHECK: %[[MASK:.*]] = arith.cmpi slt
  // CHECK: %[[R:.*]]:2 = "tt.reduce"(%{{.*}}, %[[MASK]]) <{axis = 0 : i32}>
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[P:.*]]: i1, %[[B:.*]]: f32, %[[Q:.*]]: i1):
  // CHECK: %[[C:.*]] = arith.subf %[[A]], %[[B]]
  // CHECK: %[[RIGHT:.*]] = arith.select %[[Q]], %[[C]], %[[A]]
  // CHECK: %[[LEFT:.*]] = arith.select %[[P]], %[[RIGHT]], %[[B]]
  // CHECK: %[[ANY:.*]] = arith.ori %[[P]], %[[Q]]
  // CHECK: tt.reduce.return %[[LEFT]], %[[ANY]]
  // CHECK: tt.return %[[R]]#0
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<5xf32>) -> f32
  tt.return %s : f32
}

// The padding lies between the elements, which need not be moved.
// CHECK-LABEL: tt.func @whole(
tt.func @whole(%x: tensor<3x5xi32>) -> i32 {
  // CHECK-NOT: tt.gather
  // CHECK-DAG: tt.reshape %{{.*}} : tensor<4x8xi32> -> tensor<32xi32>
  // CHECK-DAG: tt.reshape %{{.*}} : tensor<4x8xi1> -> tensor<32xi1>
  // CHECK: "tt.reduce"
  %y = tt.reshape %x : tensor<3x5xi32> -> tensor<15xi32>
  %s = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<15xi32>) -> i32
  tt.return %s : i32
}

// CHECK-LABEL: tt.func @scans(
tt.func @scans(%x: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
  // CHECK-NOT: arith.select
  // CHECK: "tt.scan"({{.*}}reverse = false
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xi32>
  // CHECK: "tt.scan"({{.*}}reverse = true
  %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<5xi32>) -> tensor<5xi32>
  %t = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<5xi32>) -> tensor<5xi32>
  tt.return %s, %t : tensor<5xi32>, tensor<5xi32>
}

// Both operands get zeros, but for a load that has them.
// CHECK-LABEL: tt.func @product(
tt.func @product(%p: tensor<16x20x!tt.ptr<f16>>, %b: tensor<20x7xf16>, %c: tensor<16x7xf32>) -> tensor<16x7xf32> {
  // CHECK: %[[A:.*]] = tt.load
  // CHECK: %[[B:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x8xi1>, tensor<32x8xf16>
  // CHECK: tt.dot %[[A]], %[[B]], %{{.*}} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %a = tt.load %p : tensor<16x20x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %c : tensor<16x20xf16> * tensor<20x7xf16> -> tensor<16x7xf32>
  tt.return %d : tensor<16x7xf32>
}

// The scales, too, as one of the padding might be NaN.
// CHECK-LABEL: tt.func @scaled_product(
tt.func @scaled_product(%a: tensor<17x96xi8>, %sa: tensor<17x3xi8>, %b: tensor<96x16xi8>, %c: tensor<17x16xf32>) -> tensor<17x16xf32> {
  // CHECK: %[[A:.*]] = arith.select %{{.*}} : tensor<32x128xi1>, tensor<32x128xi8>
  // CHECK: %[[B:.*]] = arith.select %{{.*}} : tensor<128x16xi1>, tensor<128x16xi8>
  // CHECK: %[[S:.*]] = arith.select %{{.*}} : tensor<32x4xi1>, tensor<32x4xi8>
  // CHECK: tt.dot_scaled %[[A]] scale %[[S]], %[[B]], %{{.*}} -> tensor<32x16xf32>
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<17x96xi8>, tensor<17x3xi8> * tensor<96x16xi8> -> tensor<17x16xf32>
  tt.return %d : tensor<17x16xf32>
}

// CHECK-LABEL: tt.func @printed(
tt.func @printed(%x: tensor<24xf32>, %s: i32) {
  // CHECK: tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>, written = [tensor<24xf32>, i32]} : %{{.*}}, %{{.*}} : tensor<32xf32>, i32
  tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>} : %x, %s : tensor<24xf32>, i32
  tt.return
}

// CHECK-LABEL: tt.func @reshapes(
tt.func @reshapes(%x: tensor<100xf32>) -> (tensor<25x4xf32>, tensor<4x25xf32>) {
  // CHECK: tt.reshape %{{.*}} : tensor<128xf32> -> tensor<32x4xf32>
  %y = tt.reshape %x allow_reorder : tensor<100xf32> -> tensor<25x4xf32>
  // CHECK: %[[CHOSEN:.*]] = tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<128xf32>, tensor<128xi32>) -> tensor<128xf32>
  // CHECK: tt.reshape %[[CHOSEN]] : tensor<128xf32> -> tensor<4x32xf32>
  %z = tt.reshape %x : tensor<100xf32> -> tensor<4x25xf32>
  tt.return %y, %z : tensor<25x4xf32>, tensor<4x25xf32>
}

// CHECK-LABEL: tt.func @constants(
tt.func @constants() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  // CHECK: arith.constant dense<7> : tensor<4xi32>
  // CHECK: arith.constant dense<[1, 2, 3, 3]> : tensor<4xi32>
  // CHECK: %[[AT:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32}
  // CHECK: %[[FIRST:.*]] = arith.constant dense<2147483644>
  // CHECK: arith.addi %[[FIRST]], %[[AT]]
  %0 = arith.constant dense<7> : tensor<3xi32>
  %1 = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %2 = tt.make_range {end = 2147483647 : i32, start = 2147483644 : i32} : tensor<3xi32>
  tt.return %0, %1, %2 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

// Code that may run for ever does not run for the padding; code that cannot goes on without a test.
// CHECK-LABEL: tt.func @mapped(
tt.func @mapped(%x: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 1 : i32}>
  %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%e: i32):
    %f = arith.addi %e, %e : i32
    tt.map_elementwise.return %f : i32
  }) : (tensor<5xi32>) -> tensor<5xi32>
  // CHECK: "tt.map_elementwise"(%{{.*}}, %{{.*}}) <{pack = 1 : i32}>
  // CHECK: ^bb0(%[[E:.*]]: i32, %[[INSIDE:.*]]: i1):
  // CHECK: cf.cond_br %[[INSIDE]], ^bb1(%[[E]] : i32), ^bb2
  %z = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%e: i32):
    %f = scf.while (%v = %e) : (i32) -> i32 {
      %one = arith.constant 1 : i32
      %more = arith.cmpi ne, %v, %one : i32
      scf.condition(%more) %v : i32
    } do {
    ^bb0(%v: i32):
      %two = arith.constant 2 : i32
      %half = arith.divsi %v, %two : i32
      scf.yield %half : i32
    }
    tt.map_elementwise.return %f : i32
  }) : (tensor<5xi32>) -> tensor<5xi32>
  tt.return %y, %z : tensor<5xi32>, tensor<5xi32>
}

// Values that go through calls, loops and branches.
// CHECK-LABEL: tt.func private @callee(
// CHECK-SAME: tensor<4xf32>) -> tensor<4xf32>
tt.func private @callee(%x: tensor<3xf32>) -> tensor<3xf32> attributes {noinline = true} {
  tt.return %x : tensor<3xf32>
}

// CHECK-LABEL: tt.func @flow(
tt.func @flow(%x: tensor<3xf32>, %c: i1, %n: i32) -> tensor<3xf32> {
  // CHECK-NOT: tensor<3x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<3xf32>) : i32 {
    %w = tt.call @callee(%v) : (tensor<3xf32>) -> tensor<3xf32>
    scf.yield %w : tensor<3xf32>
  }
  %z = scf.if %c -> tensor<3xf32> {
    scf.yield %y : tensor<3xf32>
  } else {
    %u = ub.poison : tensor<3xf32>
    scf.yield %u : tensor<3xf32>
  }
  cf.br ^end(%z : tensor<3xf32>)
^end(%e: tensor<3xf32>):
  // CHECK: tt.return %{{.*}} : tensor<4xf32>
  tt.return %e : tensor<3xf32>
}

// CHECK-LABEL: tt.func public @powers_of_two(
tt.func public @powers_of_two(%p: tensor<4x!tt.ptr<f32>>) {
  // CHECK-NEXT: %[[X:.*]] = tt.load %{{.*}} : tensor<4x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %{{.*}}, %[[X]] : tensor<4x!tt.ptr<f32>>
  // CHECK-NEXT: tt.return
  %x = tt.load %p : tensor<4x!tt.ptr<f32>>
  tt.store %p, %x : tensor<4x!tt.ptr<f32>>
  tt.return
}
