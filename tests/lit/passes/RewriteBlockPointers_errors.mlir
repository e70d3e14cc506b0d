// RUN: tl-opt --rewrite-block-pointers %s --split-input-file --verify-diagnostics
// Where block pointers cannot go.

// expected-error @below {{parameter 0 of kernel 'parameter' is a block pointer, which no launch can pass}}
tt.func public @parameter(%b: !tt.ptr<tensor<64xf32>>) {
  tt.return
}

// -----

tt.func private @unknown_use(%b: !tt.ptr<tensor<64xi32>>) {
  // expected-error @below {{cannot hand on a block pointer}}
  %e = builtin.unrealized_conversion_cast %b : !tt.ptr<tensor<64xi32>> to i32
  tt.return
}
