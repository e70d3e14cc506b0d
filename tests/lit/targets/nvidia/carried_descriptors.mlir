// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --implicit-check-not=tensormap --implicit-check-not=cp.async.bulk
// RUN: env TL_TMA=1 %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --implicit-check-not=tensormap --implicit-check-not=cp.async.bulk
// RUN: %each_kernel %s --target sm_80 --emit ptx | FileCheck %s --implicit-check-not=tensormap --implicit-check-not=cp.async.bulk
// Descriptors that a loop carries or a branch chooses use pointers, with TL_TMA=1 too: which tensor
// TMA would need a map for is known only when the kernel runs.

// The base, the extents and the strides change hands in every iteration.
// CHECK-LABEL: .entry swapped(
// CHECK: [[LOOP:\$L[_A-Z0-9]+]]:
// CHECK: ld.global
// CHECK: bra{{.*}} [[LOOP]];
tt.func public @swapped(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                        %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                        %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %d = tt.make_tensor_descriptor %x, [%m], [%one] : <f32>, <64xf32>
  %e = tt.make_tensor_descriptor %y, [%n], [%one] : <f32>, <64xf32>
  %s:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d, %b = %e, %sum = %none)
      -> (!tt.tensordesc<64xf32>, !tt.tensordesc<64xf32>, tensor<64xf32>) : i32 {
    %v = tt.descriptor_load %a[%i] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    %next = arith.addf %sum, %v : tensor<64xf32>
    scf.yield %b, %a, %next : !tt.tensordesc<64xf32>, !tt.tensordesc<64xf32>, tensor<64xf32>
  }
  %p = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %r = tt.addptr %q, %p : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %r, %s#2 : tensor<64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry chosen(
// CHECK: selp
// CHECK: ld.global
// CHECK: ret;
tt.func public @chosen(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                       %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                       %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %c: i1) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %x, [%m], [%one] : <f32>, <64xf32>
  %e = tt.make_tensor_descriptor %y, [%n], [%one] : <f32>, <64xf32>
  %a = scf.if %c -> (!tt.tensordesc<64xf32>) {
    scf.yield %d : !tt.tensordesc<64xf32>
  } else {
    scf.yield %e : !tt.tensordesc<64xf32>
  }
  %v = tt.descriptor_load %a[%c0] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  %p = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %r = tt.addptr %q, %p : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %r, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
