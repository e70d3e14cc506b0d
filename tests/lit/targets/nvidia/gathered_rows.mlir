// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s
// Rows whose numbers a loop loads are copied ahead of time, also where the numbers say which scores count: threads read
// them once, for the addresses and for the mask.

// CHECK-LABEL: .entry gathered(
// CHECK: ld.global.b32
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: cp.async.cg.shared.global
// CHECK: ret;
tt.func public @gathered(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %keys: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %table: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32) {
  %0 = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
  %1 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %2 = tt.expand_dims %1 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %3 = arith.constant dense<64> : tensor<16x1xi32>
  %4 = arith.muli %2, %3 : tensor<16x1xi32>
  %5 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %6 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %7 = tt.broadcast %4 : tensor<16x1xi32> -> tensor<16x64xi32>
  %8 = tt.broadcast %6 : tensor<1x64xi32> -> tensor<16x64xi32>
  %9 = arith.addi %7, %8 : tensor<16x64xi32>
  %10 = tt.splat %q : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %11 = tt.addptr %10, %9 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %12 = tt.load %11 : tensor<16x64x!tt.ptr<f16>>
  %13 = arith.constant 0 : i32
  %14 = arith.constant 1 : i32
  %15 = scf.for %16 = %13 to %count step %14 iter_args(%17 = %0) -> (tensor<16x64xf32>)  : i32 {
    %18 = arith.constant 32 : i32
    %19 = arith.muli %16, %18 : i32
    %20 = tt.addptr %table, %19 : !tt.ptr<i32>, i32
    %21 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %22 = tt.splat %20 : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %23 = tt.addptr %22, %21 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %24 = tt.load %23 : tensor<32x!tt.ptr<i32>>
    %25 = arith.constant dense<0> : tensor<32xi32>
    %26 = arith.cmpi sge, %24, %25 : tensor<32xi32>
    %27 = arith.constant dense<0> : tensor<32xi32>
    %28 = arith.select %26, %24, %27 : tensor<32xi1>, tensor<32xi32>
    %29 = tt.expand_dims %28 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %30 = arith.constant dense<64> : tensor<32x1xi32>
    %31 = arith.muli %29, %30 : tensor<32x1xi32>
    %32 = tt.splat %keys : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
    %33 = tt.addptr %32, %31 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
    %34 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %35 = tt.expand_dims %34 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %36 = tt.broadcast %35 : tensor<1x64xi32> -> tensor<32x64xi32>
    %37 = tt.broadcast %33 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
    %38 = tt.addptr %37, %36 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %39 = tt.expand_dims %26 {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
    %40 = tt.broadcast %39 : tensor<32x1xi1> -> tensor<32x64xi1>
    %41 = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %42 = tt.load %38, %40, %41 : tensor<32x64x!tt.ptr<f16>>
    %43 = tt.trans %42 {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
    %44 = tt.expand_dims %26 {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %45 = arith.constant dense<1.000000e+00> : tensor<16x32xf32>
    %46 = tt.dot %12, %43, %45 : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
    %47 = tt.broadcast %44 : tensor<1x32xi1> -> tensor<16x32xi1>
    %48 = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
    %49 = arith.select %47, %46, %48 : tensor<16x32xi1>, tensor<16x32xf32>
    %50 = arith.truncf %49 : tensor<16x32xf32> to tensor<16x32xf16>
    %51 = tt.dot %50, %42, %17 : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %51 : tensor<16x64xf32>
  } {tt.num_stages = 3 : i32}
  %52 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %53 = tt.expand_dims %52 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %54 = arith.constant dense<64> : tensor<16x1xi32>
  %55 = arith.muli %53, %54 : tensor<16x1xi32>
  %56 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %57 = tt.expand_dims %56 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %58 = tt.broadcast %55 : tensor<16x1xi32> -> tensor<16x64xi32>
  %59 = tt.broadcast %57 : tensor<1x64xi32> -> tensor<16x64xi32>
  %60 = arith.addi %58, %59 : tensor<16x64xi32>
  %61 = tt.splat %out : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %62 = tt.addptr %61, %60 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  tt.store %62, %15 : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
