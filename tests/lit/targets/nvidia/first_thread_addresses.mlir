// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s
// What the first thread alone does with shared memory has addresses of its own, computed before the
// branch: else the assembler has no address in uniform registers, from which it computes the
// descriptors of wgmma (tests/ptxas/uniform_descriptors.py).

// CHECK-LABEL: .entry stores_each_tile(
// CHECK: mov.u32 [[THREAD:%r[0-9]+]], %tid.x;
// CHECK: add.u32 {{%r[0-9]+, %r[0-9]+}}, [[THREAD]];
// CHECK: @%p{{[0-9]+}} bra
// CHECK: mbarrier.init.shared.b64 [%rd{{[0-9]+}}],
// CHECK: mbarrier.init.shared.b64 [%rd{{[0-9]+}}+8],
// CHECK: wgmma.mma_async
// CHECK: add.u32 {{%r[0-9]+, %r[0-9]+}}, [[THREAD]];
// CHECK: @%p{{[0-9]+}} bra
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta{{.*}} [%r{{d?[0-9]+}}];
// CHECK: ret;
tt.func public @stores_each_tile(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %rows = arith.constant 128 : i32
  %depth = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <64x128xf16>
  %o = tt.make_tensor_descriptor %out, [%n, %n], [%pitch, %one] : <f16>, <128x128xf16>
  %first = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  scf.for %tile = %first to %n step %programs : i32 {
    %row = arith.muli %tile, %rows : i32
    %sum = scf.for %k = %zero to %n step %depth iter_args(%c = %none) -> (tensor<128x128xf32>) : i32 {
      %p = tt.descriptor_load %x[%row, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %p, %q, %c : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %narrow = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
    tt.descriptor_store %o[%row, %zero], %narrow : !tt.tensordesc<128x128xf16>, tensor<128x128xf16>
  } {tt.flatten, tt.warp_specialize}
  tt.return
}
