// RUN: tl-opt --split-products %s | FileCheck %s
// Products that ask for more than one instruction gives are sums of products of parts, the smallest first.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
    matrix_instructions = [#ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = bf16, sum = f32>,
                           #ttg.matrix_instruction<family = "mma", shape = [16, 8, 8], element = tf32, sum = f32>]>} {

// The part that an element of tf32 holds, and what it leaves. A chain of three begins with zero; what is not finite
// before the last is dropped.
// CHECK-LABEL: @tf32x3
// CHECK-SAME: %[[A:.*]]: tensor<16x16xf32>, %[[B:.*]]: tensor<16x16xf32>, %[[C:.*]]: tensor<16x16xf32>
// CHECK: %[[WORD:.*]] = tt.bitcast %[[A]]
// CHECK: %[[MORE:.*]] = arith.addi %[[WORD]], %{{.*}} : tensor<16x16xi32>
// CHECK: %[[CUT:.*]] = arith.andi %[[MORE]], %{{.*}} : tensor<16x16xi32>
// CHECK: %[[ROUNDED:.*]] = tt.bitcast %[[CUT]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]]
// CHECK: %[[BIG:.*]] = arith.select %[[NAN]], %[[A]], %[[ROUNDED]]
// CHECK: %[[REST:.*]] = arith.subf %[[A]], %[[BIG]]
// CHECK: tt.bitcast %[[REST]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[P:.*]] = tt.dot %{{.*}}, %[[BIGB:.*]], %[[ZERO]], inputPrecision = tf32
// CHECK: %[[Q:.*]] = tt.dot %[[BIG]], %{{.*}}, %[[P]], inputPrecision = tf32
// CHECK: %[[MAGNITUDE:.*]] = math.absf %[[Q]]
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[MAGNITUDE]],
// CHECK: %[[S:.*]] = arith.select %[[FINITE]], %[[Q]], %[[ZERO]]
// CHECK: %[[T:.*]] = tt.dot %[[BIG]], %[[BIGB]], %[[S]], inputPrecision = tf32
// CHECK: arith.addf %[[C]], %[[T]]
tt.func public @tf32x3(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// CHECK-LABEL: @bf16x3
// CHECK: %[[BIG:.*]] = arith.truncf %arg0
// CHECK: %[[WIDE:.*]] = arith.extf %[[BIG]]
// CHECK: %[[REST:.*]] = arith.subf %arg0, %[[WIDE]]
// CHECK: arith.truncf %[[REST]]
// CHECK-COUNT-3: tt.dot {{.*}} : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
// CHECK-NOT: tt.dot
// CHECK: arith.addf
tt.func public @bf16x3(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// An operand is split once, where it is computed; nothing is added to an accumulator of zeros.
// CHECK-LABEL: @bf16x6
// CHECK-COUNT-3: arith.truncf
// CHECK-NOT: arith.truncf
// CHECK: scf.for
// CHECK-COUNT-3: arith.truncf
// CHECK-NOT: arith.truncf
// CHECK-COUNT-6: tt.dot {{.*}} : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
// CHECK-NOT: tt.dot
// CHECK-NOT: arith.addf
// CHECK: scf.yield
tt.func public @bf16x6(%a: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<16x16xf32>) : i32 {
    %d = tt.dot %a, %b, %zero, inputPrecision = bf16x6 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.return %r : tensor<16x16xf32>
}

// The transpose of parts, so that what is loaded is split as it lies.
// CHECK-LABEL: @transposed
// CHECK: %[[BIG:.*]] = arith.truncf %arg1
// CHECK: tt.trans %[[BIG]]
tt.func public @transposed(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  %d = tt.dot %a, %t, %c, inputPrecision = bf16x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// Sums in f32 are rounded to a narrower result.
// CHECK-LABEL: @narrow
// CHECK: %[[C:.*]] = arith.extf %arg1 : tensor<16x16xf16> to tensor<16x16xf32>
// CHECK: %[[D:.*]] = tt.dot %arg0, %arg0, %[[C]] : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
// CHECK: arith.truncf %[[D]] : tensor<16x16xf32> to tensor<16x16xf16>
tt.func public @narrow(%a: tensor<16x16xf16>, %c: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %d = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
  tt.return %d : tensor<16x16xf16>
}

// Smaller than every instruction, and the precision that one instruction has, or none.
// CHECK-LABEL: @untouched
// CHECK-NOT: arith
// CHECK: tt.dot {{.*}} inputPrecision = tf32x3
// CHECK: tt.dot {{.*}} inputPrecision = tf32 :
// CHECK: tt.dot {{.*}} : tensor<16x16xf32>
// CHECK: tt.return
tt.func public @untouched(%a: tensor<8x16xf32>, %b: tensor<16x16xf32>, %c: tensor<8x16xf32>) {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<8x16xf32> * tensor<16x16xf32> -> tensor<8x16xf32>
  %e = tt.dot %b, %b, %b, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %f = tt.dot %b, %b, %b : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

}
