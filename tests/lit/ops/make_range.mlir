// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.make_range round-trips; negative starts are legal; a range of one element folds.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip() {
  // CHECK: tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // CHECK: tt.make_range {end = 48 : i32, start = 16 : i32} : tensor<32xi32>
  %1 = tt.make_range {end = 48 : i32, start = 16 : i32} : tensor<32xi32>
  // CHECK: tt.make_range {end = 0 : i32, start = -8 : i32} : tensor<8xi32>
  %2 = tt.make_range {end = 0 : i32, start = -8 : i32} : tensor<8xi32>
  tt.return
}

// CHECK-LABEL: tt.func @one_element_folds(
tt.func @one_element_folds(%p: tensor<1x!tt.ptr<i32>>) {
  // FOLD: %[[C:.*]] = arith.constant dense<5> : tensor<1xi32>
  %0 = tt.make_range {end = 6 : i32, start = 5 : i32} : tensor<1xi32>
  tt.store %p, %0 : tensor<1x!tt.ptr<i32>>
  tt.return
}
