// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.descriptor_reduce round-trips for every kind.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%d: !tt.tensordesc<8x8xui32>, %e: !tt.tensordesc<8x8xf32>, %i: i32, %v: tensor<8x8xi32>, %w: tensor<8x8xf32>) {
  // CHECK: tt.descriptor_reduce add, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce add, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce min, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce min, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce max, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce max, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce inc, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce inc, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce dec, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce dec, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce and, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce and, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce or, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce or, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce xor, %{{.*}} : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  tt.descriptor_reduce xor, %d[%i, %i], %v : !tt.tensordesc<8x8xui32>, tensor<8x8xi32>
  // CHECK: tt.descriptor_reduce add, %{{.*}} : !tt.tensordesc<8x8xf32>, tensor<8x8xf32>
  tt.descriptor_reduce add, %e[%i, %i], %w : !tt.tensordesc<8x8xf32>, tensor<8x8xf32>
  tt.return
}
