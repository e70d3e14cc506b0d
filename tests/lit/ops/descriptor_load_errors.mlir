// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.descriptor_load.

tt.func @indices(%d: !tt.tensordesc<32x64xf16>, %i: i32) {
  // expected-error @below {{needs one index per axis of the descriptor: expected 2, found 1}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @shape(%d: !tt.tensordesc<32x64xf16>, %i: i32) {
  // expected-error @below {{block and descriptor differ in shape: block is 64x32, descriptor is 32x64}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<64x32xf16>
  tt.return
}

// -----

tt.func @element(%d: !tt.tensordesc<32x64xf16>, %i: i32) {
  // expected-error @below {{block has elements 'f32' but the descriptor has 'f16'}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf32>
  tt.return
}

// -----

tt.func @not_a_descriptor(%d: !tt.ptr<f16>, %i: i32) {
  // expected-error @below {{'tt.descriptor_load' op operand #0 must be tensor descriptor}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.ptr<f16> -> tensor<32x64xf16>
  tt.return
}
