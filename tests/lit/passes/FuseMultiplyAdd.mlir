// RUN: tl-opt --fuse-multiply-add %s | FileCheck %s
// A product is exact in all sums that read it, or rounded for everyone who does.

// CHECK-LABEL: tt.func @either_side(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<8xf32>, %[[B:[a-z0-9]+]]: tensor<8xf32>, %[[C:[a-z0-9]+]]: tensor<8xf32>
tt.func @either_side(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[X:.*]] = math.fma %[[A]], %[[B]], %[[C]] : tensor<8xf32>
  // CHECK-NEXT: %[[Y:.*]] = math.fma %[[A]], %[[C]], %[[B]] : tensor<8xf32>
  // CHECK-NEXT: tt.return %[[X]], %[[Y]]
  %p = arith.mulf %a, %b : tensor<8xf32>
  %x = arith.addf %p, %c : tensor<8xf32>
  %q = arith.mulf %a, %c : tensor<8xf32>
  %y = arith.addf %b, %q : tensor<8xf32>
  tt.return %x, %y : tensor<8xf32>, tensor<8xf32>
}

// Signs change exactly.
// CHECK-LABEL: tt.func @differences(
// CHECK-SAME: %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64
tt.func @differences(%a: f64, %b: f64, %c: f64) -> (f64, f64, f64, f64) {
  // CHECK-NEXT: %[[NC:.*]] = arith.negf %[[C]] : f64
  // CHECK-NEXT: %[[X:.*]] = math.fma %[[A]], %[[B]], %[[NC]] : f64
  // CHECK-NEXT: %[[NA:.*]] = arith.negf %[[A]] : f64
  // CHECK-NEXT: %[[Y:.*]] = math.fma %[[NA]], %[[B]], %[[C]] : f64
  // CHECK-NEXT: %[[NB:.*]] = arith.negf %[[B]] : f64
  // CHECK-NEXT: %[[Z:.*]] = math.fma %[[NB]], %[[C]], %[[A]] : f64
  // CHECK-NEXT: %[[W:.*]] = math.fma %[[B]], %[[C]], %[[A]] : f64
  // CHECK-NEXT: tt.return %[[X]], %[[Y]], %[[Z]], %[[W]]
  %p = arith.mulf %a, %b : f64
  %x = arith.subf %p, %c : f64
  %y = arith.subf %c, %p : f64
  %q = arith.mulf %b, %c : f64
  %n = arith.negf %q : f64
  %z = arith.addf %n, %a : f64
  %w = arith.subf %a, %n : f64
  tt.return %x, %y, %z, %w : f64, f64, f64, f64
}

// Whoever compares with the maximum of a product must see the same number.
// CHECK-LABEL: tt.func @another_use_rounds_for_all(
tt.func @another_use_rounds_for_all(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[P:.*]] = arith.mulf
  // CHECK-NEXT: arith.maxnumf %[[P]],
  // CHECK-NEXT: arith.subf %[[P]],
  // CHECK-NEXT: arith.addf %{{.*}}, %[[P]]
  // CHECK-NEXT: tt.return
  %p = arith.mulf %a, %b : tensor<8xf32>
  %m = arith.maxnumf %p, %c : tensor<8xf32>
  %x = arith.subf %p, %m : tensor<8xf32>
  %y = arith.addf %c, %p : tensor<8xf32>
  tt.return %m, %x, %y : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: tt.func @written_twice_is_one(
// CHECK-NOT: math.fma
tt.func @written_twice_is_one(%at: tensor<8x!tt.ptr<f32>>, %b: f32, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = tt.load %at : tensor<8x!tt.ptr<f32>>
  %s = tt.splat %b : f32 -> tensor<8xf32>
  %p = arith.mulf %one, %s : tensor<8xf32>
  %m = arith.maxnumf %p, %c : tensor<8xf32>
  %two = tt.load %at : tensor<8x!tt.ptr<f32>>
  %t = tt.splat %b : f32 -> tensor<8xf32>
  %q = arith.mulf %t, %two : tensor<8xf32>
  %x = arith.subf %q, %m : tensor<8xf32>
  tt.return %m, %x : tensor<8xf32>, tensor<8xf32>
}

// Between these loads memory may change.
// CHECK-LABEL: tt.func @written_between(
// CHECK: math.fma
tt.func @written_between(%at: tensor<8x!tt.ptr<f32>>, %s: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %one = tt.load %at : tensor<8x!tt.ptr<f32>>
  %p = arith.mulf %one, %s : tensor<8xf32>
  tt.store %at, %p : tensor<8x!tt.ptr<f32>>
  %two = tt.load %at : tensor<8x!tt.ptr<f32>>
  %q = arith.mulf %two, %s : tensor<8xf32>
  %x = arith.addf %q, %c : tensor<8xf32>
  tt.return %x : tensor<8xf32>
}

// CHECK-LABEL: tt.func @of_two_the_left(
// CHECK-SAME: %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: f32
tt.func @of_two_the_left(%a: f32, %b: f32) -> (f32, f32, f32) {
  // CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[B]], %[[B]] : f32
  // CHECK-NEXT: %[[X:.*]] = math.fma %[[A]], %[[A]], %[[Q]] : f32
  // CHECK-NEXT: %[[Y:.*]] = arith.addf %[[Q]], %[[A]] : f32
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[A]], %[[B]] : f32
  // CHECK-NEXT: %[[Z:.*]] = arith.addf %[[R]], %[[R]] : f32
  // CHECK-NEXT: tt.return %[[X]], %[[Y]], %[[Z]]
  %p = arith.mulf %a, %a : f32
  %q = arith.mulf %b, %b : f32
  %x = arith.addf %p, %q : f32
  %y = arith.addf %q, %a : f32
  %r = arith.mulf %a, %b : f32
  %z = arith.addf %r, %r : f32
  tt.return %x, %y, %z : f32, f32, f32
}

