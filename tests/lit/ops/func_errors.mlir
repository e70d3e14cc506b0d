// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What tt.func refuses.

// expected-error @below {{tensor extents must be at least 1, found 0}}
tt.func @argument(%x: tensor<0xf32>) {
  tt.return
}

// -----

// expected-error @below {{has an unknown attribute 'fast'}}
tt.func @attribute() attributes {fast} {
  tt.return
}
