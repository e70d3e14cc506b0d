// SPDX-License-Identifier: MIT
//
// The passes that GPU targets share, from TTIR to TTGIR that is ready for lowering. They are
// functions, run in the order in which targets/<t>/Pipeline.cpp calls them.
#pragma once

#include "dialect/Dialect.h"
#include "layout/LinearLayout.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <vector>

namespace tl::backend {

/// What layouts depend on besides the kernel.
struct GpuShape {
  unsigned warps = 4, lanes = 32;
  bool matrixProducts = true; // whether there is GpuHooks::matrixProduct
};

/// Gives every tensor a layout (AssignLayouts.cpp).
void assignLayouts(mlir::ModuleOp module, const GpuShape &machine);

/// How warps are dealt to rows and columns of a product that matrix instructions compute; nothing
/// for products that they do not.
std::optional<std::vector<unsigned>> matrixInstructionWarps(tt::DotOp dot, unsigned warps);
/// The layout of the result on those instructions, and how many bits their operands have.
LinearLayout matrixAccumulator(tt::DotOp dot, const std::vector<unsigned> &warps);
unsigned matrixOperandBits(tt::DotOp dot);

} // namespace tl::backend
