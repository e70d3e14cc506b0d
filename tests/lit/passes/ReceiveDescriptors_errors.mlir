// RUN: tl-opt --receive-descriptors %s --split-input-file --verify-diagnostics
// A descriptor without its numbers.

// expected-error @below {{parameter 1 of kernel 'numbers' is a tensor descriptor, after which its extents (i32) and strides (i64) are expected, 2 of each}}
tt.func public @numbers(%n: i32, %d: !tt.tensordesc<32x64xf16>, %m: i32, %k: i32, %s: i64) {
  tt.return
}
