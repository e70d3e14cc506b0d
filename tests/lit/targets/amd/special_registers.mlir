// RUN: tlc compile %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: tlc compile %s --target gfx1100 --emit amdgcn | FileCheck %s --check-prefix=RDNA
// The clock and the multiprocessor that tl::cuda reads by NVIDIA's assembly.

// CHECK-NOT: globaltimer
// CHECK: s_memrealtime
// CHECK-NOT: smid
// RDNA-NOT: globaltimer
// RDNA: s_sendmsg_rtn_b64 s[{{.*}}], sendmsg(MSG_RTN_GET_REALTIME)
// RDNA-NOT: smid
tt.func public @when(%out: !tt.ptr<i64>, %number: !tt.ptr<i32>) {
  %t = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  tt.store %out, %t : !tt.ptr<i64>
  %n = tt.elementwise_inline_asm "mov.u32 $0, %smid;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.store %number, %n : !tt.ptr<i32>
  tt.return
}
