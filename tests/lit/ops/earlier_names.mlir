// RUN: tl-opt %s | FileCheck %s
// Operations that had another name in earlier releases are read by it.

// CHECK-LABEL: tt.func @descriptors(
tt.func @descriptors(%d: !tt.tensordesc<tensor<32x64xf16>>, %r: !tt.tensordesc<tensor<1x64xf16>>, %i: i32, %xs: tensor<32xi32>) {
  // CHECK: %[[T:.*]] = tt.descriptor_load %{{.*}} -> tensor<32x64xf16>
  %0 = tt.experimental_descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  // CHECK: tt.descriptor_store %{{.*}}, %[[T]]
  tt.experimental_descriptor_store %d[%i, %i], %0 : !tt.tensordesc<tensor<32x64xf16>>, tensor<32x64xf16>
  // CHECK: %[[G:.*]] = tt.descriptor_gather
  %1 = tt.experimental_descriptor_gather %r[%xs, %i] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  // CHECK: tt.descriptor_scatter %{{.*}}, %[[G]]
  tt.experimental_descriptor_scatter %r[%xs, %i], %1 : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x64xf16>
  tt.return
}
