// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.extern_elementwise round-trips; an impure call is not dropped.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%x: tensor<8xf32>) {
  // CHECK: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_sinhf"} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_sinhf"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "lib", libpath = "", pure = false, symbol = "f"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>
  %1 = tt.extern_elementwise %x, %x {libname = "lib", libpath = "", pure = false, symbol = "f"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>
  tt.return
}

// FOLD-LABEL: tt.func @only_pure_calls_go(
tt.func @only_pure_calls_go(%x: f32) {
  // FOLD-NEXT: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = false, symbol = "g"}
  // FOLD-NEXT: tt.return
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (f32) -> f32
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "g"} : (f32) -> f32
  tt.return
}
