// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.func refuses.

// expected-error @below {{tensor extents must be powers of two, found 3}}
tt.func @argument(%x: tensor<3xf32>) {
  tt.return
}

// -----

// expected-error @below {{has an unknown attribute 'fast'}}
tt.func @attribute() attributes {fast} {
  tt.return
}
