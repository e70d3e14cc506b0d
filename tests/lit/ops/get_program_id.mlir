// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.get_program_id reads, prints and reads again for every axis.

// CHECK-LABEL: tt.func @axes(
tt.func @axes() {
  // CHECK: %{{.*}} = tt.get_program_id x : i32
  %0 = tt.get_program_id x : i32
  // CHECK: %{{.*}} = tt.get_program_id y : i32
  %1 = tt.get_program_id y : i32
  // CHECK: %{{.*}} = tt.get_program_id z : i32
  %2 = tt.get_program_id z : i32
  tt.return
}
