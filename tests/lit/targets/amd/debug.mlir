// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx942 --debug --emit amdgcn | FileCheck %s --check-prefix=CHECKED
// What a kernel tells its host: prints are records in the buffer that HIP reads, found through a
// hidden parameter, with the formats in the metadata.

// CHECK-LABEL: {{^}}shows:
// CHECK: s_load_dwordx2 s[{{.*}}], s[{{.*}}], 0x50
// CHECK: global_atomic_cmpswap
// CHECK: .value_kind: hidden_printf_buffer
// CHECK: amdhsa.printf:
// CHECK-NEXT: pid (%u, %u, %u) idx () x: %d
tt.func public @shows(%x: i32) {
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : i32
  tt.return
}

// A failed assertion ends the program in all of its threads: each wave leaves its answer in LDS.
// CHECK-LABEL: {{^}}asserts:
// CHECK-NOT: {{cmpswap|s_barrier}}
// CHECK: s_endpgm
// CHECKED-LABEL: {{^}}asserts:
// CHECKED: global_atomic_cmpswap
// CHECKED: s_barrier
// CHECKED: ds_write_b32
// CHECKED: s_barrier
// CHECKED: ds_read_b128
// CHECKED: s_endpgm
tt.func public @asserts(%x: i32, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : i32 -> tensor<256xi32>
  %c = arith.cmpi slt, %r, %xs : tensor<256xi32>
  tt.assert %c, "too few" : tensor<256xi1>
  tt.store %y, %x : !tt.ptr<i32>
  tt.return
}
