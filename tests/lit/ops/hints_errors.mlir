// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What the attributes of values, parameters and loops may be.

// The line is that of the parameter.
tt.func @divisible_by_zero(
    %n: i32,
    // expected-error @below {{tt.divisibility must be positive, found 0}}
    %p: !tt.ptr<f32> {tt.divisibility = 0 : i32}) {
  tt.return
}

// -----

// One number that stands for more than there are axes, or fit into memory.
// expected-error @below {{tt.divisibility must be an integer or one for each axis, found dense<16> : tensor<100000000000xi32>}}
tt.func @divisible_everywhere(%p: !tt.ptr<f32> {tt.divisibility = dense<16> : tensor<100000000000xi32>}) {
  tt.return
}

// -----

// expected-error @below {{tt.divisibility must be an integer or one for each axis, found "16"}}
tt.func @divisible_by_text(%p: !tt.ptr<f32> {tt.divisibility = "16"}) {
  tt.return
}

// -----

tt.func @contiguity(%i: i32) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // expected-error @below {{tt.contiguity must be positive, found -8}}
  %s = arith.addi %r, %r {tt.contiguity = dense<-8> : tensor<1xi32>} : tensor<8xi32>
  tt.return
}

// -----

tt.func @constancy(%i: i32) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // expected-error @below {{tt.constancy must be positive, found 0}}
  %s = arith.addi %r, %r {tt.constancy = array<i32: 0>} : tensor<8xi32>
  tt.return
}

// -----

tt.func @factor_as_text(%n: i32) {
  // expected-error @below {{tt.loop_unroll_factor must be an integer, found "four"}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.loop_unroll_factor = "four"}
  tt.return
}

// -----

tt.func @factor_too_large(%n: i32) {
  // expected-error @below {{tt.loop_unroll_factor must be from 1 to 1024, found 100000}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.loop_unroll_factor = 100000 : i32}
  tt.return
}

// -----

tt.func @factor_negative(%n: i32) {
  // expected-error @below {{tt.loop_unroll_factor must be from 1 to 1024, found -1}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.loop_unroll_factor = -1 : i32}
  tt.return
}

// -----

tt.func @stages(%n: i32) {
  // expected-error @below {{tt.num_stages must be from 0 to 64, found -3}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.num_stages = -3 : i32}
  tt.return
}

// -----

tt.func @flag(%n: i32) {
  // expected-error @below {{tt.warp_specialize must be a flag, found 7 : i32}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.warp_specialize = 7 : i32}
  tt.return
}

// -----

tt.func @right(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 24 : i32}) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %s = arith.addi %r, %r {tt.contiguity = dense<8> : tensor<1xi32>, tt.constancy = array<i32: 1>} : tensor<8xi32>
  scf.for %i = %n to %n step %n : i32 {
  } {tt.num_stages = 0 : i32, tt.flatten, tt.warp_specialize = false, tt.loop_unroll_factor = 1 : i32}
  tt.return
}

// -----

// expected-error @below {{tt.may_alias must be a unit attribute, found true}}
tt.func @alias_as_flag(%p: !tt.ptr<f32> {tt.may_alias = true}) {
  tt.return
}
