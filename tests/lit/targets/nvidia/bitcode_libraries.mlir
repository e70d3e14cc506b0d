// Functions of the user's own libraries become a part of the kernel.
// RUN: llvm-as %S/../Inputs/shapes.ll -o %t.bc
// RUN: sed 's:SHAPES:%t.bc:' %s > %t.mlir
// RUN: not %each_kernel %t.mlir --target sm_90a --emit ptx | FileCheck %s

// CHECK-LABEL: .entry number(
// CHECK: mul.{{(rn.)?}}f32
// CHECK-NOT: call
// CHECK: ret;
tt.func public @number(%p: !tt.ptr<f32>, %x: f32) {
  %v = tt.extern_elementwise %x {libname = "", libpath = "SHAPES", pure = true, symbol = "smooth_step"} : (f32) -> f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// Mathematics is ours.
// CHECK-LABEL: .entry wave(
// CHECK-NOT: sinf
// CHECK: shf.l.wrap.b32
tt.func public @wave(%p: !tt.ptr<f32>, %x: f32) {
  %v = tt.extern_elementwise %x {libname = "", libpath = "SHAPES", pure = true, symbol = "wave"} : (f32) -> f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: kernel other_types
// CHECK-NEXT: kernel.py:1:2: error: the function 'smooth_step' of the library '{{.*}}.bc' is 'float (float)', tl::extern_elementwise calls it as 'double (double)'
tt.func public @other_types(%p: !tt.ptr<f64>, %x: f64) {
  %v = tt.extern_elementwise %x {libname = "", libpath = "SHAPES", pure = true, symbol = "smooth_step"} : (f64) -> f64 loc("kernel.py":1:2)
  tt.store %p, %v : !tt.ptr<f64>
  tt.return
}

// CHECK-LABEL: kernel lost
// CHECK-NEXT: error: the sm_90a target does not have the function 'nobody_has_this'
tt.func public @lost(%p: !tt.ptr<f32>, %x: f32) {
  %v = tt.extern_elementwise %x {libname = "", libpath = "SHAPES", pure = true, symbol = "lost"} : (f32) -> f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}
