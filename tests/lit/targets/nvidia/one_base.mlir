// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Accesses that are a constant apart have one base, however their offsets are put together.

// Eight floats of a thread are two accesses of 16 bytes.
// CHECK-LABEL: .entry rows(
// CHECK-COUNT-1: ld.global.v4.b32 {{{.*}}}, [[[X:%rd[0-9]+]]];
// CHECK: ld.global.v4.b32 {{{.*}}}, [[[X]]+16];
// CHECK: ret;
tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i64 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %wide = arith.extsi %r : tensor<1024xi32> to tensor<1024xi64>
  %block = arith.constant 1024 : i64
  %first = arith.muli %n, %block : i64
  %firsts = tt.splat %first : i64 -> tensor<1024xi64>
  %at = arith.addi %firsts, %wide : tensor<1024xi64>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi64>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %at : tensor<1024x!tt.ptr<f16>>, tensor<1024xi64>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %h = arith.truncf %v : tensor<1024xf32> to tensor<1024xf16>
  tt.store %yp, %h : tensor<1024x!tt.ptr<f16>>
  tt.return
}
