// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=COPIES
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

// What lets the next kernel begin does not pass the wait.
// CHECK-LABEL: .entry lets_begin_later(
// CHECK: griddepcontrol.wait;
// CHECK: griddepcontrol.launch_dependents;
// CHECK: ret;
tt.func public @lets_begin_later(%x: !tt.ptr<f32>, %v: f32) {
  tt.grid_dependency_wait
  tt.grid_dependency_launch_dependents
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}

// The barriers of copies are made before the wait, the copies are started after it.
// COPIES-LABEL: .entry copies(
// COPIES: mbarrier.init
// COPIES: griddepcontrol.wait;
// COPIES: cp.async.bulk.tensor
tt.func public @copies(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}) {
  tt.grid_dependency_wait
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <64x64xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <64x64xf16>
  %sum = scf.for %k = %zero to %n step %block iter_args(%c = %none) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %x[%zero, %k] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %q, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
