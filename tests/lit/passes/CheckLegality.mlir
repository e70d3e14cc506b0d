// RUN: tl-opt --check-legality %s | FileCheck %s
// Operations that only earlier releases wrote are replaced by those of today.

// CHECK-LABEL: tt.func @old_operations(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<8xf32>, %[[B:[a-z0-9]+]]: tensor<8xf32>
tt.func @old_operations(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<16xf32> {
  // CHECK: ttg.barrier all
  gpu.barrier
  // CHECK: %[[J:.*]] = tt.join %[[A]], %[[B]] : tensor<8xf32> -> tensor<8x2xf32>
  // CHECK: %[[T:.*]] = tt.trans %[[J]] {order = array<i32: 1, 0>}
  // CHECK: tt.reshape %[[T]] : tensor<2x8xf32> -> tensor<16xf32>
  %c = tt.cat %a, %b : tensor<8xf32> -> tensor<16xf32>
  tt.return %c : tensor<16xf32>
}
