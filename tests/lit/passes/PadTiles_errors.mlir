// RUN: tl-opt %s --pad-tiles --split-input-file --verify-diagnostics
// What would show the padding and has no mask.

tt.func @print(%x: tensor<24xf32>) {
  // expected-error @below {{tl::device_print takes blocks whose extents are powers of two, found 24}}
  tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<24xf32>
  tt.return
}

// -----

tt.func @scaled(%a: tensor<17x32xi8>, %b: tensor<32x16xi8>, %c: tensor<17x16xf32>) -> tensor<17x16xf32> {
  // expected-error @below {{tl::dot_scaled takes blocks whose extents are powers of two, found 17x32}}
  %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<17x32xi8> * tensor<32x16xi8> -> tensor<17x16xf32>
  tt.return %d : tensor<17x16xf32>
}

// -----

tt.func @gather(%d: !tt.tensordesc<1x64xf16>, %i: tensor<12xi32>, %y: i32) -> tensor<12x64xf16> {
  // expected-error @below {{tl::descriptor::gather takes blocks whose extents are powers of two, found 12}}
  %t = tt.descriptor_gather %d[%i, %y] : (!tt.tensordesc<1x64xf16>, tensor<12xi32>, i32) -> tensor<12x64xf16>
  tt.return %t : tensor<12x64xf16>
}

// -----

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
