// RUN: tl-opt %s | tl-opt | FileCheck %s
// Promises about a value that hold from one point of the text on.

// CHECK-LABEL: tt.func @scalar
// CHECK: tt.hint %{{.*}} {tt.divisibility = dense<16> : tensor<1xi32>} : i32
tt.func @scalar(%n: i32) -> i32 {
  %h = tt.hint %n {tt.divisibility = dense<16> : tensor<1xi32>} : i32
  tt.return %h : i32
}

// CHECK-LABEL: tt.func @pointers
// CHECK: tt.hint %{{.*}} {tt.contiguity = dense<[1, 4]> : tensor<2xi32>} : tensor<2x8x!tt.ptr<f32>>
// CHECK: tt.hint %{{.*}} : !tt.ptr<f32>
tt.func @pointers(%p: tensor<2x8x!tt.ptr<f32>>, %q: !tt.ptr<f32>) -> tensor<2x8x!tt.ptr<f32>> {
  %h = tt.hint %p {tt.contiguity = dense<[1, 4]> : tensor<2xi32>} : tensor<2x8x!tt.ptr<f32>>
  %s = tt.hint %q : !tt.ptr<f32>
  tt.return %h : tensor<2x8x!tt.ptr<f32>>
}
