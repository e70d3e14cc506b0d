// RUN: not %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Constants of which only the name stands in the text are refused.

// CHECK-LABEL: kernel resource
// CHECK-NEXT: kernel.py:3:4: error: the sm_90a target takes only dense tensor constants
tt.func public @resource(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %c = arith.constant dense_resource<blob> : tensor<4xi32> loc("kernel.py":3:4)
  tt.store %p, %c : tensor<4x!tt.ptr<i32>>
  tt.return
}

{-# dialect_resources: { builtin: { blob: "0x0400000001000000020000000300000004000000" } } #-}
