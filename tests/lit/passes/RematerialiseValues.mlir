// RUN: tl-opt --rematerialise-values %s | FileCheck %s
// What is cheap is computed in every layout that it is needed in, and only what was loaded is converted.

#a = #ttg.layout<blocked [64], registers = [2], lanes = [32], warps = [1], order = [0]>
#b = #ttg.layout<blocked [64], registers = [1], lanes = [32], warps = [1], order = [0]>

// A chain of cheap operations is computed again from its beginning, and once for all of its users.
// CHECK-LABEL: @chain
// CHECK: tt.make_range {{.*}} registers = [1]
// CHECK: tt.make_range {{.*}} registers = [2]
// CHECK: %[[S:.*]] = arith.addi {{.*}} registers = [1]
// CHECK: arith.addi {{.*}} registers = [2]
// CHECK-NOT: arith.addi
// CHECK-NOT: convert_layout
// CHECK: arith.uitofp {{.*}} registers = [2]
// CHECK: arith.uitofp %[[S]] {{.*}} registers = [1]
// CHECK: arith.uitofp %[[S]] {{.*}} registers = [1]
tt.func public @chain() {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
  %s = arith.addi %r, %r : tensor<64xi32, #a>
  %t = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %u = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %x = arith.uitofp %s : tensor<64xi32, #a> to tensor<64xf32, #a>
  %y = arith.uitofp %t : tensor<64xi32, #b> to tensor<64xf32, #b>
  %z = arith.uitofp %u : tensor<64xi32, #b> to tensor<64xf32, #b>
  tt.return
}

// What is needed in another layout alone is not computed in the first.
// CHECK-LABEL: @moved
// CHECK: tt.make_range {{.*}} registers = [1]
// CHECK-NOT: registers = [2]
// CHECK: tt.return
tt.func public @moved() {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
  %s = ttg.convert_layout %r : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %x = arith.uitofp %s : tensor<64xi32, #b> to tensor<64xf32, #b>
  tt.return
}

// What follows from loaded values is converted, once.
// CHECK-LABEL: @loaded
// CHECK: %[[V:.*]] = tt.load
// CHECK: %[[S:.*]] = arith.addi %[[V]]
// CHECK: %[[T:.*]] = ttg.convert_layout %[[S]]
// CHECK-NOT: convert_layout
// CHECK: arith.uitofp %[[T]]
// CHECK: arith.uitofp %[[T]]
tt.func public @loaded(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #a>
  %v = tt.load %ps : tensor<64x!tt.ptr<i32>, #a>
  %s = arith.addi %v, %r : tensor<64xi32, #a>
  %t = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %u = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %x = arith.uitofp %t : tensor<64xi32, #b> to tensor<64xf32, #b>
  %y = arith.uitofp %u : tensor<64xi32, #b> to tensor<64xf32, #b>
  tt.return
}

// A constant's value has the constant's type.
// CHECK-LABEL: @constant
// CHECK: arith.constant dense<1> : tensor<64xi32, {{.*}} registers = [1]
tt.func public @constant() {
  %c = arith.constant dense<1> : tensor<64xi32, #a>
  %d = ttg.convert_layout %c : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %x = arith.uitofp %d : tensor<64xi32, #b> to tensor<64xf32, #b>
  tt.return
}

// So are numbers made of integers, and choices between values that are cheap.
// CHECK-LABEL: @choice
// CHECK-NOT: convert_layout
// CHECK: %[[N:.*]] = arith.sitofp {{.*}} registers = [1]
// CHECK: %[[S:.*]] = arith.select {{.*}} %[[N]]
// CHECK: math.sin %[[S]] : {{.*}} registers = [1]
tt.func public @choice() {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #a>
  %n = arith.sitofp %r : tensor<64xi32, #a> to tensor<64xf32, #a>
  %c = arith.cmpi slt, %r, %r : tensor<64xi32, #a>
  %s = arith.select %c, %n, %zero : tensor<64xi1, #a>, tensor<64xf32, #a>
  %t = ttg.convert_layout %s : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %x = math.sin %t : tensor<64xf32, #b>
  tt.return
}

// What a loop computes of values from before it is computed in the loop in every layout; those values are converted
// before it, once.
// CHECK-LABEL: @before_loop
// CHECK: %[[V:.*]] = tt.load
// CHECK: %[[C:.*]] = ttg.convert_layout %[[V]]
// CHECK: scf.for
// CHECK: arith.addi %[[C]], %{{.*}} registers = [1]
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @before_loop(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #a>
  %v = tt.load %ps : tensor<64x!tt.ptr<i32>, #a>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %is = tt.splat %i : i32 -> tensor<64xi32, #a>
    %s = arith.addi %v, %is : tensor<64xi32, #a>
    %t = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
    %qs = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    tt.store %qs, %t : tensor<64x!tt.ptr<i32>, #b>
  }
  tt.return
}
