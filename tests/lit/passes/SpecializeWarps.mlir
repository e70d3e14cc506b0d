// RUN: tl-opt --specialize-warps %s | FileCheck %s
// Copies by TMA become the work of warps of their own, with the loops and conditions around them.

#rows = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#one = #ttg.shared<rows [1], order = [0]>
module attributes {ttg.gpu = #ttg.gpu<warps = 8, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// The others keep their waits, and what the copies alone needed goes.
// CHECK-LABEL: @asked
// CHECK: %[[BARRIERS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64
// CHECK: %[[RING:.*]] = ttg.local_alloc {ordered}
// CHECK: ttg.init_barrier
// CHECK: ttg.init_barrier
// CHECK-NEXT: ttg.join_warps
// CHECK-NEXT: ttg.producer_warps attributes {others = 240 : i32, registers = 24 : i32} {
// CHECK-NOT: ttg.join_warps
// CHECK: tt.make_tensor_descriptor
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[AT:.*]] = %{{.*}}) -> (i32)
// CHECK: scf.if
// CHECK: %[[FREE:.*]] = ttg.memdesc_index %[[BARRIERS]]
// CHECK: ttg.wait_barrier %[[FREE]], %{{.*}} {one_warp}
// CHECK: ttg.barrier_expect
// CHECK: %[[TO:.*]] = ttg.memdesc_index %[[RING]][%[[AT]]]
// CHECK: ttg.async_descriptor_load %{{.*}}, %[[TO]]
// CHECK-NOT: tt.store
// CHECK: scf.yield
// CHECK-NOT: ttg.init_barrier
// CHECK-NOT: ttg.join_warps
// CHECK-NOT: tt.make_tensor_descriptor
// CHECK-NOT: one_warp
// CHECK: scf.for
// CHECK: ttg.wait_barrier
// CHECK-NOT: ttg.barrier_expect
// CHECK-NOT: ttg.async_descriptor_load
// CHECK: tt.store
// CHECK: ttg.inval_barrier
// CHECK: ttg.inval_barrier
// CHECK: ttg.local_dealloc
tt.func public @asked(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32>, %rows: i32, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %d = tt.make_tensor_descriptor %x, [%rows, %c64], [%wide, %unit] {ttg.swizzle = 128 : i32} : <f16>, <64x64xf16>
  %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #one>
  %full = ttg.memdesc_index %barriers[%c0] : !ttg.memdesc<2x1xi64, #one> -> !ttg.memdesc<1xi64, #one>
  ttg.init_barrier %full, 1 : !ttg.memdesc<1xi64, #one>
  %empty = ttg.memdesc_index %barriers[%c1] : !ttg.memdesc<2x1xi64, #one> -> !ttg.memdesc<1xi64, #one>
  ttg.init_barrier %empty, 8 : !ttg.memdesc<1xi64, #one>
  %ring = ttg.local_alloc {ordered} : () -> !ttg.memdesc<2x64x64xf16, #rows>
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%at = %c0, %sum = %c1) -> (i32, i32) : i32 {
    %more = arith.cmpi slt, %i, %rows : i32
    %turn = arith.andi %i, %c1 : i32
    scf.if %more {
      %free = ttg.memdesc_index %barriers[%c1] : !ttg.memdesc<2x1xi64, #one> -> !ttg.memdesc<1xi64, #one>
      ttg.wait_barrier %free, %turn {one_warp} : !ttg.memdesc<1xi64, #one>
      %filled = ttg.memdesc_index %barriers[%c0] : !ttg.memdesc<2x1xi64, #one> -> !ttg.memdesc<1xi64, #one>
      ttg.barrier_expect %filled, 8192 : !ttg.memdesc<1xi64, #one>
      %to = ttg.memdesc_index %ring[%at] : !ttg.memdesc<2x64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #rows>
      ttg.async_descriptor_load %d[%i, %c0], %to, %filled : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #rows>, !ttg.memdesc<1xi64, #one>
    }
    ttg.wait_barrier %full, %turn : !ttg.memdesc<1xi64, #one>
    %next = arith.subi %c1, %at : i32
    %grown = arith.addi %sum, %sum : i32
    tt.store %y, %grown : !tt.ptr<i32>
    ttg.arrive_barrier %empty, 1 {each_warp} : !ttg.memdesc<1xi64, #one>
    scf.yield %next, %grown : i32, i32
  } {tt.warp_specialize}
  ttg.inval_barrier %full : !ttg.memdesc<1xi64, #one>
  ttg.inval_barrier %empty : !ttg.memdesc<1xi64, #one>
  ttg.local_dealloc %barriers : !ttg.memdesc<2x1xi64, #one>
  ttg.local_dealloc %ring : !ttg.memdesc<2x64x64xf16, #rows>
  tt.return
}

