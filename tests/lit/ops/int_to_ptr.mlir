// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.int_to_ptr round-trips; of tt.ptr_to_int it is a bitcast, of an address plus a constant an addptr.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%i: i64, %is: tensor<8xi64>) {
  // CHECK: tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
  %0 = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  // CHECK: tt.int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tt.ptr<f32>>
  %1 = tt.int_to_ptr %is : tensor<8xi64> -> tensor<8x!tt.ptr<f32>>
  tt.return
}

// FOLD-LABEL: tt.func @of_ptr_to_int(
tt.func @of_ptr_to_int(%p: !tt.ptr<f32>) -> !tt.ptr<i32> {
  // FOLD: tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i32>
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<i32>
  tt.return %1 : !tt.ptr<i32>
}

// FOLD-LABEL: tt.func @bytes_become_elements(
tt.func @bytes_become_elements(%a: i64) -> !tt.ptr<f32> {
  // FOLD: %[[C:.*]] = arith.constant 16 : i64
  // FOLD: %[[P:.*]] = tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
  // FOLD: tt.addptr %[[P]], %[[C]] : !tt.ptr<f32>, i64
  %c = arith.constant 64 : i64
  %0 = arith.addi %a, %c : i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  tt.return %1 : !tt.ptr<f32>
}

// FOLD-LABEL: tt.func @odd_bytes_stay(
tt.func @odd_bytes_stay(%a: i64) -> !tt.ptr<f32> {
  // FOLD: arith.addi
  // FOLD: tt.int_to_ptr
  %c = arith.constant 6 : i64
  %0 = arith.addi %a, %c : i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  tt.return %1 : !tt.ptr<f32>
}
