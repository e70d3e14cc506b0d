// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Addresses that would take more registers than there are, beside the 128 sums, are computed in the
// loop from what they have in common; a few stay outside.

// CHECK-LABEL: .entry many(
// CHECK: [[LOOP:\$L[_A-Z0-9]+]]:
// CHECK: mov.b64 %rd{{[0-9]+}}, %rd{{[0-9]+}};
// CHECK: s64 
// CHECK-COUNT-128: ld.global.b32
// CHECK: bra {{.*}}[[LOOP]];
tt.func public @many(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %stride: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %wide = arith.extsi %rows : tensor<128x1xi32> to tensor<128x1xi64>
  %strides = tt.splat %stride : i64 -> tensor<128x1xi64>
  %starts = arith.muli %wide, %strides : tensor<128x1xi64>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x1x!tt.ptr<f32>>
  %p = tt.addptr %xs, %starts : tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi64>
  %ps = tt.broadcast %p : tensor<128x1x!tt.ptr<f32>> -> tensor<128x128x!tt.ptr<f32>>
  %cs = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %q = tt.addptr %ps, %cs : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<128x128xi32>
    %at = tt.addptr %q, %is : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
    %v = tt.load %at : tensor<128x128x!tt.ptr<f32>>
    %t = arith.addf %s, %v : tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %c128 = arith.constant dense<128> : tensor<128x1xi32>
  %ro = arith.muli %rows, %c128 : tensor<128x1xi32>
  %rb = tt.broadcast %ro : tensor<128x1xi32> -> tensor<128x128xi32>
  %off = arith.addi %rb, %cs : tensor<128x128xi32>
  %o = tt.addptr %os, %off : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %o, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}
