// RUN: %each_kernel %s --target sm_90a --num-warps 1 --emit ptx | FileCheck %s
// A program gets more warps than it was asked to have where a tensor does not fit into its threads.

// CHECK-LABEL: kernel fits
// CHECK: .reqntid 32
tt.func public @fits(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16384 : i32, start = 0 : i32} : tensor<16384xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
  %v = tt.load %p : tensor<16384x!tt.ptr<f32>>
  tt.store %p, %v : tensor<16384x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: kernel is_larger
// CHECK: .reqntid 256
tt.func public @is_larger(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32768 : i32, start = 0 : i32} : tensor<32768xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<32768x!tt.ptr<f32>>, tensor<32768xi32>
  %v = tt.load %p : tensor<32768x!tt.ptr<f32>>
  tt.store %p, %v : tensor<32768x!tt.ptr<f32>>
  tt.return
}
