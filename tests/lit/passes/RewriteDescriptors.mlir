// RUN: tl-opt --rewrite-descriptors --canonicalize --cse %s | FileCheck %s
// RUN: tl-opt --rewrite-descriptors %s | FileCheck %s --check-prefix=GONE
// Descriptors become pointers and masks, wherever they go.

// GONE-NOT: tensordesc
// GONE-NOT: unrealized_conversion_cast

// CHECK-LABEL: tt.func @load(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f32>, %[[N:[a-z0-9]+]]: i32, %[[I:[a-z0-9]+]]: i32
tt.func @load(%p: !tt.ptr<f32>, %n: i32, %i: i32) -> tensor<64xf32> {
  // CHECK-DAG: %[[OTHER:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : tensor<64xi64>
  // CHECK-DAG: %[[NW:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK-DAG: %[[IW:.*]] = arith.extsi %[[I]] : i32 to i64
  // CHECK-DAG: %[[BASE:.*]] = tt.addptr %[[P]], %[[IW]] : !tt.ptr<f32>, i64
  // CHECK-DAG: %[[R:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32}
  // CHECK-DAG: %[[RW:.*]] = arith.extsi %[[R]]
  // CHECK-DAG: %[[IS:.*]] = tt.splat %[[IW]]
  // CHECK-DAG: %[[COORD:.*]] = arith.addi %[[IS]], %[[RW]]
  // CHECK-DAG: %[[LOW:.*]] = arith.cmpi sge, %[[COORD]], %[[ZERO]]
  // CHECK-DAG: %[[NS:.*]] = tt.splat %[[NW]]
  // CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %[[COORD]], %[[NS]]
  // CHECK-DAG: %[[MASK:.*]] = arith.andi %[[LOW]], %[[HIGH]]
  // CHECK-DAG: %[[BS:.*]] = tt.splat %[[BASE]]
  // CHECK: %[[Q:.*]] = tt.addptr %[[BS]], %[[RW]]
  // CHECK: tt.load %[[Q]], %[[MASK]], %[[OTHER]] {cachePolicy = {{.*}}cg
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : <f32>, <64xf32>
  %t = tt.descriptor_load %d[%i] cacheModifier = cg : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
}

// CHECK-LABEL: tt.func @nan_padding(
tt.func @nan_padding(%p: !tt.ptr<f16>, %n: i32, %s: i64) -> tensor<8x64xf16> {
  // CHECK: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<8x64xf16>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<8x64x!tt.ptr<f16>>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] {padding = 2 : i32} : <f16>, <8x64xf16>
  %t = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<8x64xf16> -> tensor<8x64xf16>
  tt.return %t : tensor<8x64xf16>
}

// Axes of extent 1 take part in the scalar pointer and condition only.
// CHECK-LABEL: tt.func @dropped_axis(
tt.func @dropped_axis(%p: !tt.ptr<f32>, %n: i32, %s: i64, %i: i32) -> tensor<64xf32> {
  // CHECK: arith.andi %{{.*}}, %{{.*}} : i1
  // CHECK: tt.splat %{{.*}} : i1 -> tensor<64xi1>
  // CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f32>, <1x64xf32>
  %t = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<1x64xf32> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
}

// CHECK-LABEL: tt.func @store(
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<8x64xf32>
tt.func @store(%v: tensor<8x64xf32>, %p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // CHECK: tt.store %{{.*}}, %[[V]], %{{.*}} : tensor<8x64x!tt.ptr<f32>>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f32>, <8x64xf32>
  tt.descriptor_store %d[%n, %n], %v : !tt.tensordesc<8x64xf32>, tensor<8x64xf32>
  tt.return
}

// CHECK-LABEL: tt.func @reductions(
tt.func @reductions(%v: tensor<64xf32>, %w: tensor<64xi32>, %p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32) {
  %one = arith.constant 1 : i64
  // CHECK: tt.atomic_rmw fadd, relaxed, gpu
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : <f32>, <64xf32>
  tt.descriptor_reduce add, %d[%n], %v : !tt.tensordesc<64xf32>, tensor<64xf32>
  // Floats without a sign bit order as integers, those with one in reverse.
  // CHECK: arith.cmpi sge
  // CHECK: tt.atomic_rmw max, relaxed, gpu
  // CHECK: arith.cmpi slt
  // CHECK: tt.atomic_rmw umin, relaxed, gpu
  tt.descriptor_reduce max, %d[%n], %v : !tt.tensordesc<64xf32>, tensor<64xf32>
  // CHECK: tt.atomic_rmw umin, relaxed, gpu
  %u = tt.make_tensor_descriptor %q, [%n], [%one] : <i32>, <64xui32>
  tt.descriptor_reduce min, %u[%n], %w : !tt.tensordesc<64xui32>, tensor<64xi32>
  // CHECK: tt.atomic_rmw min, relaxed, gpu
  %s = tt.make_tensor_descriptor %q, [%n], [%one] : <i32>, <64xi32>
  tt.descriptor_reduce min, %s[%n], %w : !tt.tensordesc<64xi32>, tensor<64xi32>
  // CHECK: tt.atomic_rmw xor, relaxed, gpu
  tt.descriptor_reduce xor, %s[%n], %w : !tt.tensordesc<64xi32>, tensor<64xi32>
  tt.return
}

