// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.descriptor_scatter round-trips.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%d: !tt.tensordesc<1x64xf16>, %x: tensor<32xi32>, %y: i32, %v: tensor<32x64xf16>) {
  // CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<1x64xf16>, tensor<32xi32>, i32, tensor<32x64xf16>
  tt.descriptor_scatter %d[%x, %y], %v : !tt.tensordesc<1x64xf16>, tensor<32xi32>, i32, tensor<32x64xf16>
  tt.return
}
