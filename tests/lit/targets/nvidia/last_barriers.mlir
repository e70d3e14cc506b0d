// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s
// Barriers in shared memory at the beginning and the end of a kernel.

// They stay as they are, and what is stored does not lie where they are: it takes the first 64 KB.
// CHECK-LABEL: .entry stores_a_block(
// CHECK: add.s32 %r{{.*}}, 65536;
// CHECK: mbarrier.init.shared.b64
// CHECK-NOT: mbarrier.inval
// CHECK: ret;
tt.func public @stores_a_block(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x32xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <32x128xf16>
  %sum = scf.for %k = %zero to %n step %block iter_args(%c = %none) -> (tensor<128x128xf32>) : i32 {
    %p = tt.descriptor_load %x[%zero, %k] : !tt.tensordesc<128x32xf16> -> tensor<128x32xf16>
    %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<32x128xf16> -> tensor<32x128xf16>
    %d = tt.dot %p, %q, %c : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  } {tt.num_stages = 2 : i32}
  %o = tt.make_tensor_descriptor %out, [%n, %n], [%pitch, %one] : <f32>, <128x128xf32>
  tt.descriptor_store %o[%zero, %zero], %sum : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  tt.return
}

// Where the kernel may come to them again, they are made again.
// CHECK-LABEL: .entry begins_again(
// CHECK: mbarrier.init
// CHECK: mbarrier.inval
// CHECK: ret;
tt.func public @begins_again(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %block = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x32xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <32x128xf16>
  cf.br ^loop(%zero, %none : i32, tensor<128x128xf32>)
^loop(%t: i32, %acc: tensor<128x128xf32>):
  %sum = scf.for %k = %zero to %n step %block iter_args(%c = %acc) -> (tensor<128x128xf32>) : i32 {
    %p = tt.descriptor_load %x[%zero, %k] : !tt.tensordesc<128x32xf16> -> tensor<128x32xf16>
    %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<32x128xf16> -> tensor<32x128xf16>
    %d = tt.dot %p, %q, %c : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %t2 = arith.addi %t, %c1 : i32
  %go = arith.cmpi slt, %t2, %c3 : i32
  cf.cond_br %go, ^loop(%t2, %sum : i32, tensor<128x128xf32>), ^end
^end:
  %o = tt.make_tensor_descriptor %out, [%n, %n], [%pitch, %one] : <f32>, <128x128xf32>
  tt.descriptor_store %o[%zero, %zero], %sum : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  tt.return
}

// Where no warps of their own can start the copies, all threads meet once before them as elsewhere.
// CHECK-LABEL: .entry cannot_be_specialised(
// CHECK: mbarrier.init
// CHECK: bar.sync
// CHECK-NOT: bar.sync
// CHECK: cp.async.bulk.tensor
// CHECK-NOT: bar.sync
// CHECK: wgmma.wait_group
tt.func public @cannot_be_specialised(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <64x128xf16>
  %bound0 = tt.load %out : !tt.ptr<f32>
  %bound = arith.fptosi %bound0 : f32 to i32
  %sum = scf.for %k = %zero to %bound step %block iter_args(%c = %none) -> (tensor<128x128xf32>) : i32 {
    %p = tt.descriptor_load %x[%zero, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %p, %q, %c : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  } {tt.warp_specialize}
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// Barriers that last until the end do not keep the memory of the rings: what is stored after the loop lies there, though
// both together have no room, and warps of their own bring the blocks.
// CHECK-LABEL: .entry ring_before_result(
// CHECK: setmaxnreg.dec
// CHECK: cp.async.bulk.tensor.2d.shared
// CHECK: setmaxnreg.inc
// CHECK: stmatrix
// CHECK: ret;
tt.func public @ring_before_result(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<128x256xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <64x256xf16>
  %o = tt.make_tensor_descriptor %out, [%n, %n], [%pitch, %one] : <f16>, <128x256xf16>
  %sum = scf.for %k = %zero to %n step %block iter_args(%c = %none) -> (tensor<128x256xf32>) : i32 {
    %p = tt.descriptor_load %x[%zero, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<64x256xf16> -> tensor<64x256xf16>
    %d = tt.dot %p, %q, %c : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  } {tt.num_stages = 4 : i32, tt.warp_specialize}
  %r = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xf16>
  tt.descriptor_store %o[%zero, %zero], %r : !tt.tensordesc<128x256xf16>, tensor<128x256xf16>
  tt.return
}
