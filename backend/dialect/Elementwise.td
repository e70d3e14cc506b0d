// SPDX-License-Identifier: MIT
//
// Operations that treat every element alike, beyond those of `arith` and `math`: casts to and from
// pointers and 8-bit floats, precise arithmetic, user code per element.
#ifndef TL_DIALECT_ELEMENTWISE
#define TL_DIALECT_ELEMENTWISE

include "Enums.td"
include "Types.td"

class Elementwise_Op<string mnemonic, list<Trait> traits = []> : TT_Op<mnemonic, "elementwise", traits>;

// Operands and result have the same shape: a cast of every element.
class Cast_Op<string mnemonic, list<Trait> traits = []>
    : Elementwise_Op<mnemonic, !listconcat([Pure, Elementwise, SameOperandsAndResultShape], traits)> {
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

// Operands and result have the same type.
class Arithmetic_Op<string mnemonic> : Elementwise_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]>;

def IntToPtrOp : Cast_Op<"int_to_ptr"> {
  let summary = "pointers from 64-bit addresses";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let example = "%p1 = tt.int_to_ptr %i64s : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>";
  let hasVerifier = 0;
  let hasCanonicalizeMethod = 1;
}

def PtrToIntOp : Cast_Op<"ptr_to_int"> {
  let summary = "64-bit addresses of pointers";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let example = "%a = tt.ptr_to_int %p : !tt.ptr<f32> -> i64";
  let hasVerifier = 0;
  let hasFolder = 1;
}

def BitcastOp : Cast_Op<"bitcast", [TT_StaysInBuffer]> {
  let summary = "the same bits as another type";
  let description = [{
    Elements must have the same number of bits; pointers become only pointers of the same address
    space.
  }];
  let arguments = (ins TT_Any:$src);
  let results = (outs TT_Any:$result);
  let example = "%b = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>";
  let hasFolder = 1;
}

def HintOp : Elementwise_Op<"hint", [Pure, TT_StaysInBuffer, TT_Deferrable, SameOperandsAndResultType]> {
  let summary = "the same values, with a promise about them";
  let description = [{
    What the attributes `tt.divisibility`, `tt.contiguity` and `tt.constancy` promise holds for the
    result, and says nothing about the operand: so a promise that is made in one branch does not
    reach another. Texts write it as `arith.addi` or `tt.addptr` of zero with these attributes,
    which other readers take as well; the pass `keep-hints` turns them into this.
  }];
  let arguments = (ins TT_Any:$src);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let example = "%y = tt.hint %x {tt.divisibility = dense<16> : tensor<1xi32>} : i32";
}

def FpToFpOp : Elementwise_Op<"fp_to_fp", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "floats of another width or format";
  let description = [{
    Narrowing needs `rounding`: `rtne` (to nearest, ties to even) or `rtz` (toward zero), applied
    once. A conversion to an 8-bit float saturates: values beyond the range, infinities included,
    become the largest finite number of the same sign; NaN stays NaN. Widening is exact.
  }];
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let example = "%y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ClampFOp : Arithmetic_Op<"clampf"> {
  let summary = "floats limited to a range";
  let description = [{
    `min(max(x, min), max)`, which is `max` where `min > max`. With `propagateNan = all` a NaN `x`
    gives NaN, with `none` it counts as `min`.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max, TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
  let example = "%y = tt.clampf %x, %x, %x, propagateNan = none : tensor<64xf32>";
}

def PreciseSqrtOp : Arithmetic_Op<"precise_sqrt"> {
  let summary = "square root, correctly rounded";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let example = "%y = tt.precise_sqrt %x : tensor<64xf32>";
}

def PreciseDivFOp : Arithmetic_Op<"precise_divf"> {
  let summary = "quotient, correctly rounded";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let example = "%q = tt.precise_divf %x, %x : tensor<64xf32>";
}

def ApproxDivFOp : Arithmetic_Op<"approx_divf"> {
  let summary = "quotient, as fast as the target can";
  let description = [{
    At most 2 ULP away from the quotient for results in the normal range; a target without a faster
    division returns the correctly rounded one.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let example = "%q = tt.approx_divf %x, %x : tensor<64xf32>";
}

def MulhiUIOp : Arithmetic_Op<"mulhiui"> {
  let summary = "upper half of the unsigned product";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let example = "%h = tt.mulhiui %i, %i : tensor<64xi32>";
  let hasFolder = 1;
}

def ExternElementwiseOp : Elementwise_Op<"extern_elementwise", [Elementwise, SameOperandsAndResultShape,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "calls a library function for every element";
  let description = [{
    `symbol` is the function's name, `libname` and `libpath` say where it is ("" means the target's
    own library). If `pure` is false the call is neither removed, nor moved, nor merged.
  }];
  let arguments = (ins Variadic<TT_Any>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let example = [{
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_sinhf"}
        : (tensor<64xf32>) -> tensor<64xf32>
  }];
}

def ElementwiseInlineAsmOp : Elementwise_Op<"elementwise_inline_asm", [Elementwise, TT_PacksElements,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "runs assembly text for every group of elements";
  let description = [{
    One instance of the text handles `packed_element` elements of every operand; narrow elements share
    32-bit registers. `constraints` are LLVM's. If `pure` is false the text is neither removed nor
    moved.
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<TT_Any>:$args);
  let results = (outs Variadic<TT_Any>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let example = [{
    %s = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true}
        %i, %i : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  }];
  let hasVerifier = 1;
}

def MapElementwiseOp : Elementwise_Op<"map_elementwise", [Elementwise, TT_PacksElements,
    SameOperandsAndResultShape, RecursiveMemoryEffects]> {
  let summary = "runs a region on the scalars of every group of elements";
  let description = [{
    The region receives `pack` elements of the first operand, then of the second, and so on, and
    returns `pack` elements of every result in the same way. It may have several blocks, hence real
    control flow per element, but must not write memory.
  }];
  let arguments = (ins Variadic<TT_Any>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let example = [{
    %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%e: f32):
      %n1 = arith.negf %e : f32
      tt.map_elementwise.return %n1 : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
  }];
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def MapElementwiseReturnOp
    : Elementwise_Op<"map_elementwise.return", [HasParent<"MapElementwiseOp">, Pure, Terminator, ReturnLike]> {
  let summary = "ends the region of tt.map_elementwise";
  let arguments = (ins Variadic<TT_Scalar>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
  let example = "tt.map_elementwise.return %n1 : f32";
}

#endif
