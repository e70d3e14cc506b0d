// RUN: %each_kernel %s --target sm_90a --num-warps 4 --emit ptx | FileCheck %s
// Columns of a thread are compared with a number of each iteration by their distances from the first one, which are part of
// the instructions, instead of by a register for each of them.

// CHECK-LABEL: .entry columns(
// CHECK: max.s32 [[CLAMPED:%r[0-9]+]], %r{{[0-9]+}}, -1;
// CHECK: sub.s32 [[DISTANCE:%r[0-9]+]], [[CLAMPED]], %r{{[0-9]+}};
// CHECK: setp.{{[a-z]+}}.s32 %p{{[0-9]+}}, [[DISTANCE]], {{[0-9]+}};
// CHECK: setp.{{[a-z]+}}.s32 %p{{[0-9]+}}, [[DISTANCE]], {{[0-9]+}};
// CHECK: setp.{{[a-z]+}}.s32 %p{{[0-9]+}}, [[DISTANCE]], {{[0-9]+}};
// CHECK: setp.{{[a-z]+}}.s32 %p{{[0-9]+}}, [[DISTANCE]], {{[0-9]+}};
// CHECK: ret;
tt.func public @columns(%numbers: !tt.ptr<i32>, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %column = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %place = tt.addptr %at, %column : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %value = tt.load %place : tensor<1024x!tt.ptr<f32>>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %none) -> (tensor<1024xf32>) : i32 {
    %p = tt.addptr %numbers, %i : !tt.ptr<i32>, i32
    %number = tt.load %p : !tt.ptr<i32>
    %last = tt.splat %number : i32 -> tensor<1024xi32>
    %seen = arith.cmpi sle, %column, %last : tensor<1024xi32>
    %counted = arith.select %seen, %value, %none : tensor<1024xi1>, tensor<1024xf32>
    %next = arith.addf %s, %counted : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  tt.store %place, %sum : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// A number that is the same in all iterations is compared with columns as they are.
// CHECK-LABEL: .entry same_number(
// CHECK-NOT: max.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, -1;
// CHECK: ret;
tt.func public @same_number(%number: i32, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %column = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %place = tt.addptr %at, %column : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %value = tt.load %place : tensor<1024x!tt.ptr<f32>>
  %last = tt.splat %number : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %none) -> (tensor<1024xf32>) : i32 {
    %seen = arith.cmpi sle, %column, %last : tensor<1024xi32>
    %counted = arith.select %seen, %value, %none : tensor<1024xi1>, tensor<1024xf32>
    %next = arith.addf %s, %counted : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  tt.store %place, %sum : tensor<1024x!tt.ptr<f32>>
  tt.return
}