// A product outside of the loop lives through it as one value, not as two factors.
// CHECK-LABEL: tt.func @within_one_block(
tt.func @within_one_block(%a: f32, %b: f32, %n: i32) -> (f32, f32) {
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK: scf.for
  // CHECK-NEXT: arith.addf %{{.*}}, %[[P]]
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: scf.yield
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = arith.mulf %a, %b : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a, %t = %b) -> (f32, f32) : i32 {
    %u = arith.addf %s, %p : f32
    %q = arith.mulf %s, %t : f32
    %v = arith.addf %q, %t : f32
    scf.yield %u, %v : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

// CHECK-LABEL: tt.func @in_regions_of_scalars(
// CHECK: "tt.reduce"
// CHECK: math.fma
// CHECK-NEXT: tt.reduce.return
tt.func @in_regions_of_scalars(%v: tensor<8xf32>) -> f32 {
  %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %a : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  tt.return %r : f32
}

// What folding and Combine make something better of.
// CHECK-LABEL: tt.func @left_alone(
// CHECK-NOT: math.fma
tt.func @left_alone(%a: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %one = arith.constant dense<1.0> : tensor<32x32xf32>
  %two = arith.constant dense<2.0> : tensor<32x32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %p = arith.mulf %a, %one : tensor<32x32xf32>
  %x = arith.addf %p, %c : tensor<32x32xf32>
  %q = arith.mulf %two, %two : tensor<32x32xf32>
  %y = arith.addf %q, %c : tensor<32x32xf32>
  %d = tt.dot %a, %c, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %s = arith.mulf %a, %c : tensor<32x32xf32>
  %z = arith.addf %s, %d : tensor<32x32xf32>
  tt.return %x, %y, %z : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: tt.func @narrow_floats_are_rounded(
// CHECK-NOT: math.fma
tt.func @narrow_floats_are_rounded(%a: f16, %b: bf16) -> (f16, bf16) {
  %p = arith.mulf %a, %a : f16
  %x = arith.addf %p, %a : f16
  %q = arith.mulf %b, %b : bf16
  %y = arith.addf %q, %b : bf16
  tt.return %x, %y : f16, bf16
}

// CHECK-LABEL: tt.func @chain(
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32, %[[C:[a-z0-9]+]]: f32
tt.func @chain(%x: f32, %c: f32) -> f32 {
  // CHECK-NEXT: %[[S:.*]] = math.fma %[[X]], %[[C]], %[[C]] : f32
  // CHECK-NEXT: %[[T:.*]] = math.fma %[[S]], %[[X]], %[[C]] : f32
  // CHECK-NEXT: tt.return %[[T]]
  %p = arith.mulf %x, %c : f32
  %s = arith.addf %p, %c : f32
  %q = arith.mulf %s, %x : f32
  %t = arith.addf %q, %c : f32
  tt.return %t : f32
}
