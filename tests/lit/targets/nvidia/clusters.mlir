// RUN: %each_kernel %s --target sm_90a --num-ctas 2 --num-warps 4 --emit ttgir | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --num-ctas 2 --num-warps 4 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: %each_kernel %s --target sm_90a --num-ctas 2 --num-warps 8 --emit ttgir | FileCheck %s --check-prefix=EIGHT
// RUN: %each_kernel %s --target sm_90a --num-warps 4 --emit ptx | FileCheck %s --check-prefix=WHOLE
// RUN: %each_kernel %s --target sm_80 --num-ctas 2 --num-warps 4 --emit ptx | FileCheck %s --check-prefix=WHOLE
// A program of two blocks of threads: each brings half of the rows of what both multiply, for both.
// WHOLE-NOT: cluster_ctarank
// WHOLE-NOT: reqnctapercluster
// WHOLE-NOT: multicast

// All meet when barriers are there and before they go; warps of both blocks arrive when they have read. What one block
// alone reads it brings itself.
// CHECK-LABEL: @product
// CHECK-SAME: tt.blocks = 2 : i32
// CHECK: tt.make_tensor_descriptor {{.*}} {ttg.swizzle = 128 : i32} : <f16>, <128x64xf16>
// CHECK: tt.make_tensor_descriptor {{.*}} {tt.multicast = 2 : i32, ttg.swizzle = 128 : i32} : <f16>, <64x128xf16>
// CHECK: ttg.init_barrier %{{.*}}, 1 :
// CHECK: ttg.init_barrier %{{.*}}, 8 :
// CHECK: ttg.cluster_barrier
// CHECK: ttg.barrier_expect %{{.*}}, 32768
// CHECK: ttg.async_descriptor_load {{.*}} : !tt.tensordesc<128x64xf16>
// CHECK: ttg.async_descriptor_load {{.*}} {tt.multicast = 2 : i32} : !tt.tensordesc<64x128xf16>
// CHECK: scf.for
// CHECK: ttg.arrive_barrier {{.*}} {each_warp, tt.multicast = 2 : i32}
// CHECK: ttg.warp_group_dot_wait
// CHECK: ttg.cluster_barrier
// CHECK: ttg.local_dealloc

// Warps that start copies meet the other block's as well.
// EIGHT-LABEL: @product
// EIGHT: ttg.producer_warps
// EIGHT: ttg.join_warps
// EIGHT-NEXT: ttg.cluster_barrier
// EIGHT: ttg.cluster_barrier
// EIGHT: }
// EIGHT: ttg.init_barrier
// EIGHT: ttg.join_warps
// EIGHT: ttg.cluster_barrier
// EIGHT: ttg.cluster_barrier
// EIGHT: ttg.local_dealloc

// PTX-LABEL: .entry product(
// PTX: .reqnctapercluster 2
// PTX: barrier.cluster.arrive.release;
// PTX: barrier.cluster.wait.acquire;
// PTX: %cluster_ctarank
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [
// Addresses in shared memory have the number of the block above, where descriptors have other fields.
// PTX: shr.u32 %[[ADDRESS:.*]], %r{{.*}}, 4;
// PTX-NEXT: and.b32 %r{{.*}}, %[[ADDRESS]], 16320;
// PTX: mapa.shared::cluster.u32
// PTX: mbarrier.arrive.shared::cluster.b64
// PTX: barrier.cluster.arrive.release;
// PTX: ret;
tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %width = arith.constant 128 : i64
  %none = arith.constant dense<0.0> : tensor<256x128xf32>
  %kw = arith.extsi %k : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%m, %k], [%kw, %one] : <f16>, <256x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%m, %c128], [%width, %one] : <f32>, <256x128xf32>
  %p = tt.get_program_id x : i32
  %row = arith.muli %p, %c256 : i32
  %sum = scf.for %i = %zero to %k step %c64 iter_args(%acc = %none) -> (tensor<256x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<256x64xf16> -> tensor<256x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<256x64xf16> * tensor<64x128xf16> -> tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  } {tt.warp_specialize}
  tt.descriptor_store %dc[%row, %zero], %sum : !tt.tensordesc<256x128xf32>, tensor<256x128xf32>
  tt.return
}
