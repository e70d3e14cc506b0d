// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.atomic_poll.

tt.func @ordering(%p: !tt.ptr<i32>, %i: i32) {
  // expected-error @below {{is relaxed or acquire, found release}}
  %0 = tt.atomic_poll release, gpu, %p, %i : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// -----

tt.func @width(%p: !tt.ptr<i8>, %i: i8) {
  // expected-error @below {{needs elements of 16, 32 or 64 bits, found 'i8'}}
  %0 = tt.atomic_poll acquire, gpu, %p, %i : !tt.ptr<i8>, i8 -> i1
  tt.return
}

// -----

tt.func @expected_value(%p: !tt.ptr<i32>, %i: i64) {
  // expected-error @below {{expected value has elements 'i64' but the pointer points to 'i32'}}
  %0 = tt.atomic_poll acquire, gpu, %p, %i : !tt.ptr<i32>, i64 -> i1
  tt.return
}
