// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx950 --emit amdgcn | FileCheck %s --check-prefix=PACKED
// RUN: %each_kernel %s --target gfx1100 --emit amdgcn | FileCheck %s --check-prefix=RDNA
// RUN: %each_kernel %s --target gfx1201 --emit amdgcn | FileCheck %s --check-prefix=PACKED
// RUN: %each_kernel %s --target gfx90a --emit amdgcn | FileCheck %s --check-prefix=CDNA2
// Atomics: the order and scope of the program, no answer where nobody asks for one, and instructions
// for floats on the memory of the GPU.

// CHECK-LABEL: {{^}}unused:
// CHECK-NOT: buffer_
// CHECK: global_atomic_add v{{[0-9]+}}, v{{[0-9]+}}, s[{{[0-9:]+}}]{{$}}
// CHECK: s_endpgm
tt.func public @unused(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %o = tt.atomic_rmw add, relaxed, gpu, %p, %r : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>) -> tensor<256xi32>
  tt.return
}

// What is acquired and released is that of the whole system.
// CHECK-LABEL: {{^}}used:
// CHECK: buffer_wbl2 sc0 sc1
// CHECK: global_atomic_add {{.*}} sc0 sc1
// CHECK: buffer_inv sc0 sc1
// CHECK: s_endpgm
tt.func public @used(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %o = tt.atomic_rmw add, acq_rel, sys, %p, %r : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>) -> tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %q = tt.addptr %ys, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %q, %o : tensor<256x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: {{^}}floats:
// CHECK: global_atomic_add_f32
// CHECK-NOT: cmpswap
// CHECK: s_endpgm
// RDNA-LABEL: {{^}}floats:
// RDNA: global_atomic_add_f32
// RDNA-NOT: cmpswap
// RDNA: s_endpgm
tt.func public @floats(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %q : tensor<256x!tt.ptr<f32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<256x!tt.ptr<f32>>, tensor<256xf32>) -> tensor<256xf32>
  tt.return
}

// Of the memory of the host, floats are added by comparing and swapping.
// CHECK-LABEL: {{^}}hosts:
// CHECK: global_atomic_cmpswap
// CHECK: s_endpgm
tt.func public @hosts(%x: !tt.ptr<f32>, %v: f32) {
  %o = tt.atomic_rmw fadd, relaxed, sys, %x, %v : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// Two neighbours of 16 bits at a time, where there is an instruction for it.
// CHECK-LABEL: {{^}}pairs:
// CHECK: global_atomic_pk_add_f16
// CHECK-NOT: cmpswap
// CHECK: s_endpgm
// PACKED-LABEL: {{^}}pairs:
// PACKED: global_atomic_pk_add_f16
// PACKED-NOT: cmpswap
// PACKED: s_endpgm
// CDNA2-LABEL: {{^}}pairs:
// CDNA2: global_atomic_pk_add_f16
// CDNA2: s_endpgm
// RDNA-LABEL: {{^}}pairs:
// RDNA: global_atomic_cmpswap
// RDNA: s_endpgm
tt.func public @pairs(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %q = tt.addptr %ys, %r : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %v = tt.load %q : tensor<512x!tt.ptr<f16>>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<512x!tt.ptr<f16>>, tensor<512xf16>) -> tensor<512xf16>
  tt.return
}

// The same of bf16, which gfx90a has no instruction for.
// CHECK-LABEL: {{^}}bf16Pairs:
// CHECK: global_atomic_pk_add_bf16
// CHECK-NOT: cmpswap
// CHECK: s_endpgm
// PACKED-LABEL: {{^}}bf16Pairs:
// PACKED: global_atomic_pk_add_bf16
// PACKED-NOT: cmpswap
// PACKED: s_endpgm
// RDNA-LABEL: {{^}}bf16Pairs:
// RDNA: global_atomic_cmpswap
// RDNA: s_endpgm
// CDNA2-LABEL: {{^}}bf16Pairs:
// CDNA2: global_atomic_cmpswap
// CDNA2: s_endpgm
tt.func public @bf16Pairs(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
  %q = tt.addptr %ys, %r : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
  %v = tt.load %q : tensor<512x!tt.ptr<bf16>>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<512x!tt.ptr<bf16>>, tensor<512xbf16>) -> tensor<512xbf16>
  tt.return
}
