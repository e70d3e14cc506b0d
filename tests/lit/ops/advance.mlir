// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.advance of earlier releases round-trips.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%b: !tt.ptr<tensor<32x64xf16>>, %i: i32) {
  // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<32x64xf16>>
  %0 = tt.advance %b, [%i, %i] : <tensor<32x64xf16>>
  tt.return
}
