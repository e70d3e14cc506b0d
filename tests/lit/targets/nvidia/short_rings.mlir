// RUN: tlc compile %s --entry small --num-warps 4 --num-stages 3 --target sm_90a --emit ttgir | FileCheck %s --check-prefix=BESIDE
// RUN: tlc compile %s --entry small --num-warps 4 --num-stages 6 --target sm_90a --emit ttgir | FileCheck %s --check-prefix=ALONE
// RUN: tlc compile %s --entry large --num-warps 8 --num-stages 4 --target sm_90a --emit ttgir | FileCheck %s --check-prefix=ROOM
// RUN: tlc compile %s --entry large --num-warps 8 --num-stages 3 --target sm_90a --emit ttgir | FileCheck %s --check-prefix=LONG
// How many buffers there are of blocks that TMA brings for products that stay in flight: one for each stage, if the one more for the
// product in flight would keep a second program out, or if as many iterations ahead would not fit with it.

// BESIDE-DAG: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x128x64xf16
// BESIDE-DAG: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<3x64x128xf16
// What copies waits until the products of the iteration before have read.
// BESIDE: scf.for
// BESIDE: ttg.wait_barrier
// BESIDE: ttg.warp_group_dot
// BESIDE: ttg.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// BESIDE: ttg.arrive_barrier
// BESIDE: ttg.wait_barrier
// BESIDE: ttg.async_descriptor_load

// One program has room, however many buffers there are.
// ALONE-DAG: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<7x128x64xf16
tt.func public @small(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %s = arith.extsi %n : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%n, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<128x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%n, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x128xf16>>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%c0, %k] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%k, %c0] : !tt.tensordesc<tensor<64x128xf16>> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %w = arith.constant dense<128> : tensor<128x1xi32>
  %rw = arith.muli %r1, %w : tensor<128x1xi32>
  %ra = tt.broadcast %rw : tensor<128x1xi32> -> tensor<128x128xi32>
  %rb = tt.broadcast %r0 : tensor<1x128xi32> -> tensor<128x128xi32>
  %o = arith.addi %ra, %rb : tensor<128x128xi32>
  %ps = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %p = tt.addptr %ps, %o : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// Four buffers have room: copies are three iterations ahead, or two.
// ROOM: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<4x
// ROOM-COUNT-6: ttg.async_descriptor_load
// ROOM-NOT: ttg.async_descriptor_load
// ROOM: ttg.warp_group_dot
// LONG: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<4x
// LONG-COUNT-4: ttg.async_descriptor_load
// LONG-NOT: ttg.async_descriptor_load
// LONG: ttg.warp_group_dot
tt.func public @large(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %s = arith.extsi %n : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%n, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<128x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%n, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x256xf16>>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) : i32 {
    %x = tt.descriptor_load %da[%c0, %k] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%k, %c0] : !tt.tensordesc<tensor<64x256xf16>> -> tensor<64x256xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %ps = tt.splat %c : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>>
  tt.store %ps, %sum : tensor<128x256x!tt.ptr<f32>>
  tt.return
}
