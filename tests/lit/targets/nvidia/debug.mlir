// RUN: %each_kernel %s --target sm_90a --debug --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=OFF
// Printing and assertions.

// One line an element: the program, the position, the prefix and the value, in the format of the
// type. Each element is printed by one of its holders.
// CHECK-LABEL: .entry print(
// CHECK: vprintf
// CHECK: ret;
// OFF-LABEL: .entry print(
// OFF: vprintf
// OFF: ret;
tt.func public @print(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  tt.print " r: " {hex = false, isSigned = array<i32: 1>} : %r : tensor<16xi32>
  tt.return
}

// A failed assertion claims the record of the launch for the first to fail, and the whole program
// leaves. Without `debug` there is neither the test nor the parameter.
// CHECK-LABEL: .entry asserted(
// CHECK: .param .u64 .ptr .align 1 asserted_param_1
// CHECK: atom.relaxed.gpu.global.cas.b32
// CHECK: bar.red.or.pred
// CHECK: ret;
// OFF-LABEL: .entry asserted(
// OFF-NOT: asserted_param_1
// OFF-NOT: cas
// OFF: ret;
tt.func public @asserted(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<128xf32>
  %c = arith.cmpf oge, %v, %z : tensor<128xf32>
  tt.assert %c, "not negative" : tensor<128xi1>
  %o = arith.addf %v, %v : tensor<128xf32>
  tt.store %xp, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}
