// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx1100 --emit amdgcn | FileCheck %s --check-prefix=RDNA
// Accesses of global memory: as wide as addresses, alignment and masks allow, and those of one mask
// under one branch.

// Aligned neighbours move 16 bytes at a time; addresses are a uniform base and an offset of 32 bits.
// CHECK-LABEL: {{^}}wide:
// CHECK: global_load_dwordx4 v[{{.*}}], v{{[0-9]+}}, s[{{.*}}]
// CHECK: global_store_dwordx4 v{{[0-9]+}}, v[{{.*}}], s[{{.*}}]
// CHECK-NOT: {{(global|flat)_(load|store)}}
// CHECK: s_endpgm
// RDNA-LABEL: {{^}}wide:
// RDNA: global_load_b128
// RDNA: global_store_b128
// RDNA: s_endpgm
tt.func public @wide(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Both loads, the sum and the store are done by the lanes that the mask leaves on.
// CHECK-LABEL: {{^}}masked:
// CHECK: s_and_saveexec_b64
// CHECK-NOT: saveexec
// CHECK: global_load_dwordx4
// CHECK-NOT: s_waitcnt vmcnt
// CHECK: global_load_dwordx4
// CHECK-NOT: saveexec
// CHECK: global_store_dwordx4
// CHECK: s_endpgm
tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %b = tt.load %yp, %m : tensor<1024x!tt.ptr<f32>>
  %s = arith.addf %a, %b : tensor<1024xf32>
  tt.store %yp, %s, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Read once: a hint that the cache need not keep it.
// CHECK-LABEL: {{^}}hints:
// CHECK: global_load_dwordx4 {{.*}} nt
// CHECK: global_store_dwordx4 {{.*}} nt
// CHECK: s_endpgm
tt.func public @hints(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp evictionPolicy = evict_first : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v cacheModifier = cs : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// How many programs there are is a part of what the loader puts after the parameters.
// CHECK-LABEL: {{^}}count:
// CHECK: s_load_dword s{{[0-9]+}}, s[{{.*}}], 0xc
// CHECK: .value_kind: hidden_block_count_y
tt.func public @count(%x: !tt.ptr<i32>) {
  %n = tt.get_num_programs y : i32
  tt.store %x, %n : !tt.ptr<i32>
  tt.return
}
