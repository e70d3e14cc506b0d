// RUN: tlc compile %s --target sm_90a --emit ptx | FileCheck %s
// RUN: env TL_TMA=1 tlc compile %s --target sm_90a --emit ptx | FileCheck %s
// RUN: env TL_TMA=1 tlc compile %s --target sm_100a --emit ptx | FileCheck %s
// A box that is under way beside a large product is more than shared memory holds: by pointers it fits.
// CHECK-LABEL: .entry full(
// CHECK-NOT: cp.async.bulk
// CHECK: ret;
tt.func public @full(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %s = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %o, [%m, %n], [%s, %one] : <f32>, <128x128xf32>
  %bias = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<128x128xf32> -> tensor<128x128xf32>
  %pi = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %pj = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %fi = arith.sitofp %pi : tensor<128xi32> to tensor<128xf32>
  %ei = tt.expand_dims %fi {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
  %fj = arith.sitofp %pj : tensor<256xi32> to tensor<256xf32>
  %ej = tt.expand_dims %fj {axis = 0 : i32} : tensor<256xf32> -> tensor<1x256xf32>
  %bi = tt.broadcast %ei : tensor<128x1xf32> -> tensor<128x128xf32>
  %bj = tt.broadcast %ej : tensor<1x256xf32> -> tensor<128x256xf32>
  %z = arith.constant dense<0.0> : tensor<128x256xf32>
  %dot = tt.dot %bi, %bj, %z, inputPrecision = ieee : tensor<128x128xf32> * tensor<128x256xf32> -> tensor<128x256xf32>
  %r = "tt.reduce"(%dot) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %y = arith.addf %p, %q : f32
    tt.reduce.return %y : f32
  }) : (tensor<128x256xf32>) -> tensor<128xf32>
  %g = tt.expand_dims %r {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
  %h = tt.broadcast %g : tensor<128x1xf32> -> tensor<128x128xf32>
  %w = arith.addf %h, %bias : tensor<128x128xf32>
  %e = tt.make_tensor_descriptor %a, [%m, %n], [%s, %one] : <f32>, <128x128xf32>
  tt.descriptor_store %e[%c0, %c0], %w : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  tt.return
}
