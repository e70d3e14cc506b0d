// RUN: not tlc compile %s --target sm_90a --emit ptx 2>&1 | FileCheck %s
// Formats of six bits are refused.

// CHECK: error: the sm_90a target does not know operands of 6 bits in tl::dot_scaled
tt.func public @six_bits(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %ar = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %as = tt.splat %x : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %ap = tt.addptr %as, %ar : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %af = tt.load %ap : tensor<1024x!tt.ptr<i8>>
  %a = tt.reshape %af : tensor<1024xi8> -> tensor<16x64xi8>
  %br = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %bs = tt.splat %y : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %br : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %bf = tt.load %bp : tensor<1024x!tt.ptr<i8>>
  %b = tt.reshape %bf : tensor<1024xi8> -> tensor<64x16xi8>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot_scaled %a, %b, %zero lhs = e2m3 rhs = e4m3 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xi8> -> tensor<16x16xf32>
  %df = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %or = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %os = tt.splat %z : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %or : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %df : tensor<256x!tt.ptr<f32>>
  tt.return
}
