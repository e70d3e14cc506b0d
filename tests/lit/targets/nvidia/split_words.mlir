// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// A word of two elements of 16 bits is split once, into both: the assembler multiplies them as they lie.

// CHECK-LABEL: .entry products(
// CHECK: ld.global.v4.b32
// CHECK-NOT: cvt.u16.u32
// CHECK-NOT: mov.b32 {_,
// CHECK-COUNT-4: mov.b32 {%rs{{[0-9]+}}, %rs{{[0-9]+}}}, %r{{[0-9]+}};
// CHECK: mul.rn.bf16
// CHECK: st.global.v4.b32
tt.func public @products(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<bf16>>
  %p = arith.mulf %v, %v : tensor<1024xbf16>
  tt.store %yp, %p : tensor<1024x!tt.ptr<bf16>>
  tt.return
}
