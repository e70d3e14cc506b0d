// RUN: tl-opt %s | tl-opt | FileCheck %s
// What kernels take from other dialects is read: assumptions, poison, loops with hints, and barriers of earlier releases.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%c: i1, %n: i32) {
  // CHECK: llvm.intr.assume %{{.*}} : i1
  llvm.intr.assume %c : i1
  // CHECK: ub.poison : tensor<8xf32>
  %0 = ub.poison : tensor<8xf32>
  // CHECK: gpu.barrier
  gpu.barrier
  // CHECK: {tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.num_stages = 3 : i32, tt.loop_unroll_factor = 2 : i32, tt.flatten}
  // CHECK: {tt.disallow_acc_multi_buffer}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.disallow_acc_multi_buffer}
  tt.return
}
