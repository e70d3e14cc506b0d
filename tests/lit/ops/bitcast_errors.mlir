// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.bitcast.

tt.func @width(%x: f32) {
  // expected-error @below {{needs elements of equal width: 'f32' has 32 bits, 'i64' has 64}}
  %0 = tt.bitcast %x : f32 -> i64
  tt.return
}

// -----

tt.func @pointer_to_integer(%p: !tt.ptr<f32>) {
  // expected-error @below {{cannot turn '!tt.ptr<f32>' into 'i64'; pointers become integers with tt.ptr_to_int and tt.int_to_ptr}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}
