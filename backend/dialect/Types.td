// SPDX-License-Identifier: MIT
//
// The types of the dialect (pointers, tensor descriptors) and the constraints of its operands.
// Integers are signless: operations, not types, tell signed from unsigned. Only the element type of a
// descriptor may carry a sign.
#ifndef TL_DIALECT_TYPES
#define TL_DIALECT_TYPES

include "mlir/IR/AttrTypeBase.td"
include "Dialect.td"

def TT_Ptr : TypeDef<TT_Dialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "pointer";
  let description = [{
    A pointer to one element in global memory, which is address space 1. Written `!tt.ptr<f32>` or
    `!tt.ptr<f32, 1>`; there are no pointers to other spaces. A tensor of pointers is
    `tensor<64x!tt.ptr<f32>>`; `!tt.ptr<tensor<64xf32>>` is a block pointer, a type of its own.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, DefaultValuedParameter<"int", "1">:$addressSpace);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
      return $_get(pointeeType.getContext(), pointeeType, addressSpace);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_BlockPtr : TypeDef<TT_Dialect, "BlockPointer"> {
  let mnemonic = "ptr";
  let typeName = "tt.block_ptr";
  let summary = "block pointer";
  let description = [{
    Where a block of a tensor in global memory begins, with the tensor's shape and strides: what
    `tt.make_tensor_ptr` makes and `tt.advance` moves. Written `!tt.ptr<tensor<128x64xf16>>`.
    Releases before 3.9 write block pointers; they are replaced before anything else is done
    with a kernel.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$blockType), [{
      return $_get(blockType.getContext(), blockType);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDesc : TypeDef<TT_Dialect, "TensorDesc"> {
  let mnemonic = "tensordesc";
  let summary = "tensor descriptor";
  let description = [{
    Describes a tensor in global memory (base, shape, strides) that is read and written one block
    at a time, with bounds checks. Written `!tt.tensordesc<128x64xf16>`; the older
    `!tt.tensordesc<tensor<128x64xf16>>` is read too. Integer elements may carry a sign (`si8`,
    `ui32`), which `tt.descriptor_reduce` needs for `min` and `max`.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$blockType), [{
      return $_get(blockType.getContext(), blockType);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<int64_t> getShape() const { return getBlockType().getShape(); }
    ::mlir::Type getElementType() const { return getBlockType().getElementType(); }
    /// The type of a block as a value: elements without a sign.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64], "float">;
def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_Scalar : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr], "float, integer or pointer">;

def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr], [], "tensor">;
def TT_PointTensor : TensorRankOf<[TT_Float, TT_Int, TT_Ptr], [0]>;
def TT_FloatTensor : RankedTensorOf<[TT_Float], [], "tensor">;
def TT_IntTensor : RankedTensorOf<[TT_Int], [], "tensor">;
def TT_IndexTensor : RankedTensorOf<[I16, I32], [], "tensor">;

def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor], "float or tensor of floats">;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor], "integer or tensor of integers">;
def TT_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1], [], "tensor">], "i1 or tensor of i1">;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>], "i64 or tensor of i64">;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, RankedTensorOf<[TT_Ptr]>], "pointer or tensor of pointers">;
def TT_PtrOrBlockPtr : AnyTypeOf<[TT_Ptr, RankedTensorOf<[TT_Ptr]>, TT_BlockPtr],
                                 "pointer, tensor of pointers or block pointer">;
def TT_Any : AnyTypeOf<[TT_Scalar, TT_Tensor], "scalar or tensor">;

#endif
