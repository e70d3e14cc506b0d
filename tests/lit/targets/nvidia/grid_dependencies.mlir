// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=OLD
// A kernel waits for the launch ahead of it, and lets the next one begin, where the hardware can.

// Loads stay after the wait.
// CHECK-LABEL: .entry waits(
// CHECK: griddepcontrol.launch_dependents;
// CHECK-NOT: ld.global
// CHECK: griddepcontrol.wait;
// CHECK: ld.global
// CHECK-NOT: griddepcontrol
// CHECK: ret;
// OLD-LABEL: .entry waits(
// OLD-NOT: griddepcontrol
// OLD: ret;
tt.func public @waits(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  tt.grid_dependency_launch_dependents
  tt.grid_dependency_wait
  %v = tt.load %x : !tt.ptr<f32>
  tt.store %y, %v : !tt.ptr<f32>
  tt.return
}

// Where some programs do not wait, they do so before they end: whoever waits for this launch waits for
// those before it.
// CHECK-LABEL: .entry waits_seldom(
// CHECK-COUNT-2: griddepcontrol.wait;
// CHECK: ret;
tt.func public @waits_seldom(%x: !tt.ptr<f32>, %c: i1, %v: f32) {
  scf.if %c {
    tt.grid_dependency_wait
    tt.store %x, %v : !tt.ptr<f32>
  }
  tt.return
}
