// RUN: env TL_PRINT_IR=after-each tlc compile %s --target sm_90a --emit ptx 2>&1 | FileCheck %s
// RUN: env TL_TIME_PASSES=1 tlc compile %s --target sm_90a --emit ptx 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: env TL_PRINT_IR=before tlc compile %s --target sm_90a --emit ptx 2>&1 | FileCheck %s --check-prefix=BEFORE
// Each decision about layouts is a pass, whose text can be looked at and whose time is measured.

// CHECK: IR Dump After CoalesceAccesses
// CHECK: module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32,
// CHECK: tt.load {{.*}} {ttg.anchor = #ttg.layout<
// CHECK: IR Dump After SelectMatrixInstructions
// CHECK: tt.dot {{.*}} ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>
// CHECK: IR Dump After PropagateLayouts
// CHECK-NOT: ttg.anchor
// CHECK: tt.load {{.*}} : tensor<32x32x!tt.ptr<f16>, #ttg.layout<
// CHECK: IR Dump After RemoveLayoutConversions
// CHECK: IR Dump After RematerialiseValues
// CHECK: mma.sync

// TIME: CoalesceAccesses
// TIME: SelectMatrixInstructions
// TIME: PropagateLayouts
// TIME: RemoveLayoutConversions
// TIME: RematerialiseValues

// BEFORE-COUNT-1: tt.func public @product
// BEFORE-NOT: tt.func public @product
tt.func public @product(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %a = tt.load %xs : tensor<32x32x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tt.dot %a, %a, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  tt.store %os, %c : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
