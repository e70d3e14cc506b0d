// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.descriptor_reduce.

tt.func @bits_of_floats(%d: !tt.tensordesc<8x8xf32>, %i: i32, %v: tensor<8x8xf32>) {
  // expected-error @below {{xor needs integers, found 'f32'}}
  tt.descriptor_reduce xor, %d[%i, %i], %v : !tt.tensordesc<8x8xf32>, tensor<8x8xf32>
  tt.return
}

// -----

tt.func @indices(%d: !tt.tensordesc<8x8xf32>, %i: i32, %v: tensor<8x8xf32>) {
  // expected-error @below {{needs one index per axis of the descriptor: expected 2, found 1}}
  tt.descriptor_reduce add, %d[%i], %v : !tt.tensordesc<8x8xf32>, tensor<8x8xf32>
  tt.return
}

// -----

tt.func @shape(%d: !tt.tensordesc<8x8xf32>, %i: i32, %v: tensor<8x4xf32>) {
  // expected-error @below {{block and descriptor differ in shape: block is 8x4, descriptor is 8x8}}
  tt.descriptor_reduce add, %d[%i, %i], %v : !tt.tensordesc<8x8xf32>, tensor<8x4xf32>
  tt.return
}
