// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.map_elementwise.

tt.func @pack(%x: tensor<8xf32>) {
  // expected-error @below {{needs a power of two as pack, found 3}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32):
  tt.map_elementwise.return %a, %b, %c : f32, f32, f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @too_much(%x: tensor<8xf32>) {
  // expected-error @below {{needs a multiple of pack = 16 elements, found 8}}
  %0 = "tt.map_elementwise"(%x) <{pack = 16 : i32}> ({
  ^bb0(%a: f32):
  tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @operands() {
  // expected-error @below {{if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = "tt.map_elementwise"() <{pack = 1 : i32}> ({
  %a = arith.constant 0.0 : f32
  tt.map_elementwise.return %a : f32
  }) : () -> tensor<8xf32>
  tt.return
}

// -----

tt.func @arguments(%x: tensor<8xf32>) {
  // expected-error @below {{region must take 2 scalar(s) for each operand: expected ('f32', 'f32'), found ('f32')}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32):
  tt.map_elementwise.return %a, %a : f32, f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @results(%x: tensor<8xf32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
  %i = arith.fptosi %a : f32 to i32
  // expected-error @below {{must return 1 scalar(s) for each result: expected ('f32'), found ('i32')}}
  tt.map_elementwise.return %i : i32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @writes(%x: tensor<8xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
  // expected-error @below {{must not write memory inside tt.map_elementwise}}
  tt.store %p, %a : !tt.ptr<f32>
  tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}
