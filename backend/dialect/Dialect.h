// SPDX-License-Identifier: MIT
//
// The one include for everything of the `tt` dialect: types, attributes, operations. The records
// are in the .td files beside this one, one file an op group; Context.h parses and prints whole
// modules.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/Dialect.h.inc"
#include "dialect/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Attributes.h.inc"

#include "dialect/Interfaces.h.inc"
#include "dialect/Traits.h"

namespace tl::tt {

/// Most elements that a block tensor may have.
inline constexpr int64_t maxTensorElements = 1 << 20;

/// The memory that kernels share, as the resource of side effects.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

/// `!tt.ptr<T>` gives `T`, a tensor of pointers the tensor of pointees, anything else null.
mlir::Type getPointeeType(mlir::Type type);
/// `i1`, or a tensor of `i1` with the shape and encoding of `type`.
mlir::Type getI1SameShape(mlir::Type type);
/// `!tt.ptr<T>` for `T`, the tensor of pointers for a tensor.
mlir::Type getPointerTypeSameShape(mlir::Type type, int addressSpace = 1);
/// `type`, a scalar or a tensor, with another element type.
mlir::Type withElementType(mlir::Type type, mlir::Type element);
/// Bits of an element: pointers have 64.
unsigned getElementBits(mlir::Type type);
/// Bytes of an element in memory, where each has a whole number of them.
unsigned memoryBytes(mlir::Type type);
/// Whether elements are floats of 8 bits of the kinds that all vendors have.
bool isFp8(mlir::Type element);
/// "64x32" for a tensor, "scalar" for the rest: how messages show a shape.
std::string shapeText(mlir::Type type);
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace tl::tt

#define GET_OP_CLASSES
#include "dialect/Creation.h.inc"
#define GET_OP_CLASSES
#include "dialect/Memory.h.inc"
#define GET_OP_CLASSES
#include "dialect/Elementwise.h.inc"
#define GET_OP_CLASSES
#include "dialect/Reduction.h.inc"
#define GET_OP_CLASSES
#include "dialect/LinearAlgebra.h.inc"
#define GET_OP_CLASSES
#include "dialect/Shaping.h.inc"
#define GET_OP_CLASSES
#include "dialect/ControlFlow.h.inc"
#define GET_OP_CLASSES
#include "dialect/Debug.h.inc"

#include "dialect/Barrier.h"
#include "dialect/Gpu.h"
#include "dialect/MatrixProducts.h"
#include "dialect/Transfers.h"
