// SPDX-License-Identifier: MIT
//
// Operations along an axis: reductions, scans, histograms.
#ifndef TL_DIALECT_REDUCTION
#define TL_DIALECT_REDUCTION

include "Enums.td"
include "Types.td"

class Reduction_Op<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, "reduction", !listconcat([Pure], traits)>;

def ReduceOp : Reduction_Op<"reduce", [TT_OrderInsensitive, TT_OperandsShareLayout, SameOperandsShape,
    SingleBlock]> {
  let summary = "combines the elements along an axis";
  let description = [{
    The region takes two groups of scalars, one scalar per operand in each, and returns one group.
    It must be associative; the order in which elements are combined is unspecified. The axis is
    dropped from the shape of the results; a reduction of a 1-D tensor gives scalars.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Any>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let example = [{
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32>) -> f32
  }];
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    unsigned getNumOperands() { return getSrcs().size(); }
  }];
}

def ReduceReturnOp : Reduction_Op<"reduce.return", [HasParent<"ReduceOp">, Terminator, ReturnLike]> {
  let summary = "ends the region of tt.reduce";
  let arguments = (ins Variadic<TT_Scalar>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
  let example = "tt.reduce.return %c : f32";
}

def ScanOp : Reduction_Op<"scan", [SameOperandsAndResultShape, SingleBlock]> {
  let summary = "inclusive prefix combinations along an axis";
  let description = [{
    Element `i` of the result combines elements `0` to `i` in that order, or with `reverse` elements
    `n - 1` down to `i`. The region is as in `tt.reduce`: associative, its first group is what came
    before.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let example = [{
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
  }];
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis, "bool":$reverse)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    unsigned getNumOperands() { return getSrcs().size(); }
  }];
}

def ScanReturnOp : Reduction_Op<"scan.return", [HasParent<"ScanOp">, Terminator, ReturnLike]> {
  let summary = "ends the region of tt.scan";
  let arguments = (ins Variadic<TT_Scalar>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
  let example = "tt.scan.return %c : f32";
}

def HistogramOp : Reduction_Op<"histogram", [TT_OrderInsensitive, TT_AnchorsPlainLayout, TT_OperandsShareLayout,
    TypesMatchWith<"the mask is i1 of the source's shape", "src", "mask",
                   "::tl::tt::getI1SameShape($_self)", "$_op.getNumOperands() < 2 || std::equal_to<>()">]> {
  let summary = "counts how often each value occurs";
  let description = [{
    Bin `b` of the 1-D result is the number of elements equal to `b` whose mask is true. Values are
    signed; those outside `[0, bins)` are not counted.
  }];
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolLike>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let example = "%h = tt.histogram %i, %m : tensor<64xi32> -> tensor<256xi32>";
  let hasVerifier = 1;
}

#endif
