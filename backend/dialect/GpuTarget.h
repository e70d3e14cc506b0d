// SPDX-License-Identifier: MIT
//
// How decisions stand in TTGIR until they are carried out: the attributes that targets and passes
// leave for the passes after them. GpuTarget.td has their types.
//
//   ttg.gpu              of the module: what it is compiled for; written by the target
//   ttg.anchor           of an operation: the layout that it works in, whatever its operands have;
//                        written by coalesce-accesses and select-matrix-instructions, and gone
//                        when propagate-layouts has made types of it
//   ttg.operand_anchors  of an operation: the layouts in which it takes its first operands, where
//                        they differ from the anchor
//   ttg.contiguous       of an arith.remsi: its results follow each other as if its operands were
//                        not negative; written by check-remainders
//   ttg.instruction      of a tt.dot: the instruction that computes it; it stays, and the lowering
//                        reads it
//   ttg.swizzle          of a tt.make_tensor_descriptor: blocks lie in shared memory with the
//                        hardware's swizzle of that width in bytes; written by pipeline-loops
//   ttg.scattered        of an anchored tt.load: no two of its addresses are neighbours, and they
//                        were loaded or are many times the same, so that no layout of its own is
//                        better than that of what it is computed from or with; written by
//                        coalesce-accesses, read by propagate-layouts
//   ttg.copies_zeros     of a ttg.async_copy_global_to_local: what the program masks is zeros, so
//                        that copies in lane order can bring those from memory, whatever the mask
//                        is; written by pipeline-loops
#pragma once

#include "dialect/Layouts.h"

#include "mlir/IR/BuiltinOps.h"

#define GET_ATTRDEF_CLASSES
#include "dialect/GpuTarget.h.inc"

namespace tl::ttg {

inline constexpr llvm::StringLiteral gpuName = "ttg.gpu";
inline constexpr llvm::StringLiteral anchorName = "ttg.anchor";
inline constexpr llvm::StringLiteral operandAnchorsName = "ttg.operand_anchors";
inline constexpr llvm::StringLiteral contiguousName = "ttg.contiguous";
inline constexpr llvm::StringLiteral instructionName = "ttg.instruction";
inline constexpr llvm::StringLiteral swizzleName = "ttg.swizzle";
inline constexpr llvm::StringLiteral scatteredName = "ttg.scattered";
inline constexpr llvm::StringLiteral copiesZerosName = "ttg.copies_zeros";

/// What the module is compiled for; null, after a diagnostic, if it does not say so.
GpuAttr gpuOf(mlir::ModuleOp module);

/// The layout that the operation is anchored to; null for none.
LayoutAttr anchorOf(mlir::Operation *op);
/// The layout in which the operation takes operand `index`, where that is decided and not the
/// anchor; null otherwise.
LayoutAttr operandAnchorOf(mlir::Operation *op, unsigned index);
/// The instruction that computes the product; null for one that is computed by multiply-adds.
MatrixInstructionAttr instructionOf(mlir::Operation *op);

} // namespace tl::ttg
