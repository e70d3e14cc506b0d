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
// CHECK: arith.sitofp {{.*}} registers = [2]
// CHECK: arith.sitofp %[[S]] {{.*}} registers = [1]
// CHECK: arith.sitofp %[[S]] {{.*}} registers = [1]
tt.func public @chain() {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
  %s = arith.addi %r, %r : tensor<64xi32, #a>
  %t = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %u = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %x = arith.sitofp %s : tensor<64xi32, #a> to tensor<64xf32, #a>
  %y = arith.sitofp %t : tensor<64xi32, #b> to tensor<64xf32, #b>
  %z = arith.sitofp %u : tensor<64xi32, #b> to tensor<64xf32, #b>
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
  %x = arith.sitofp %s : tensor<64xi32, #b> to tensor<64xf32, #b>
  tt.return
}

// What follows from loaded values is converted, once.
// CHECK-LABEL: @loaded
// CHECK: %[[V:.*]] = tt.load
// CHECK: %[[S:.*]] = arith.addi %[[V]]
// CHECK: %[[T:.*]] = ttg.convert_layout %[[S]]
// CHECK-NOT: convert_layout
// CHECK: arith.sitofp %[[T]]
// CHECK: arith.sitofp %[[T]]
tt.func public @loaded(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #a>
  %v = tt.load %ps : tensor<64x!tt.ptr<i32>, #a>
  %s = arith.addi %v, %r : tensor<64xi32, #a>
  %t = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %u = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %x = arith.sitofp %t : tensor<64xi32, #b> to tensor<64xf32, #b>
  %y = arith.sitofp %u : tensor<64xi32, #b> to tensor<64xf32, #b>
  tt.return
}

// A constant's value has the constant's type.
// CHECK-LABEL: @constant
// CHECK: arith.constant dense<1> : tensor<64xi32, {{.*}} registers = [1]
tt.func public @constant() {
  %c = arith.constant dense<1> : tensor<64xi32, #a>
  %d = ttg.convert_layout %c : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %x = arith.sitofp %d : tensor<64xi32, #b> to tensor<64xf32, #b>
  tt.return
}
