// SPDX-License-Identifier: MIT
//
// Operations that make values out of nothing but constants and the launch grid.
#ifndef TL_DIALECT_CREATION
#define TL_DIALECT_CREATION

include "Enums.td"
include "Types.td"

class Creation_Op<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, "creation", !listconcat([Pure], traits)>;

def GetProgramIdOp : Creation_Op<"get_program_id"> {
  let summary = "this program's coordinate in the launch grid";
  let description = [{
    The coordinate along one axis, in `[0, tt.get_num_programs)`.
  }];
  let arguments = (ins TT_ProgramIDDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let example = "%pid = tt.get_program_id x : i32";
  let builders = [OpBuilder<(ins "int":$axis), [{
    build($_builder, $_state, $_builder.getI32Type(),
          ProgramIDDimAttr::get($_builder.getContext(), ProgramIDDim(axis)));
  }]>];
  let extraClassDeclaration = [{ int32_t getAxisAsInt() { return static_cast<int32_t>(getAxis()); } }];
}

def GetNumProgramsOp : Creation_Op<"get_num_programs"> {
  let summary = "extent of the launch grid along an axis";
  let arguments = (ins TT_ProgramIDDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let example = "%n = tt.get_num_programs y : i32";
  let builders = [OpBuilder<(ins "int":$axis), [{
    build($_builder, $_state, $_builder.getI32Type(),
          ProgramIDDimAttr::get($_builder.getContext(), ProgramIDDim(axis)));
  }]>];
  let extraClassDeclaration = [{ int32_t getAxisAsInt() { return static_cast<int32_t>(getAxis()); } }];
}

def MakeRangeOp : Creation_Op<"make_range", [TT_Deferrable, TT_Rematerialisable]> {
  let summary = "consecutive integers";
  let description = [{
    The 1-D tensor `start, start + 1, ... end - 1`. `start` and `end` are signed; the extent is their
    difference, for upstream a power of two. A range of one element folds to a constant.
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let example = "%r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def SplatOp : Creation_Op<"splat", [TT_MovesElements, TT_MovesAxes, TT_StaysInBuffer, TT_Deferrable,
    TT_Rematerialisable, SameOperandsAndResultElementType]> {
  let summary = "a tensor with one value everywhere";
  let description = [{
    The value is a scalar. A tensor without axes is read, too, and replaced by its one element.
  }];
  let arguments = (ins AnyTypeOf<[TT_Scalar, TT_PointTensor], "scalar or tensor without axes">:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let example = "%t = tt.splat %s : f32 -> tensor<64x32xf32>";
  let hasFolder = 1;
}

def UnsplatOp : Creation_Op<"unsplat", [TT_MovesElements, TT_StaysInBuffer,
    TypesMatchWith<"the result has the element type of the source", "src", "result",
                   "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "the one element of a tensor, as a scalar";
  let description = [{
    The opposite of `tt.splat` for a tensor of exactly one element, whatever its rank.
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Scalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let example = "%s = tt.unsplat %one : tensor<1xf32>";
  let builders = [OpBuilder<(ins "::mlir::Value":$src), [{
    build($_builder, $_state, ::mlir::getElementTypeOrSelf(src.getType()), src);
  }]>];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
