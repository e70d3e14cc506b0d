// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --num-warps 8 --num-stages 1 --emit ptx | FileCheck %s --check-prefix=ONE
// RUN: %each_kernel %s --target sm_80 --num-warps 8 --emit ptx | FileCheck %s --check-prefix=OLD
// Blocks of described tensors that loops multiply come by TMA, ahead of time, and groups of warps take turns.

// A warp waits until a buffer is free; its first thread says how many bytes come, and starts their copies; all wait for the bytes.
// A block of 128 rows of 64 halves is one box, as wide as the swizzle. A warp says when it has read.
// The barriers are made known to copies once, and to all threads before any of the first copies, which wait for nobody.
// At the end of the kernel they stay as they are.
// CHECK-LABEL: .entry product(
// CHECK: mbarrier.init
// CHECK-NOT: fence.proxy.async
// CHECK: mbarrier.init
// CHECK: fence.proxy.async.shared::cta;
// CHECK-NEXT: $L
// CHECK: bar.sync
// CHECK-NOT: {{bar.sync|mbarrier.try_wait}}
// CHECK: mbarrier.arrive.expect_tx.shared.b64
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK-NOT: bar.sync
// CHECK: mbarrier.try_wait
// CHECK-NOT: cp.async.cg
// CHECK: wgmma.wait_group.sync.aligned {{[ ]*}}1;
// CHECK: bar.warp.sync
// CHECK: mbarrier.arrive.shared.b64
// CHECK-NOT: mbarrier.inval
// CHECK: ret;

// With one stage nothing runs ahead, and blocks are loaded by pointers.
// ONE-LABEL: .entry product(
// ONE-NOT: cp.async.bulk
// ONE: ret;

// OLD-LABEL: .entry product(
// OLD: cp.async.cg.shared.global
// OLD: ret;
tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                        %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) : i32 {
    %p = tt.descriptor_load %x[%c0, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %q = tt.descriptor_load %y[%c0, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %t = tt.trans %q {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tt.dot %p, %t, %c : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c128 = arith.constant dense<128> : tensor<128x1xi32>
  %begin = arith.muli %rows, %c128 : tensor<128x1xi32>
  %b1 = tt.broadcast %begin : tensor<128x1xi32> -> tensor<128x128xi32>
  %b2 = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %at = arith.addi %b1, %b2 : tensor<128x128xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %to = tt.addptr %base, %at : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %to, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// Rows of 32-bit elements: the product is transposed, and each warp says that it has read what registers take, too.
// CHECK-LABEL: .entry rows(
// CHECK: mbarrier.arrive.expect_tx.shared.b64
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: mbarrier.try_wait
// CHECK: ld.shared.v2.b32
// CHECK: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32
// CHECK-NOT: wgmma.wait_group
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: ret;
tt.func public @rows(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                        %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f32>, <128x32xf32>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f32>, <32x128xf32>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) : i32 {
    %p = tt.descriptor_load %x[%c0, %k] : !tt.tensordesc<128x32xf32> -> tensor<128x32xf32>
    %t = tt.descriptor_load %y[%k, %c0] : !tt.tensordesc<32x128xf32> -> tensor<32x128xf32>
    %d = tt.dot %p, %t, %c, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x128xf32> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c128 = arith.constant dense<128> : tensor<128x1xi32>
  %begin = arith.muli %rows, %c128 : tensor<128x1xi32>
  %b1 = tt.broadcast %begin : tensor<128x1xi32> -> tensor<128x128xi32>
  %b2 = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %at = arith.addi %b1, %b2 : tensor<128x128xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %to = tt.addptr %base, %at : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %to, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// The second product needs the first: a group of warps passes the turn on when it has started that, and waits for it
// before this.
// CHECK-LABEL: .entry chain(
// CHECK: wgmma.mma_async
// CHECK: bar.arrive {{.*}}, 256;
// CHECK: wgmma.wait_group
// CHECK: bar.sync {{.*}}, 256;
// CHECK: wgmma.mma_async
// CHECK: bar.arrive {{.*}}, 256;
// CHECK: ret;
tt.func public @chain(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                      %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %q, [%n, %c64], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %k, [%n, %c64], [%pitch, %one] : <f16>, <128x64xf16>
  %first = tt.descriptor_load %x[%c0, %c0] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
  %sum = scf.for %i = %c0 to %n step %c128 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
    %p = tt.descriptor_load %y[%i, %c0] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %t = tt.trans %p {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %s = tt.dot %first, %t, %none : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    %h = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %v = tt.descriptor_load %y[%i, %c0] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %d = tt.dot %h, %v, %c : tensor<128x128xf16> * tensor<128x64xf16> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %width = arith.constant dense<64> : tensor<128x1xi32>
  %begin = arith.muli %rows, %width : tensor<128x1xi32>
  %b1 = tt.broadcast %begin : tensor<128x1xi32> -> tensor<128x64xi32>
  %b2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<128x64xi32>
  %at = arith.addi %b1, %b2 : tensor<128x64xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %to = tt.addptr %base, %at : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
  tt.store %to, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