// CHECK-LABEL: tt.func @rows(
tt.func @rows(%p: !tt.ptr<f16>, %n: i32, %s: i64, %x: tensor<32xi32>, %y: i32) {
  // CHECK: arith.extsi %{{.*}} : tensor<32xi32> to tensor<32xi64>
  // CHECK: %[[T:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x64x!tt.ptr<f16>>
  // CHECK: tt.store %{{.*}}, %[[T]], %{{.*}} : tensor<32x64x!tt.ptr<f16>>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <1x64xf16>
  %t = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.descriptor_scatter %d[%x, %y], %t : !tt.tensordesc<1x64xf16>, tensor<32xi32>, i32, tensor<32x64xf16>
  tt.return
}

// CHECK-LABEL: tt.func @parameter(
// CHECK-SAME: %{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %[[NAN:[a-z0-9]+]]: i1, %{{.*}}: i32 {tt.divisibility = 16 : i32})
tt.func @parameter(%d: !tt.tensordesc<64xf32>, %i: i32 {tt.divisibility = 16 : i32}) -> tensor<64xf32> {
  // CHECK: arith.select %[[NAN]]
  %t = tt.descriptor_load %d[%i] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
}

// CHECK-LABEL: tt.func @through_a_loop(
tt.func @through_a_loop(%d: !tt.tensordesc<64xf32>, %e: !tt.tensordesc<64xf32>, %n: i32, %lo: i32, %c: i1) {
  // CHECK: scf.for {{.*}} -> (!tt.ptr<f32>, i64, i64, i1)
  // CHECK: tt.store
  %r = scf.for %i = %lo to %n step %n iter_args(%x = %d) -> (!tt.tensordesc<64xf32>) : i32 {
    %t = tt.descriptor_load %x[%i] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    tt.descriptor_store %x[%n], %t : !tt.tensordesc<64xf32>, tensor<64xf32>
    %y = scf.if %c -> (!tt.tensordesc<64xf32>) {
      scf.yield %x : !tt.tensordesc<64xf32>
    } else {
      scf.yield %e : !tt.tensordesc<64xf32>
    }
    scf.yield %y : !tt.tensordesc<64xf32>
  }
  %u = tt.descriptor_load %r[%n] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.descriptor_store %d[%n], %u : !tt.tensordesc<64xf32>, tensor<64xf32>
  tt.return
}

// CHECK-LABEL: tt.func @through_while(
tt.func @through_while(%d: !tt.tensordesc<64xf32>, %n: i32) {
  // CHECK: scf.while
  %r:2 = scf.while (%x = %d, %k = %n) : (!tt.tensordesc<64xf32>, i32) -> (!tt.tensordesc<64xf32>, i32) {
    %c = arith.cmpi sgt, %k, %n : i32
    scf.condition(%c) %x, %k : !tt.tensordesc<64xf32>, i32
  } do {
  ^bb0(%x: !tt.tensordesc<64xf32>, %k: i32):
    %t = tt.descriptor_load %x[%k] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    tt.descriptor_store %x[%n], %t : !tt.tensordesc<64xf32>, tensor<64xf32>
    scf.yield %x, %k : !tt.tensordesc<64xf32>, i32
  }
  tt.return
}

// CHECK-LABEL: tt.func @through_branches(
tt.func @through_branches(%d: !tt.tensordesc<64xf32>, %e: !tt.tensordesc<64xf32>, %n: i32, %c: i1) -> tensor<64xf32> {
  // CHECK: arith.select
  // CHECK: tt.load
  %s = arith.select %c, %d, %e : !tt.tensordesc<64xf32>
  cf.cond_br %c, ^bb1(%s : !tt.tensordesc<64xf32>), ^bb2
^bb1(%x: !tt.tensordesc<64xf32>):
  %t = tt.descriptor_load %x[%n] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
^bb2:
  cf.br ^bb1(%e : !tt.tensordesc<64xf32>)
}

// CHECK-LABEL: tt.func private @passes_on(
// CHECK-SAME: %{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i1) -> (!tt.ptr<f32>, i64, i64, i1)
tt.func private @passes_on(%d: !tt.tensordesc<64xf32>) -> !tt.tensordesc<64xf32> attributes {noinline = true} {
  tt.return %d : !tt.tensordesc<64xf32>
}

// CHECK-LABEL: tt.func @through_a_call(
tt.func @through_a_call(%d: !tt.tensordesc<64xf32>, %n: i32) -> tensor<64xf32> {
  // CHECK: tt.call @passes_on(%{{.*}}) : (!tt.ptr<f32>, i64, i64, i1) -> (!tt.ptr<f32>, i64, i64, i1)
  %e = tt.call @passes_on(%d) : (!tt.tensordesc<64xf32>) -> !tt.tensordesc<64xf32>
  %t = tt.descriptor_load %e[%n] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
}
