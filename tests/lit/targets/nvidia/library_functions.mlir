// RUN: env CUDA_HOME=/nowhere CUDA_PATH=/nowhere %each_kernel %s --target sm_80 --emit ptx | FileCheck %s
// What CUDA's library has is code of ours: instructions, straight code, and calls of long functions.

// CHECK-LABEL: .entry sum(
// CHECK: add.rz.f32
// CHECK: ret;
tt.func public @sum(%p: !tt.ptr<f32>, %x: f32, %y: f32) {
  %v = tt.extern_elementwise %x, %y {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_rz"} : (f32, f32) -> f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: .entry conversion(
// CHECK: cvt.rp.f32.s64
// CHECK: ret;
tt.func public @conversion(%p: !tt.ptr<f32>, %x: i64) {
  %v = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_ll2float_ru"} : (i64) -> f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// Of f32 in f32: the length of a vector needs no wider type.
// CHECK-LABEL: .entry length(
// CHECK-NOT: f64
// CHECK: sqrt.rn.f32
// CHECK-NOT: f64
// CHECK: ret;
tt.func public @length(%p: !tt.ptr<f32>, %x: f32) {
  %v = tt.extern_elementwise %x, %x, %x {libname = "", libpath = "", pure = true, symbol = "__nv_norm3df"} : (f32, f32, f32) -> f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: .entry complement(
// CHECK-NOT: f64
// CHECK: ex2.approx.ftz.f32
// CHECK-NOT: f64
// CHECK: ret;
tt.func public @complement(%p: !tt.ptr<f32>, %x: f32) {
  %v = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erfcf"} : (f32) -> f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// A kernel may have the name of a function.
// CHECK-LABEL: .entry kernel_exp(
// CHECK: ret;
tt.func public @exp(%p: !tt.ptr<f64>, %x: f64) {
  %v = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erfc"} : (f64) -> f64
  tt.store %p, %v : !tt.ptr<f64>
  tt.return
}
