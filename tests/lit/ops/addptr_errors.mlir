// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.addptr refuses, and what every pointer type refuses.

tt.func @shapes(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<32xi32>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<32xi32>
  tt.return
}

// -----

tt.func @float_offset(%p: !tt.ptr<f32>, %i: f32) {
  // expected-error @below {{operand #1 must be integer or tensor of integers, but got 'f32'}}
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, f32
  tt.return
}

// -----

tt.func @not_a_pointer(%p: i64, %i: i32) {
  // expected-error @below {{'result' must be pointer or tensor of pointers, but got 'i64'}}
  %0 = tt.addptr %p, %i : i64, i32
  tt.return
}

// -----

// expected-error @below {{the address space of a pointer must be 1, global memory, found -1}}
tt.func @address_space(%p: !tt.ptr<f32, -1>) {
  tt.return
}
