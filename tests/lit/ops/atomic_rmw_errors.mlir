// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.atomic_rmw.

tt.func @add_of_floats(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error @below {{add needs integers, found 'f32'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @fadd_of_integers(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @below {{fadd needs floats, found 'i32'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @width(%p: !tt.ptr<i8>, %v: i8) {
  // expected-error @below {{needs elements of 16, 32 or 64 bits, found 'i8'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i8>, i8) -> i8
  tt.return
}

// -----

tt.func @exchange_width(%p: !tt.ptr<i1>, %v: i1) {
  // expected-error @below {{needs elements of 16, 32 or 64 bits, found 'i1'}}
  %0 = tt.atomic_rmw exch, relaxed, gpu, %p, %v : (!tt.ptr<i1>, i1) -> i1
  tt.return
}

// -----

tt.func @value(%p: !tt.ptr<i32>, %v: i64) {
  // expected-error @below {{value has elements 'i64' but the pointer points to 'i32'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i64) -> i32
  tt.return
}

// -----

tt.func @result(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @below {{result has elements 'i64' but the pointer points to 'i32'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i64
  tt.return
}

// -----

tt.func @mask(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: i1) {
  // expected-error @below {{mask and pointer differ in shape: mask is scalar, pointer is 64}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i1) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @ordering(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'sem' [relaxed, acquire, release, acq_rel]}}
  %0 = tt.atomic_rmw add, eventually, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}
