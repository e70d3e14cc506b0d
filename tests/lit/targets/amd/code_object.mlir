// RUN: tlc compile %s --target gfx942 --emit hsaco -o %t && llvm-readelf -h --notes %t | FileCheck %s
// RUN: tlc compile %s --target gfx1201 --emit hsaco -o %t && llvm-readelf -h --notes %t | FileCheck %s --check-prefix=RDNA
// RUN: tlc compile %s --target gfx942 --emit hsaco -o %t && llvm-objdump -d %t | FileCheck %s --check-prefix=CODE
// RUN: tlc compile %s --target gfx942 --emit report | FileCheck %s --check-prefix=REPORT
// RUN: not tlc compile %s --target gfx942 --num-warps 32 2>&1 | FileCheck %s --check-prefix=WARPS
// A code object of version 5, which says where parameters lie, how many lanes a wave has, and how
// much LDS a program takes.

// CHECK: OS/ABI: AMDGPU - HSA
// CHECK: ABI Version: 3
// CHECK: gfx942
// CHECK: .offset: 0
// CHECK: .value_kind: global_buffer
// CHECK: .offset: 8
// CHECK: .offset: 16
// CHECK-NEXT: .size: 4
// CHECK-NEXT: .value_kind: by_value
// CHECK: .group_segment_fixed_size: 4096
// CHECK: .kernarg_segment_size: 20
// CHECK: .max_flat_workgroup_size: 256
// CHECK: .name: exchange
// CHECK: .private_segment_fixed_size: 0
// CHECK: .symbol: exchange.kd
// CHECK: .vgpr_spill_count: 0
// CHECK: .wavefront_size: 64
// RDNA: gfx1201
// RDNA: .max_flat_workgroup_size: 128
// RDNA: .wavefront_size: 32
// CODE: <exchange>:
// CODE: ds_write
// CODE: s_barrier
// CODE: s_endpgm
// REPORT: warps 4
// REPORT-NEXT: registers {{[1-9]}}
// REPORT-NEXT: scalar registers {{[1-9]}}
// REPORT-NEXT: spilled bytes 0
// REPORT-NEXT: shared bytes 4096
// REPORT-NEXT: occupancy 32 of 32 warps: 8 programs on a compute unit, limited by waves
// WARPS: num_warps must be a power of two from 1 to 16, found 32
tt.func public @exchange(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %i = tt.splat %n : i32 -> tensor<1024xi32>
  %j = arith.xori %r, %i : tensor<1024xi32>
  %w = tt.gather %v[%j] {axis = 0 : i32} : (tensor<1024xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %w : tensor<1024x!tt.ptr<f32>>
  tt.return
}
