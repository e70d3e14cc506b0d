// RUN: tl-opt --rewrite-descriptors=copies=possible %s | FileCheck %s
// RUN: tl-opt --rewrite-descriptors=copies=worthwhile %s | FileCheck %s --check-prefix=WORTH
// RUN: tl-opt --rewrite-descriptors %s | FileCheck %s --check-prefix=NONE
// Descriptors stay whose blocks TMA can move; the others become pointers.

// NONE-NOT: descriptor

// CHECK-LABEL: @kept
// CHECK: tt.make_tensor_descriptor
// CHECK: tt.descriptor_load
// CHECK: tt.descriptor_store
// WORTH-LABEL: @kept
// WORTH: tt.make_tensor_descriptor
// WORTH: tt.descriptor_load
// WORTH: tt.descriptor_store
tt.func public @kept(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 8 : i32}) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <32x64xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>
  tt.return
}

// Leading extents of 1 that the kernel drops at once are not loaded.
// CHECK-LABEL: @unit_axes
// CHECK: %[[V:.*]] = tt.descriptor_load {{.*}} : !tt.tensordesc<1x32x64xf16> -> tensor<32x64xf16>
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func public @unit_axes(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 8 : i32}, %y: tensor<32x64x!tt.ptr<f16>>) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %m, %n], [%s, %s, %one] : <f16>, <1x32x64xf16>
  %v = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<1x32x64xf16> -> tensor<1x32x64xf16>
  %r = tt.reshape %v : tensor<1x32x64xf16> -> tensor<32x64xf16>
  tt.store %y, %r : tensor<32x64x!tt.ptr<f16>>
  tt.return
}

// TMA takes the last index in steps of 16 bytes only: nothing is known of it, or too little.
// CHECK-LABEL: @unaligned
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @unaligned(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 4 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <32x64xf16>
  %v = tt.descriptor_load %d[%c0, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  %e = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <32x64xf16>
  tt.descriptor_store %e[%c0, %i], %v : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>
  tt.return
}

// TMA writes whole pieces of 16 bytes, also where the tensor ends within one: such a tensor is only
// read by it.
// CHECK-LABEL: @ragged
// CHECK: tt.descriptor_load
// CHECK-NOT: tt.descriptor_store
// CHECK-NOT: tt.descriptor_reduce
// CHECK: tt.return
tt.func public @ragged(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %o: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %p: i32 {tt.divisibility = 2 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <i32>, <64xi32>
  %v = tt.descriptor_load %d[%c0] : !tt.tensordesc<64xi32> -> tensor<64xi32>
  %e = tt.make_tensor_descriptor %o, [%p], [%one] : <i32>, <64xi32>
  tt.descriptor_store %e[%c0], %v : !tt.tensordesc<64xi32>, tensor<64xi32>
  %f = tt.make_tensor_descriptor %o, [%n], [%one] : <i32>, <64xi32>
  tt.descriptor_reduce add, %f[%c0], %v : !tt.tensordesc<64xi32>, tensor<64xi32>
  tt.return
}

// Nothing is known of the base.
// CHECK-LABEL: @base
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @base(%x: !tt.ptr<f16>, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <32x64xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.return
}

// The last axis has gaps.
// CHECK-LABEL: @gaps
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @gaps(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 16 : i32}) {
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %s] : <f16>, <32x64xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.return
}

// Rows of eight bytes, and more than 256 elements along an axis.
// CHECK-LABEL: @boxes
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @boxes(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <64x4xf16>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x4xf16> -> tensor<64x4xf16>
  %e = tt.make_tensor_descriptor %x, [%n], [%one] : <f16>, <512xf16>
  %w = tt.descriptor_load %e[%i] : !tt.tensordesc<512xf16> -> tensor<512xf16>
  tt.return
}

// Rows are gathered by pointers; of what is combined, sums of floats go by TMA, others do not.
// CHECK-LABEL: @others
// CHECK-NOT: descriptor_gather
// CHECK: tt.descriptor_reduce add
// CHECK-NOT: tt.descriptor_reduce max
// CHECK: tt.return
tt.func public @others(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 16 : i32},
                       %rows: tensor<32xi32>, %v: tensor<32x64xf32>) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <1x64xf32>
  %t = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<1x64xf32>, tensor<32xi32>, i32) -> tensor<32x64xf32>
  %e = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  tt.descriptor_reduce add, %e[%i, %i], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
  %f = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
  tt.descriptor_reduce max, %f[%i, %i], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
  tt.return
}

// Where a loop hands it on, it is in parts.
// CHECK-LABEL: @handed_on
// CHECK-NOT: descriptor
// CHECK: tt.return
tt.func public @handed_on(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %i: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %e = scf.for %k = %c0 to %n step %c1 iter_args(%a = %d) -> (!tt.tensordesc<64xf32>) : i32 {
    %v = tt.descriptor_load %a[%k] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    scf.yield %a : !tt.tensordesc<64xf32>
  }
  tt.return
}

// Blocks that are moved in a loop, and descriptors that each program would have to make, are left to
// pointers unless all that is possible is wanted.
// CHECK-LABEL: @costly
// CHECK: tt.make_tensor_descriptor
// CHECK: tt.make_tensor_descriptor
// CHECK: scf.for
// CHECK: tt.descriptor_load
// WORTH-LABEL: @costly
// WORTH-NOT: descriptor
// WORTH: tt.return
tt.func public @costly(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %half = arith.divsi %n, %c64 : i32
  %e = tt.make_tensor_descriptor %x, [%half], [%one] : <f32>, <64xf32>
  %w = tt.descriptor_load %e[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %j = arith.muli %k, %c64 : i32
    %v = tt.descriptor_load %d[%j] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  }
  tt.return
}

