// RUN: tl-opt %s --pad-tiles --split-input-file --verify-diagnostics
// What would show the padding and has no mask.

tt.func @effects(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{tl::extern_elementwise takes blocks whose extents are powers of two, found 3}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "count"} : (tensor<3xf32>) -> tensor<3xf32>
  tt.return %y : tensor<3xf32>
}

// -----

tt.func @assembly(%x: tensor<3xi32>) -> tensor<3xi32> {
  // expected-error @below {{tl::inline_asm_elementwise takes blocks whose extents are powers of two, found 3}}
  %y = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : tensor<3xi32> -> tensor<3xi32>
  tt.return %y : tensor<3xi32>
}

// -----

tt.func @groups_of_assembly(%x: tensor<4x3xi32>) -> tensor<4x3xi32> {
  // expected-error @below {{tl::inline_asm_elementwise takes groups of 2 elements, which cross the rows of a block of 4x3}}
  %y = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %x : tensor<4x3xi32> -> tensor<4x3xi32>
  tt.return %y : tensor<4x3xi32>
}

// -----

tt.func @groups_of_scalars(%x: tensor<4x3xi32>) -> tensor<4x3xi32> {
  // expected-error @below {{tl::map_elementwise takes groups of 2 elements, which cross the rows of a block of 4x3}}
  %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %b, %a : i32, i32
  }) : (tensor<4x3xi32>) -> tensor<4x3xi32>
  tt.return %y : tensor<4x3xi32>
}
