// SPDX-License-Identifier: MIT
//
// Which values of a kernel are known when it is launched, without running any of it: parameters,
// constants, and products of them. A product wraps around where its type ends, and the launch has
// to come to the same number: it multiplies in one width. So a product of 32 bits that is widened
// is known, and so is a product of widened parameters, but not the product of a widened product.
#pragma once

#include "analysis/TensorMapRecipe.h"
#include "dialect/Dialect.h"

#include <optional>

namespace tl::backend {

/// Of a scalar integer.
std::optional<LaunchNumber> launchNumberOf(mlir::Value value);

/// The index of the parameter that the pointer is.
std::optional<unsigned> pointerParameterOf(mlir::Value value);

/// Bytes of the hardware's swizzle of blocks in shared memory, 0 for none (ttg.swizzle).
unsigned swizzleBytesOf(tt::MakeTensorDescOp op);

/// What is copied at once, in elements, from the last axis to the first: a block, or as much of its
/// rows as a pattern of the swizzle is wide.
std::vector<uint32_t> tensorBoxOf(tt::MakeTensorDescOp op);

/// The map of a descriptor of which all is known at the launch.
std::optional<TensorMapRecipe> tensorMapRecipeOf(tt::MakeTensorDescOp op);

/// Elements as hardware knows them, of 1, 2, 4 or 8 bytes.
TensorElement tensorElementOf(mlir::Type element, bool isUnsigned);

} // namespace tl::backend
