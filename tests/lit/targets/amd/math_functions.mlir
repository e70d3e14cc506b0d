// RUN: %each_kernel %s --target gfx942 --emit llir | FileCheck %s
// RUN: %each_kernel %s --target gfx1100 --emit llir | FileCheck %s
// Functions for whose large arguments a processor asks its C library.

// Reduced in f32, and in integers where the argument is large; no function calls itself.
// CHECK-LABEL: @sine(
// CHECK: fcmp {{.*}} float %{{.*}}, 6.553600e+04
// CHECK: tl.two_over_pi
// CHECK-NOT: call {{.*}}@sinf
// CHECK: ret void
tt.func public @sine(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.sin %v : f32
  tt.store %out, %o : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @tangent(
// CHECK: tl.two_over_pi
// CHECK-NOT: call {{.*}}@tanf
// CHECK: ret void
tt.func public @tangent(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (f32) -> f32
  tt.store %out, %o : !tt.ptr<f32>
  tt.return
}
