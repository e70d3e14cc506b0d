// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.bitcast round-trips for numbers and pointers; to its own type it folds, and chains merge.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>, %p: !tt.ptr<f32>) {
  // CHECK: tt.bitcast %{{.*}} : tensor<8xf32> -> tensor<8xi32>
  %0 = tt.bitcast %x : tensor<8xf32> -> tensor<8xi32>
  // CHECK: tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i8>
  %1 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  tt.return
}

// FOLD-LABEL: tt.func @same_type(
tt.func @same_type(%x: f32) -> f32 {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.bitcast %x : f32 -> f32
  tt.return %0 : f32
}

// FOLD-LABEL: tt.func @there_and_back(
tt.func @there_and_back(%x: f32) -> f32 {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.bitcast %x : f32 -> i32
  %1 = tt.bitcast %0 : i32 -> f32
  tt.return %1 : f32
}

// FOLD-LABEL: tt.func @chain(
tt.func @chain(%p: !tt.ptr<f32>) -> !tt.ptr<i8> {
  // FOLD-NEXT: tt.bitcast %arg0 : !tt.ptr<f32> -> !tt.ptr<i8>
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32>
  %1 = tt.bitcast %0 : !tt.ptr<i32> -> !tt.ptr<i8>
  tt.return %1 : !tt.ptr<i8>
}
