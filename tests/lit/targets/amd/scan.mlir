// RUN: tlc compile %s --target gfx1100 --emit amdgcn | FileCheck %s
// The axis lies across the warps, an element in each: totals of them would be all elements, more
// than the LDS has. So the elements change places, one operand after the other.

// CHECK: .amdhsa_group_segment_fixed_size 3{{[0-9][0-9][0-9][0-9]$}}
tt.func public @columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %row = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %pitch = arith.constant dense<128> : tensor<64x1xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %begins = arith.muli %rows, %pitch : tensor<64x1xi32>
  %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %a = tt.broadcast %begins : tensor<64x1xi32> -> tensor<64x128xi32>
  %b = tt.broadcast %columns : tensor<1x128xi32> -> tensor<64x128xi32>
  %at = arith.addi %a, %b : tensor<64x128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
  %v = tt.load %xp : tensor<64x128x!tt.ptr<f32>>
  %w = arith.mulf %v, %v : tensor<64x128xf32>
  %u = arith.addf %v, %v : tensor<64x128xf32>
  %s:3 = "tt.scan"(%v, %w, %u) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%p: f32, %q: f32, %r: f32, %k: f32, %l: f32, %m: f32):
    %f = arith.mulf %p, %k : f32
    %g = arith.addf %q, %l : f32
    %h = arith.maximumf %r, %m : f32
    tt.scan.return %f, %g, %h : f32, f32, f32
  }) : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>)
  %z = arith.addf %s#0, %s#1 : tensor<64x128xf32>
  %o = arith.addf %z, %s#2 : tensor<64x128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %at : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
  tt.store %yp, %o : tensor<64x128x!tt.ptr<f32>>
  tt.return
}
