// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.make_range.

tt.func @empty() {
  // expected-error @below {{needs start < end, found 5 and 5}}
  %0 = tt.make_range {end = 5 : i32, start = 5 : i32} : tensor<1xi32>
  tt.return
}

// -----

tt.func @backwards() {
  // expected-error @below {{needs start < end, found 8 and 0}}
  %0 = tt.make_range {end = 0 : i32, start = 8 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @element_type() {
  // expected-error @below {{makes a 1-D tensor of i32, found 'tensor<8xi64>'}}
  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi64>
  tt.return
}

// -----

tt.func @rank() {
  // expected-error @below {{makes a 1-D tensor of i32, found 'tensor<2x4xi32>'}}
  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<2x4xi32>
  tt.return
}

// -----

tt.func @extent() {
  // expected-error @below {{from 0 to 8 has 8 elements, found a tensor of 16}}
  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<16xi32>
  tt.return
}

// -----

tt.func @padding() {
  // expected-error @below {{tensor has more than 1048576 elements when its extents grow to powers of two, found 1048577}}
  %0 = tt.make_range {end = 1048577 : i32, start = 0 : i32} : tensor<1048577xi32>
  tt.return
}

// -----

tt.func @limit() {
  // expected-error @below {{tensor has more than 1048576 elements, found 2097152}}
  %0 = tt.make_range {end = 2097152 : i32, start = 0 : i32} : tensor<2097152xi32>
  tt.return
}
