// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.addptr round-trips for scalars and tensors and any offset width; an offset of zero folds.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%p: !tt.ptr<f32>, %i: i64, %ps: tensor<64x!tt.ptr<f32>>, %is: tensor<64xi8>) {
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i64
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi8>
  %1 = tt.addptr %ps, %is : tensor<64x!tt.ptr<f32>>, tensor<64xi8>
  tt.return
}

// FOLD-LABEL: tt.func @zero_folds(
// FOLD-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f32>
tt.func @zero_folds(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  // FOLD-NEXT: tt.return %[[P]]
  %c = arith.constant 0 : i32
  %0 = tt.addptr %p, %c : !tt.ptr<f32>, i32
  tt.return %0 : !tt.ptr<f32>
}
