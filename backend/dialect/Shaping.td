// SPDX-License-Identifier: MIT
//
// Operations that move elements without changing them. Elements are numbered in row-major order.
#ifndef TL_DIALECT_SHAPING
#define TL_DIALECT_SHAPING

include "Enums.td"
include "Types.td"

class Shaping_Op<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, "shaping", !listconcat([Pure, TT_Deferrable], traits)>;

def ExpandDimsOp : Shaping_Op<"expand_dims", [TT_MovesElements, TT_MovesAxes, TT_StaysInBuffer,
    TT_Rematerialisable, SameOperandsAndResultElementType]> {
  let summary = "inserts an axis of extent 1";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let example = "%e = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>";
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "uint32_t":$axis)>];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let hasFolder = 1;
}

def BroadcastOp : Shaping_Op<"broadcast", [TT_MovesElements, TT_MovesAxes, TT_StaysInBuffer,
    TT_Rematerialisable, SameOperandsAndResultElementType]> {
  let summary = "repeats axes of extent 1";
  let description = [{
    Source and result have the same rank; each extent is equal or 1 in the source.
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let example = "%b = tt.broadcast %e : tensor<64x1xf32> -> tensor<64x32xf32>";
  let hasCanonicalizeMethod = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ReshapeOp : Shaping_Op<"reshape", [TT_MovesElements, TT_StaysInBuffer, SameOperandsAndResultElementType]> {
  let summary = "the same elements in another shape";
  let description = [{
    Keeps the row-major order, unless `allow_reorder` says that any order will do.
    `efficient_layout` is a hint that the result's layout was chosen with care.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict `:`
    type($src) `->` type($result)
  }];
  let example = "%r = tt.reshape %xy allow_reorder : tensor<64x32xf32> -> tensor<2048xf32>";
  let hasCanonicalizeMethod = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TransOp : Shaping_Op<"trans", [TT_MovesElements, TT_MovesAxes, TT_StaysInBuffer,
    SameOperandsAndResultElementType]> {
  let summary = "permutes axes";
  let description = [{
    Axis `i` of the result is axis `order[i]` of the source.
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let example = "%t = tt.trans %xy {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>";
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::llvm::ArrayRef<int32_t>":$order)>];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def JoinOp : Shaping_Op<"join", [TT_MovesElements, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "two tensors side by side in a new innermost axis";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let example = "%j = tt.join %x, %x : tensor<64xf32> -> tensor<64x2xf32>";
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SplitOp : Shaping_Op<"split", [TT_MovesElements, TT_StaysInBuffer, AllTypesMatch<["outLHS", "outRHS"]>]> {
  let summary = "the two halves of an innermost axis of extent 2";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let example = "%l, %h = tt.split %j : tensor<64x2xf32> -> tensor<64xf32>";
  let builders = [OpBuilder<(ins "::mlir::Value":$src)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def CatOp : Shaping_Op<"cat", [TT_MovesElements, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "two tensors, one after the other";
  let description = [{
    Concatenates 1-D tensors, keeping their order. Written by releases before 3.9 only, where the order was
    unspecified; canonicalisation replaces it by join, transposition and reshape.
  }];
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let example = "%k = tt.cat %x, %x : tensor<64xf32> -> tensor<128xf32>";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def GatherOp : Shaping_Op<"gather"> {
  let summary = "elements chosen along an axis by an index tensor";
  let description = [{
    `result[..., i, ...] = src[..., indices[..., i, ...], ...]` along `axis`. Extents other than the axis
    are no larger in `indices` than in `src`. An index outside `[0, extent)` gives an unspecified
    element of the tensor or zero, but never a fault.
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let example = "%g = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>";
  let hasVerifier = 1;
}

#endif
