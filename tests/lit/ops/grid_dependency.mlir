// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize --cse %s | FileCheck %s
// tt.grid_dependency_wait and tt.grid_dependency_launch_dependents round-trip and are never dropped.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip() {
  // CHECK: tt.grid_dependency_wait
  tt.grid_dependency_wait
  // CHECK-NEXT: tt.grid_dependency_launch_dependents
  tt.grid_dependency_launch_dependents
  tt.return
}
