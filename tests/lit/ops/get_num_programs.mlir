// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.get_num_programs reads, prints and reads again.

// CHECK-LABEL: tt.func @axes(
tt.func @axes() {
  // CHECK: %{{.*}} = tt.get_num_programs x : i32
  %0 = tt.get_num_programs x : i32
  // CHECK: %{{.*}} = tt.get_num_programs z : i32
  %1 = tt.get_num_programs z : i32
  tt.return
}
