// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.atomic_store.

tt.func @ordering(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @below {{is relaxed or release, found acquire}}
  tt.atomic_store acquire, gpu, %p, %v : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @width(%p: !tt.ptr<i1>, %v: i1) {
  // expected-error @below {{needs elements of 8, 16, 32 or 64 bits, found 'i1'}}
  tt.atomic_store release, gpu, %p, %v : !tt.ptr<i1>
  tt.return
}

// -----

tt.func @value(%p: !tt.ptr<i32>, %v: f32) {
  // expected-error @below {{the value has the type that the pointer points to}}
  "tt.atomic_store"(%p, %v) <{scope = 1 : i32, sem = 1 : i32}> : (!tt.ptr<i32>, f32) -> ()
  tt.return
}

// -----

tt.func @mask(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: i1) {
  // expected-error @below {{the mask is i1 of the pointer's shape}}
  "tt.atomic_store"(%p, %v, %m) <{scope = 1 : i32, sem = 1 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i1) -> ()
  tt.return
}
