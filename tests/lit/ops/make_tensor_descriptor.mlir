// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --spelling=3.6 %s | tl-opt --spelling=3.6 | FileCheck %s --check-prefix=OLD
// tt.make_tensor_descriptor round-trips; the descriptor's type is read in both spellings and printed as asked.

// CHECK-LABEL: tt.func @round_trip(
// OLD-LABEL: tt.func @round_trip(
// CHECK-SAME: !tt.tensordesc<32x64xf16>
// OLD-SAME: !tt.tensordesc<tensor<32x64xf16>>
tt.func @round_trip(%p: !tt.ptr<f16>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %d: !tt.tensordesc<tensor<32x64xf16>>) {
  %one = arith.constant 1 : i64
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <32x64xf16>
  // OLD: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<32x64xf16>>
  %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <32x64xf16>
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}], [%{{.*}}] {padding = 2 : i32} : <f16>, <64xf16>
  %1 = tt.make_tensor_descriptor %p, [%n], [%one] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<64xf16>>
  // CHECK: tt.make_tensor_descriptor %{{.*}} : <i32>, <8xui32>
  // OLD: tt.make_tensor_descriptor %{{.*}} : <i32>, <tensor<8xui32>>
  %2 = tt.make_tensor_descriptor %q, [%n], [%one] : <i32>, <8xui32>
  // CHECK: tt.make_tensor_descriptor {{.*}} {order = array<i32: 1, 0>} : <f16>, <32x64xf16>
  %3 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] {order = array<i32: 1, 0>} : <f16>, <32x64xf16>
  tt.return
}
