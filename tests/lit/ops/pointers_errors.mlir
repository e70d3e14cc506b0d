// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Pointers reach global memory alone.

// expected-error @below {{the address space of a pointer must be 1, global memory, found 77}}
tt.func @unknown_space(%p: !tt.ptr<f32, 77>) {
  tt.return
}

// -----

// expected-error @below {{the address space of a pointer must be 1, global memory, found 3}}
tt.func @shared_memory(%p: tensor<8x!tt.ptr<f32, 3>>) {
  tt.return
}

// -----

// expected-error @below {{the address space of a pointer must be 1, global memory, found -1}}
tt.func @negative(%p: !tt.ptr<f32, -1>) {
  tt.return
}

// -----

// expected-error @below {{the address space of a pointer must be 1, global memory, found 0, which has tensor maps that the host makes; pass a !tt.tensordesc instead}}
tt.func @tensor_map(%p: !tt.ptr<i8, 0> {tt.nv_tma_desc = 1 : i32}) {
  tt.return
}
