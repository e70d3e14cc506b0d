// RUN: tl-opt --rewrite-block-pointers --canonicalize --cse %s | FileCheck %s
// RUN: tl-opt --rewrite-block-pointers %s | FileCheck %s --check-prefix=GONE
// Block pointers become pointers and masks, wherever they go.

// GONE-NOT: !tt.ptr<tensor
// GONE-NOT: unrealized_conversion_cast

// CHECK-LABEL: tt.func @load(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f32>, %[[N:[a-z0-9]+]]: i64, %[[I:[a-z0-9]+]]: i32
tt.func @load(%p: !tt.ptr<f32>, %n: i64, %i: i32) -> tensor<64xf32> {
  // CHECK-DAG: %[[OTHER:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : tensor<64xi64>
  // CHECK-DAG: %[[IW:.*]] = arith.extsi %[[I]] : i32 to i64
  // CHECK-DAG: %[[BASE:.*]] = tt.addptr %[[P]], %[[IW]] : !tt.ptr<f32>, i64
  // CHECK-DAG: %[[R:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32}
  // CHECK-DAG: %[[RW:.*]] = arith.extsi %[[R]]
  // CHECK-DAG: %[[IS:.*]] = tt.splat %[[IW]]
  // CHECK-DAG: %[[COORD:.*]] = arith.addi %[[IS]], %[[RW]]
  // CHECK-DAG: %[[LOW:.*]] = arith.cmpi sge, %[[COORD]], %[[ZERO]]
  // CHECK-DAG: %[[NS:.*]] = tt.splat %[[N]]
  // CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %[[COORD]], %[[NS]]
  // CHECK-DAG: %[[MASK:.*]] = arith.andi %[[LOW]], %[[HIGH]]
  // CHECK-DAG: %[[BS:.*]] = tt.splat %[[BASE]]
  // CHECK: %[[Q:.*]] = tt.addptr %[[BS]], %[[RW]]
  // CHECK: tt.load %[[Q]], %[[MASK]], %[[OTHER]] {cachePolicy = {{.*}}cg
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = tt.load %b cacheModifier = cg {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return %t : tensor<64xf32>
}

// Only the named axes are checked, and nothing without any.
// CHECK-LABEL: tt.func @checked_axes(
tt.func @checked_axes(%p: !tt.ptr<f16>, %m: i64, %n: i64, %s: i64) -> tensor<8x64xf16> {
  // CHECK-DAG: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<8x64xf16>
  // CHECK: tt.splat %{{.*}} : i64 -> tensor<8xi64>
  // CHECK: %[[LIMIT:.*]] = tt.splat %arg2 : i64 -> tensor<64xi64>
  // CHECK: arith.cmpi slt, %{{.*}}, %[[LIMIT]]
  // CHECK-NOT: arith.cmpi
  // CHECK: tt.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<8x64x!tt.ptr<f16>>
  // CHECK: tt.store %{{[^,]*}}, %{{[^,]*}} : tensor<8x64x!tt.ptr<f16>>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%m, %n], [%s, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<8x64xf16>>
  %t = tt.load %b {boundaryCheck = array<i32: 1>, padding = 2 : i32} : !tt.ptr<tensor<8x64xf16>>
  tt.store %b, %t : !tt.ptr<tensor<8x64xf16>>
  tt.return %t : tensor<8x64xf16>
}

// Blocks have any size.
// CHECK-LABEL: tt.func @any_size(
tt.func @any_size(%p: !tt.ptr<f32>, %n: i64, %i: i32) -> tensor<24xf32> {
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<24x!tt.ptr<f32>>
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%i] {order = array<i32: 0>} : <tensor<24xf32>>
  %t = tt.load %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<24xf32>>
  tt.return %t : tensor<24xf32>
}

// A loop carries only what changes.
// CHECK-LABEL: tt.func @loop(
tt.func @loop(%p: !tt.ptr<f32>, %n: i64, %k: i32, %v: tensor<64xf32>) {
  // CHECK: %[[STEP:.*]] = arith.constant 64 : i64
  // CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %{{.*}}) -> (i64)
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>
  // CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %[[STEP]] : i64
  // CHECK: scf.yield %[[NEXT]] : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<64xf32>>
  %end = scf.for %i = %zero to %k step %step iter_args(%q = %b) -> (!tt.ptr<tensor<64xf32>>) : i32 {
    tt.store %q, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    %next = tt.advance %q, [%step] : <tensor<64xf32>>
    scf.yield %next : !tt.ptr<tensor<64xf32>>
  }
  tt.return
}

// CHECK-LABEL: tt.func private @callee(
// CHECK-SAME: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64) -> (!tt.ptr<f32>, i64, i64, i64)
tt.func private @callee(%b: !tt.ptr<tensor<64xf32>>) -> !tt.ptr<tensor<64xf32>> {
  %two = arith.constant 2 : i32
  %c = tt.advance %b, [%two] : <tensor<64xf32>>
  tt.return %c : !tt.ptr<tensor<64xf32>>
}

// Branches, selections, calls and values that no path gives.
// CHECK-LABEL: tt.func @flow(
tt.func @flow(%p: !tt.ptr<f32>, %n: i64, %i: i32, %c: i1, %v: tensor<64xf32>) {
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
  // CHECK: tt.call @callee
  %d = scf.if %c -> (!tt.ptr<tensor<64xf32>>) {
    %e = tt.call @callee(%b) : (!tt.ptr<tensor<64xf32>>) -> !tt.ptr<tensor<64xf32>>
    scf.yield %e : !tt.ptr<tensor<64xf32>>
  } else {
    scf.yield %b : !tt.ptr<tensor<64xf32>>
  }
  %f = arith.select %c, %d, %b : !tt.ptr<tensor<64xf32>>
  %u = ub.poison : !tt.ptr<tensor<64xf32>>
  cf.cond_br %c, ^store(%f : !tt.ptr<tensor<64xf32>>), ^store(%u : !tt.ptr<tensor<64xf32>>)
^store(%to: !tt.ptr<tensor<64xf32>>):
  // CHECK: tt.store
  tt.store %to, %v : !tt.ptr<tensor<64xf32>>
  tt.return
}