// What an atomic operation acquires was there before it was read, by copies as well: producers join behind it.
// CHECK-LABEL: @acquired_before
// CHECK: ttg.producer_warps
// CHECK-NEXT: arith.constant
// CHECK: ttg.join_warps
// CHECK: ttg.async_descriptor_load
// CHECK: tt.atomic_rmw
// CHECK: ttg.init_barrier
// CHECK: ttg.join_warps
tt.func public @acquired_before(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %flag: !tt.ptr<i32>, %rows: i32, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %true = arith.constant true
  %d = tt.make_tensor_descriptor %x, [%rows, %c64], [%wide, %unit] {ttg.swizzle = 128 : i32} : <f16>, <64x64xf16>
  %seen = tt.atomic_rmw add, acquire, gpu, %flag, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #one>
  %full = ttg.memdesc_index %barriers[%c0] : !ttg.memdesc<2x1xi64, #one> -> !ttg.memdesc<1xi64, #one>
  ttg.init_barrier %full, 1 : !ttg.memdesc<1xi64, #one>
  %ring = ttg.local_alloc {ordered} : () -> !ttg.memdesc<2x64x64xf16, #rows>
  scf.for %i = %c0 to %count step %c1 : i32 {
    ttg.barrier_expect %full, 8192 : !ttg.memdesc<1xi64, #one>
    %to = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #rows>
    ttg.async_descriptor_load %d[%i, %c0], %to, %full : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #rows>, !ttg.memdesc<1xi64, #one>
    ttg.wait_barrier %full, %c0 : !ttg.memdesc<1xi64, #one>
  } {tt.warp_specialize}
  tt.return
}

// One thread cannot compute where the copy begins: it follows from a tensor.
// CHECK-LABEL: @follows_from_a_tensor
// CHECK-NOT: ttg.producer_warps
// CHECK-NOT: ttg.join_warps
// CHECK: ttg.async_descriptor_load
tt.func public @follows_from_a_tensor(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32, %count: i32, %places: tensor<1xi32, #ttg.layout<blocked [1], registers = [1], lanes = [32], warps = [8], order = [0]>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %place = tt.unsplat %places : tensor<1xi32, #ttg.layout<blocked [1], registers = [1], lanes = [32], warps = [8], order = [0]>>
  %d = tt.make_tensor_descriptor %x, [%rows, %c64], [%wide, %unit] {ttg.swizzle = 128 : i32} : <f16>, <64x64xf16>
  %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #one>
  ttg.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #one>
  %to = ttg.local_alloc {ordered} : () -> !ttg.memdesc<64x64xf16, #rows>
  scf.for %i = %c0 to %count step %c1 : i32 {
    ttg.barrier_expect %barrier, 8192 : !ttg.memdesc<1xi64, #one>
    ttg.async_descriptor_load %d[%place, %c0], %to, %barrier : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #rows>, !ttg.memdesc<1xi64, #one>
    ttg.wait_barrier %barrier, %c0 : !ttg.memdesc<1xi64, #one>
  } {tt.warp_specialize}
  tt.return
}

// What the others have written, a producer would have to wait for.
// CHECK-LABEL: @written_before
// CHECK-NOT: ttg.producer_warps
// CHECK: ttg.async_descriptor_load
tt.func public @written_before(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32, %count: i32, %value: f16) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %d = tt.make_tensor_descriptor %x, [%rows, %c64], [%wide, %unit] {ttg.swizzle = 128 : i32} : <f16>, <64x64xf16>
  tt.store %x, %value : !tt.ptr<f16>
  %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #one>
  ttg.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #one>
  %to = ttg.local_alloc {ordered} : () -> !ttg.memdesc<64x64xf16, #rows>
  scf.for %i = %c0 to %count step %c1 : i32 {
    ttg.barrier_expect %barrier, 8192 : !ttg.memdesc<1xi64, #one>
    ttg.async_descriptor_load %d[%i, %c0], %to, %barrier : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #rows>, !ttg.memdesc<1xi64, #one>
    ttg.wait_barrier %barrier, %c0 : !ttg.memdesc<1xi64, #one>
  } {tt.warp_specialize}
  tt.return
}

// Nobody asks for it, and a second program has room.
// CHECK-LABEL: @not_asked
// CHECK-NOT: ttg.producer_warps
// CHECK: ttg.async_descriptor_load
tt.func public @not_asked(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %d = tt.make_tensor_descriptor %x, [%rows, %c64], [%wide, %unit] {ttg.swizzle = 128 : i32} : <f16>, <64x64xf16>
  %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #one>
  ttg.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #one>
  %to = ttg.local_alloc {ordered} : () -> !ttg.memdesc<64x64xf16, #rows>
  scf.for %i = %c0 to %count step %c1 : i32 {
    ttg.barrier_expect %barrier, 8192 : !ttg.memdesc<1xi64, #one>
    ttg.async_descriptor_load %d[%i, %c0], %to, %barrier : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #rows>, !ttg.memdesc<1xi64, #one>
    ttg.wait_barrier %barrier, %c0 : !ttg.memdesc<1xi64, #one>
  }
  tt.return
}
}
