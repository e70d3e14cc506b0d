// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.cat of earlier releases is read, printed, and replaced by operations that keep the order.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>) {
  // CHECK: tt.cat %{{.*}}, %{{.*}} : tensor<8xf32> -> tensor<16xf32>
  %0 = tt.cat %x, %x : tensor<8xf32> -> tensor<16xf32>
  tt.return
}

// FOLD-LABEL: tt.func @replaced(
tt.func @replaced(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<16xf32> {
  // FOLD: %[[J:.*]] = tt.join %arg0, %arg1 : tensor<8xf32> -> tensor<8x2xf32>
  // FOLD: %[[T:.*]] = tt.trans %[[J]] {order = array<i32: 1, 0>} : tensor<8x2xf32> -> tensor<2x8xf32>
  // FOLD: tt.reshape %[[T]] : tensor<2x8xf32> -> tensor<16xf32>
  %0 = tt.cat %x, %y : tensor<8xf32> -> tensor<16xf32>
  tt.return %0 : tensor<16xf32>
}
