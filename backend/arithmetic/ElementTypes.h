// SPDX-License-Identifier: MIT
//
// How the element types of TTIR travel in LLVM IR and lie in memory. One rule for registers (floats
// of 8 and 16 bits are plain bits, i1 is i1, pointers are opaque) and one for memory (i1 is a
// byte).
#pragma once

#include "arithmetic/FloatConversions.h"

#include "dialect/Dialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Type.h"

#include <optional>

namespace tl::backend {

/// The element type of a tensor, or the type itself.
mlir::Type elementType(mlir::Type type);

/// The shape of a tensor; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);

/// The number of elements; 1 for a scalar.
int64_t elementCount(mlir::Type type);

/// The floating format of an element type, or nothing.
std::optional<FloatFormat> floatFormat(mlir::Type element);

/// The floating format of an operand of a scaled product; nothing for those of 4 and 6 bits.
std::optional<FloatFormat> floatFormat(tt::ScaleDotElemType type);

/// The type of one element in registers. Throws Error for element types that no target has.
llvm::Type *registerType(llvm::LLVMContext &context, mlir::Type element);

/// The type of one element in memory.
llvm::Type *memoryType(llvm::LLVMContext &context, mlir::Type element);

using tt::memoryBytes;

/// A vector of the type, or the type itself when there is one lane.
llvm::Type *withLanes(llvm::Type *type, unsigned lanes);

} // namespace tl::backend
