// RUN: tl-opt --rewrite-descriptors %s --split-input-file --verify-diagnostics
// What cannot be done with pointers is refused.

tt.func @wrap_around(%d: !tt.tensordesc<64xi32>, %i: i32, %v: tensor<64xi32>) {
  // expected-error @below {{inc needs a target with hardware for tensor descriptors, and a block whose extents are powers of two}}
  tt.descriptor_reduce inc, %d[%i], %v : !tt.tensordesc<64xi32>, tensor<64xi32>
  tt.return
}

// -----

tt.func @unknown_use(%d: !tt.tensordesc<64xi32>) {
  // expected-error @below {{cannot hand on a tensor descriptor}}
  %e = builtin.unrealized_conversion_cast %d : !tt.tensordesc<64xi32> to i32
  tt.return
}
