// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.elementwise_inline_asm.

tt.func @pack(%i: tensor<8xi32>) {
  // expected-error @below {{needs a multiple of packed_element = 16 elements, found 8}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 16 : i32, pure = true} %i : tensor<8xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @no_pack(%i: tensor<8xi32>) {
  // expected-error @below {{needs a positive packed_element, found 0}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %i : tensor<8xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @shape(%i: tensor<8xi32>, %j: tensor<4xi32>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0:2 = tt.elementwise_inline_asm "" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = true} %i : tensor<8xi32> -> tensor<8xi32>, tensor<4xi32>
  tt.return
}

// -----

tt.func @scalar_beside_tensor(%i: tensor<8xi32>, %j: i32) {
  // expected-error @below {{operands and results differ in shape: found scalar beside 8}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %i, %j : tensor<8xi32>, i32 -> tensor<8xi32>
  tt.return
}

// -----

tt.func @no_result(%i: i32) {
  // expected-error @below {{needs at least one result}}
  "tt.elementwise_inline_asm"(%i) <{asm_string = "", constraints = "r", packed_element = 1 : i32, pure = true}> : (i32) -> ()
  tt.return
}