// A launch makes at most 16 maps: the blocks of the last descriptor use pointers. Those that use
// pointers for another reason, here the first, do not count.
// WORTH-LABEL: @many
// WORTH-COUNT-16: tt.make_tensor_descriptor
// WORTH-COUNT-16: tt.descriptor_load
// WORTH-NOT: descriptor
// WORTH: tt.load
// WORTH: tt.return
tt.func public @many(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  scf.for %k = %c64 to %n step %c64 : i32 {
    %v = tt.descriptor_load %d[%k] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  }
  %d0 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d1 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d2 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d3 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d4 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d5 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d6 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d7 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d8 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d9 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d10 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d11 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d12 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d13 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d14 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d15 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %d16 = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <64xf32>
  %v0 = tt.descriptor_load %d0[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v1 = tt.descriptor_load %d1[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v2 = tt.descriptor_load %d2[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v3 = tt.descriptor_load %d3[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v4 = tt.descriptor_load %d4[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v5 = tt.descriptor_load %d5[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v6 = tt.descriptor_load %d6[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v7 = tt.descriptor_load %d7[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v8 = tt.descriptor_load %d8[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v9 = tt.descriptor_load %d9[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v10 = tt.descriptor_load %d10[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v11 = tt.descriptor_load %d11[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v12 = tt.descriptor_load %d12[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v13 = tt.descriptor_load %d13[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v14 = tt.descriptor_load %d14[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v15 = tt.descriptor_load %d15[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %v16 = tt.descriptor_load %d16[%c64] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return
}

// A stride that no launch looks at is looked at by the kernel.
// CHECK-LABEL: @strides
// CHECK: %[[MOST:.*]] = arith.constant 274877906944 : i64
// CHECK: %[[HOLDS:.*]] = arith.cmpi ult, %{{.*}}, %[[MOST]] : i64
// CHECK: tt.assert %[[HOLDS]], "the stride of axis 0 of a tensor descriptor is negative, or 2^40 bytes or more" {tt.always_checked}
// CHECK-NOT: tt.assert
// CHECK: tt.make_tensor_descriptor
// CHECK: tt.return
tt.func public @strides(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i64
  %t = arith.addi %s, %c4 : i64
  %d = tt.make_tensor_descriptor %x, [%n, %n, %n], [%t, %c4, %one] : <f32>, <2x4x64xf32>
  %v = tt.descriptor_load %d[%c0, %c0, %c0] : !tt.tensordesc<2x4x64xf32> -> tensor<2x4x64xf32>
  tt.return
}

// What is a product of constants and parameters the launch multiplies, in one width: it looks at the
// strides, too.
// CHECK-LABEL: @products
// CHECK-NOT: tt.assert
// CHECK: tt.make_tensor_descriptor
// CHECK: tt.return
// WORTH-LABEL: @products
// WORTH: tt.descriptor_load
// WORTH: tt.return
tt.func public @products(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32, %s: i64 {tt.divisibility = 16 : i32}, %b: i8) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i64
  %t = arith.muli %s, %c4 : i64
  %w = arith.extui %m : i32 to i64
  %u = arith.muli %t, %w : i64
  %nm = arith.muli %n, %m : i32
  %bw = arith.extsi %b : i8 to i32
  %nmb = arith.muli %nm, %bw : i32
  %v = arith.extsi %nmb : i32 to i64
  %d = tt.make_tensor_descriptor %x, [%n, %nm, %nmb], [%u, %v, %one] : <f32>, <2x4x64xf32>
  %l = tt.descriptor_load %d[%c0, %c0, %c0] : !tt.tensordesc<2x4x64xf32> -> tensor<2x4x64xf32>
  tt.return
}

// Products that wrap around in two widths, that are extended in two ways, of more than four
// parameters, and numbers that a parameter is not a factor of: each program makes these maps.
// WORTH-LABEL: @no_products
// WORTH-NOT: descriptor
// WORTH: tt.return
tt.func public @no_products(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i64
  %nm = arith.muli %n, %m : i32
  %wide = arith.extsi %nm : i32 to i64
  %twice = arith.muli %wide, %c16 : i64
  %d = tt.make_tensor_descriptor %x, [%n, %n], [%twice, %one] : <f32>, <32x64xf32>
  %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  %ns = arith.extsi %n : i32 to i64
  %mu = arith.extui %m : i32 to i64
  %two = arith.muli %ns, %mu : i64
  %e = tt.make_tensor_descriptor %x, [%n, %n], [%two, %one] : <f32>, <32x64xf32>
  %w = tt.descriptor_load %e[%c0, %c0] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  %n4 = arith.muli %nm, %nm : i32
  %n5 = arith.muli %n4, %n : i32
  %f = tt.make_tensor_descriptor %x, [%n5, %n], [%c16, %one] : <f32>, <32x64xf32>
  %y = tt.descriptor_load %f[%c0, %c0] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  %sum = arith.addi %n, %m : i32
  %g = tt.make_tensor_descriptor %x, [%sum, %n], [%c16, %one] : <f32>, <32x64xf32>
  %z = tt.descriptor_load %g[%c0, %c0] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
  tt.return
}
