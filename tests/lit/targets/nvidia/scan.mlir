// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --num-warps 1 --emit ptx | FileCheck %s --check-prefix=ONE
// Scans: a run of each thread, the lanes in levels (here of two), the warps through shared memory.
// Both directions are the same code with the lanes counted from the other end.

// Four warps leave their totals in shared memory, and each thread reads the four at once.
// CHECK-LABEL: .entry forward(
// CHECK-COUNT-5: shfl.sync
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared.v4
// CHECK: ret;
// One warp keeps to itself.
// ONE-LABEL: .entry forward(
// ONE-COUNT-5: shfl.sync
// ONE-NOT: shared
// ONE: ret;
tt.func public @forward(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %o = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<1024xf32>) -> tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %o : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry backward(
// CHECK-COUNT-5: shfl.sync
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK: ret;
// ONE-LABEL: .entry backward(
// ONE-COUNT-5: shfl.sync
// ONE-NOT: shared
// ONE: ret;
tt.func public @backward(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %o = "tt.scan"(%v) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<1024xf32>) -> tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %o : tensor<1024x!tt.ptr<f32>>
  tt.return
}
