// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.ptr_to_int round-trips; of tt.int_to_ptr it is the integer.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%p: !tt.ptr<f32>) {
  // CHECK: tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  tt.return
}

// FOLD-LABEL: tt.func @of_int_to_ptr(
tt.func @of_int_to_ptr(%i: i64) -> i64 {
  // FOLD-NEXT: tt.return %arg0
  %0 = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %1 = tt.ptr_to_int %0 : !tt.ptr<f32> -> i64
  tt.return %1 : i64
}
