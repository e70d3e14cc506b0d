// SPDX-License-Identifier: MIT
//
// Matrix products.
#ifndef TL_DIALECT_LINEAR_ALGEBRA
#define TL_DIALECT_LINEAR_ALGEBRA

include "Enums.td"
include "Types.td"

class LinearAlgebra_Op<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, "linear_algebra", !listconcat([Pure], traits)>;

def DotOp : LinearAlgebra_Op<"dot", [
    TypesMatchWith<"the result has the type of the accumulator", "d", "c", "$_self">]> {
  let summary = "matrix product plus an accumulator";
  let description = [{
    `d = a * b + c` for `a` MxK, `b` KxN, `c` and `d` MxN, or a batch of them with one more leading
    extent. The element types of `a` and `b` have the same number of bits. Products are exact and are
    added in the element type of `c`, in unspecified order, except that f32 operands may first be
    rounded as `inputPrecision` says and fp8 products may be added with less precision, up to
    `maxNumImpreciseAcc` of them in a row.
  }];
  let arguments = (ins TT_Tensor:$a, TT_Tensor:$b, TT_Tensor:$c,
                       DefaultValuedAttr<TT_InputPrecision, "::tl::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let example = [{
    %d1 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  }];
  let hasVerifier = 1;
}

def DotScaledOp : LinearAlgebra_Op<"dot_scaled", [AttrSizedOperandSegments,
    TypesMatchWith<"the result has the type of the accumulator", "d", "c", "$_self">]> {
  let summary = "matrix product of scaled narrow floats";
  let description = [{
    Each group of 32 (or 16) consecutive elements along K is multiplied by its scale: an 8-bit
    exponent `2^(s - 127)` (255 is NaN) in an `i8`, or an `f8E4M3FN` with groups of 16. Scales are
    `M x K/group` and `N x K/group`. `e2m1` elements are two to a byte, the low half first, packed
    along K, or along M or N where `lhs_k_pack` or `rhs_k_pack` is false. `fastMath` permits ignoring
    NaN scales.
  }];
  let arguments = (ins TT_Tensor:$a, TT_Tensor:$b, TT_FloatTensor:$c, Optional<TT_Tensor>:$a_scale,
                       Optional<TT_Tensor>:$b_scale, TT_ScaleDotElemType:$a_elem_type,
                       TT_ScaleDotElemType:$b_elem_type, BoolAttr:$fastMath,
                       DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict `:`
    type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let example = [{
    %d1 = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e2m1 {fastMath = false}
        : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements of K that share a scale: 16 or 32; 32 if nothing is scaled.
    int32_t getScaleFactor();
    /// Extent of K in elements, not in bytes.
    int64_t getReductionExtent();
  }];
}

#endif
