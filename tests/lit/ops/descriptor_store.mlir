// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.descriptor_store round-trips.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%d: !tt.tensordesc<32x64xf16>, %i: i32, %v: tensor<32x64xf16>) {
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>
  tt.return
}
