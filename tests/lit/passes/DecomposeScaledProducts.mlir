// RUN: tl-opt --decompose-scaled-products %s | FileCheck %s
// Scaled operands are widened, multiplied by their scales group by group, and become operands of an ordinary product.

// e4m3 by exponents, one for 32 elements; bf16 as it is.
// CHECK-LABEL: @fp8
// CHECK: %[[W:.*]] = tt.fp_to_fp %arg0 : tensor<16x64xf8E4M3FN> -> tensor<16x64xf32>
// CHECK: %[[U:.*]] = arith.extui %arg1 : tensor<16x2xi8> to tensor<16x2xi32>
// CHECK: arith.shli %[[U]]
// CHECK-COUNT-2: arith.select
// CHECK: %[[S:.*]] = tt.bitcast %{{.*}} : tensor<16x2xi32> -> tensor<16x2xf32>
// CHECK: %[[G:.*]] = tt.reshape %[[W]] : tensor<16x64xf32> -> tensor<16x2x32xf32>
// CHECK: %[[E:.*]] = tt.expand_dims %[[S]] {axis = 2 : i32}
// CHECK: %[[B:.*]] = tt.broadcast %[[E]] : tensor<16x2x1xf32> -> tensor<16x2x32xf32>
// CHECK: %[[P:.*]] = arith.mulf %[[G]], %[[B]]
// CHECK: %[[R:.*]] = tt.reshape %[[P]] : tensor<16x2x32xf32> -> tensor<16x64xf32>
// CHECK: %[[X:.*]] = arith.truncf %[[R]] : tensor<16x64xf32> to tensor<16x64xbf16>
// CHECK: tt.dot %[[X]], %arg2, %arg3 : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
tt.func public @fp8(%a: tensor<16x64xf8E4M3FN>, %sa: tensor<16x2xi8>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// Pairs of e2m1 along k, which is the second operand's first axis; its scales have their groups last.
// CHECK-LABEL: @pairs
// CHECK: tt.bitcast %arg0 : tensor<16x64xi8> -> tensor<16x64xf8E5M2>
// CHECK: arith.extui %arg1 : tensor<32x16xi8> to tensor<32x16xi32>
// CHECK: %[[J:.*]] = tt.join {{.*}} : tensor<32x16xf32> -> tensor<32x16x2xf32>
// CHECK: %[[T:.*]] = tt.trans %[[J]] {order = array<i32: 0, 2, 1>} : tensor<32x16x2xf32> -> tensor<32x2x16xf32>
// CHECK: tt.reshape %[[T]] : tensor<32x2x16xf32> -> tensor<64x16xf32>
// CHECK: tt.trans {{.*}} : tensor<16x2xf32> -> tensor<2x16xf32>
// CHECK: tt.reshape {{.*}} : tensor<64x16xf32> -> tensor<2x32x16xf32>
// CHECK: tt.expand_dims {{.*}} {axis = 1 : i32} : tensor<2x16xf32> -> tensor<2x1x16xf32>
// CHECK: tt.dot {{.*}} : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
tt.func public @pairs(%a: tensor<16x64xi8>, %b: tensor<32x16xi8>, %sb: tensor<16x2xi8>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a, %b scale %sb, %c lhs = e5m2 rhs = e2m1 {fastMath = false} : tensor<16x64xi8> * tensor<32x16xi8>, tensor<16x2xi8> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// Packed along the rows and the columns of the result, in a batch, with scales of e4m3 for 16 elements each.
// CHECK-LABEL: @batch
// CHECK: tt.trans {{.*}} : tensor<2x8x64x2xf32> -> tensor<2x8x2x64xf32>
// CHECK: tt.reshape {{.*}} : tensor<2x8x2x64xf32> -> tensor<2x16x64xf32>
// CHECK: tt.fp_to_fp %arg1 : tensor<2x16x4xf8E4M3FN> -> tensor<2x16x4xf32>
// CHECK: tt.reshape {{.*}} : tensor<2x16x64xf32> -> tensor<2x16x4x16xf32>
// CHECK: tt.reshape {{.*}} : tensor<2x64x8x2xf32> -> tensor<2x64x16xf32>
// CHECK: tt.dot {{.*}} : tensor<2x16x64xbf16> * tensor<2x64x16xbf16> -> tensor<2x16x16xf32>
tt.func public @batch(%a: tensor<2x8x64xi8>, %sa: tensor<2x16x4xf8E4M3FN>, %b: tensor<2x64x8xi8>, %c: tensor<2x16x16xf32>) -> tensor<2x16x16xf32> {
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<2x8x64xi8>, tensor<2x16x4xf8E4M3FN> * tensor<2x64x8xi8> -> tensor<2x16x16xf32>
  tt.return %d : tensor<2x16x16xf32>
}

// f16 has more bits of mantissa than bf16, and with a scale leaves its range: tf32 holds all. Without scales f16 does.
// bf16 times a scale of e4m3 has more bits than tf32.
// CHECK-LABEL: @elements
// CHECK: tt.dot {{.*}}, inputPrecision = tf32 : tensor<16x64xf32>
// CHECK: tt.dot {{.*}} : tensor<16x64xf16> * tensor<64x16xf16>
// CHECK: tt.dot %{{[^=]*}} : tensor<16x64xf32> * tensor<64x16xf32>
tt.func public @elements(%a: tensor<16x64xf8E4M3FN>, %sa: tensor<16x2xi8>, %h: tensor<64x16xf16>, %b: tensor<16x64xbf16>, %sb: tensor<16x4xf8E4M3FN>, %c: tensor<16x16xf32>) {
  %d = tt.dot_scaled %a scale %sa, %h, %c lhs = e4m3 rhs = fp16 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x16xf16> -> tensor<16x16xf32>
  %e = tt.dot_scaled %a, %h, %c lhs = e4m3 rhs = fp16 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x16xf16> -> tensor<16x16xf32>
  %f = tt.dot_scaled %b scale %sb, %h, %c lhs = bf16 rhs = fp16 {fastMath = false} : tensor<16x64xbf16>, tensor<16x4xf8E4M3FN> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return
}

// What nobody knows is for the target to refuse.
// CHECK-LABEL: @six_bits
// CHECK: tt.dot_scaled
tt.func public @six_bits(%a: tensor<16x64xi8>, %b: tensor<64x16xi8>, %c: tensor<16x16xf32>) {
  %d = tt.dot_scaled %a, %b, %c lhs = e2m3 rhs = e4m3 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xi8> -> tensor<16x16xf32>
  tt.return
}
