// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.atomic_load.

tt.func @ordering(%p: !tt.ptr<i32>) {
  // expected-error @below {{is relaxed or acquire, found release}}
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func @result(%p: !tt.ptr<i32>) {
  // expected-error @below {{result has elements 'f32' but the pointer points to 'i32'}}
  %0 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> f32
  tt.return
}

// -----

tt.func @width(%p: !tt.ptr<i1>) {
  // expected-error @below {{needs elements of 8, 16, 32 or 64 bits, found 'i1'}}
  %0 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i1>) -> i1
  tt.return
}

// -----

tt.func @mask(%p: tensor<64x!tt.ptr<f32>>, %m: i1) {
  // expected-error @below {{mask and pointer differ in shape: mask is scalar, pointer is 64}}
  %0 = tt.atomic_load acquire, gpu, %p, %m : (tensor<64x!tt.ptr<f32>>, i1) -> tensor<64xf32>
  tt.return
}
