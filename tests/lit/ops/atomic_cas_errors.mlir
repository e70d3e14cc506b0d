// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.atomic_cas.

tt.func @width(%p: !tt.ptr<i8>, %i: i8) {
  // expected-error @below {{needs elements of 16, 32 or 64 bits, found 'i8'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %i, %i : (!tt.ptr<i8>, i8, i8) -> i8
  tt.return
}

// -----

tt.func @compared(%p: !tt.ptr<i32>, %i: i32, %j: i64) {
  // expected-error @below {{compared value has elements 'i64' but the pointer points to 'i32'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %j, %i : (!tt.ptr<i32>, i64, i32) -> i32
  tt.return
}

// -----

tt.func @value(%p: !tt.ptr<i32>, %i: i32, %j: i64) {
  // expected-error @below {{value has elements 'i64' but the pointer points to 'i32'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %i, %j : (!tt.ptr<i32>, i32, i64) -> i32
  tt.return
}

// -----

tt.func @result(%p: !tt.ptr<i32>, %i: i32) {
  // expected-error @below {{result has elements 'i64' but the pointer points to 'i32'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %i, %i : (!tt.ptr<i32>, i32, i32) -> i64
  tt.return
}

// -----

tt.func @mask(%p: tensor<8x!tt.ptr<i32>>, %i: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @below {{mask and pointer differ in shape: mask is 4, pointer is 8}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %i, %i, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi32>, tensor<4xi1>) -> tensor<8xi32>
  tt.return
}
