// RUN: tl-opt --keep-order %s --split-input-file --verify-diagnostics
// What shows in which order programs run is refused.

tt.func public @add(%p: tensor<16x!tt.ptr<f32>>, %x: tensor<16xf32>) {
  // expected-error @+1 {{tl::atomic_add of floats rounds in the order in which programs run, which a deterministic launch refuses}}
  %old = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func public @described(%desc: !tt.tensordesc<16x16xf16>, %t: tensor<16x16xf16>, %i: i32) {
  // expected-error @+1 {{tl::descriptor::atomic_add of floats rounds in the order in which programs run, which a deterministic launch refuses}}
  tt.descriptor_reduce add, %desc[%i, %i], %t : !tt.tensordesc<16x16xf16>, tensor<16x16xf16>
  tt.return
}

// -----

tt.func public @wraps(%desc: !tt.tensordesc<16x16xi32>, %t: tensor<16x16xi32>, %i: i32) {
  // expected-error @+1 {{tl::descriptor::atomic_inc wraps around in the order in which programs run, which a deterministic launch refuses}}
  tt.descriptor_reduce inc, %desc[%i, %i], %t : !tt.tensordesc<16x16xi32>, tensor<16x16xi32>
  tt.return
}

// -----

tt.func public @ticket(%p: !tt.ptr<i32>, %i: i32, %to: !tt.ptr<i32>) {
  // expected-error @+1 {{tl::atomic_add returns what depends on the order in which programs run, which a deterministic launch refuses}}
  %ticket = tt.atomic_rmw add, relaxed, gpu, %p, %i : (!tt.ptr<i32>, i32) -> i32
  %next = arith.addi %ticket, %i : i32
  tt.store %to, %next : !tt.ptr<i32>
  tt.return
}

// -----

tt.func public @exchange(%p: !tt.ptr<i32>, %i: i32) {
  // expected-error @+1 {{tl::atomic_xchg keeps the value of the program that happens to be the last, which a deterministic launch refuses}}
  %old = tt.atomic_rmw exch, relaxed, gpu, %p, %i : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func public @lock(%p: !tt.ptr<i32>, %i: i32) {
  scf.while : () -> () {
    // expected-error @+1 {{tl::atomic_cas returns what depends on the order in which programs run, which a deterministic launch refuses}}
    %old = tt.atomic_cas acq_rel, gpu, %p, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
    %taken = arith.cmpi eq, %old, %i : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  tt.return
}

// -----

tt.func public @first(%p: !tt.ptr<i32>, %i: i32) {
  // expected-error @+1 {{tl::atomic_cas keeps the value of the program that happens to be the first, which a deterministic launch refuses}}
  %old = tt.atomic_cas acq_rel, gpu, %p, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// -----

tt.func public @load(%p: !tt.ptr<i32>, %to: !tt.ptr<i32>) {
  // expected-error @+1 {{tl::atomic_load returns what depends on the order in which programs run, which a deterministic launch refuses}}
  %now = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.store %to, %now : !tt.ptr<i32>
  tt.return
}

// -----

tt.func public @poll(%p: !tt.ptr<i32>, %i: i32, %t: i64) {
  // expected-error @+1 {{tl::atomic_poll returns whether others were fast enough, which a deterministic launch refuses}}
  %seen = tt.atomic_poll acquire, gpu, %p, %i timeout %t : !tt.ptr<i32>, i32 -> i1
  tt.assert %seen, "no answer" : i1
  tt.return
}

// -----

tt.func public @clock(%to: !tt.ptr<i64>) {
  // expected-error @+1 {{tl::cuda::globaltimer returns another time in every run, which a deterministic launch refuses}}
  %now = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  tt.store %to, %now : !tt.ptr<i64>
  tt.return
}

// -----

tt.func public @processor(%to: !tt.ptr<i32>) {
  // expected-error @+1 {{tl::cuda::smid returns where a program happens to run, which a deterministic launch refuses}}
  %number = tt.elementwise_inline_asm "mov.u32 $0, %smid;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.store %to, %number : !tt.ptr<i32>
  tt.return
}
