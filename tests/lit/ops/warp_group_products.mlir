// RUN: tl-opt %s | tl-opt | FileCheck %s
// Products of groups of warps, their waits and fences, and memory whose accesses are ordered, are printed as they are
// read.

#a = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#b = #ttg.shared<hardware_swizzled [64, 32], bits = 16, bytes = 64, order = [1, 0]>
#d = #ttg.layout<wgmma [64, 32], n = 16, warps = [4, 2]>
#r = #ttg.layout<blocked [64, 64], registers = [1, 8], lanes = [4, 8], warps = [8, 1], order = [1, 0]>

// CHECK-LABEL: @from_memory
// CHECK: %[[D:.*]] = ttg.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} {instruction = array<i32: 64, 16, 16>, warps = array<i32: 4, 2>} : !ttg.memdesc<64x64xf16, #{{.*}}>, !ttg.memdesc<64x32xf16, #{{.*}}> -> tensor<64x32xf32, #
// CHECK: %[[E:.*]]:2 = ttg.warp_group_dot_wait %[[D]], %{{.*}} {pendings = 1 : i32} : tensor<64x32xf32, #{{.*}}>, tensor<64x32xf32, #
// CHECK: ttg.warp_group_dot_wait %[[E]]#0 {pendings = 0 : i32} : tensor<64x32xf32
tt.func @from_memory(%a: !ttg.memdesc<64x64xf16, #a>, %b: !ttg.memdesc<64x32xf16, #b>, %c: tensor<64x32xf32, #d>) {
  %d = ttg.warp_group_dot %a, %b, %c {instruction = array<i32: 64, 16, 16>, warps = array<i32: 4, 2>}
    : !ttg.memdesc<64x64xf16, #a>, !ttg.memdesc<64x32xf16, #b> -> tensor<64x32xf32, #d>
  %e:2 = ttg.warp_group_dot_wait %d, %c {pendings = 1 : i32} : tensor<64x32xf32, #d>, tensor<64x32xf32, #d>
  %f = ttg.warp_group_dot_wait %e#0 {pendings = 0 : i32} : tensor<64x32xf32, #d>
  tt.return
}

// CHECK-LABEL: @from_registers
// CHECK: ttg.warp_group_dot %{{.*}} : tensor<64x64xf16, #{{.*}}>, !ttg.memdesc<64x32xf16
tt.func @from_registers(%a: tensor<64x64xf16, #r>, %b: !ttg.memdesc<64x32xf16, #b>, %c: tensor<64x32xf32, #d>) {
  %d = ttg.warp_group_dot %a, %b, %c {instruction = array<i32: 64, 16, 16>, warps = array<i32: 4, 2>}
    : tensor<64x64xf16, #r>, !ttg.memdesc<64x32xf16, #b> -> tensor<64x32xf32, #d>
  tt.return
}

// CHECK-LABEL: @ordered
// CHECK: %[[M:.*]] = ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16
// CHECK: ttg.fence_async_shared
// CHECK: ttg.local_dealloc %[[M]] : !ttg.memdesc<3x64x64xf16
tt.func @ordered() {
  %m = ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16, #a>
  ttg.fence_async_shared
  ttg.local_dealloc %m : !ttg.memdesc<3x64x64xf16, #a>
  tt.return
}
