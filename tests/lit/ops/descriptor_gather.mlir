// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.descriptor_gather round-trips.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%d: !tt.tensordesc<1x64xf16>, %x: tensor<32xi32>, %y: i32) {
  // CHECK: tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<1x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.return
}
