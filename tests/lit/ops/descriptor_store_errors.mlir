// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.descriptor_store.

tt.func @indices(%d: !tt.tensordesc<32x64xf16>, %i: i32, %v: tensor<32x64xf16>) {
  // expected-error @below {{needs one index per axis of the descriptor: expected 2, found 3}}
  tt.descriptor_store %d[%i, %i, %i], %v : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>
  tt.return
}

// -----

tt.func @shape(%d: !tt.tensordesc<32x64xf16>, %i: i32, %v: tensor<64xf16>) {
  // expected-error @below {{block and descriptor differ in shape: block is 64, descriptor is 32x64}}
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<32x64xf16>, tensor<64xf16>
  tt.return
}
