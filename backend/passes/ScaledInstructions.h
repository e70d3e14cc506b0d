// SPDX-License-Identifier: MIT
//
// Which products of scaled narrow floats an instruction computes as they are. The others become
// ordinary products in DecomposeScaledProducts.cpp.
#pragma once

#include "dialect/Dialect.h"
#include "dialect/GpuTarget.h"

namespace tl::ttg {

/// Whether the instruction, one that scales its factors (MatrixLayouts.h), can compute the product:
/// floats of 8 bits, or of 4 in pairs along k, by exponents for 32 elements, and no less of it than
/// one instruction does.
bool computes(MatrixInstructionAttr instruction, tt::DotScaledOp product);

/// Whether one of the GPU's instructions can.
bool isComputedAsItIs(tt::DotScaledOp product, GpuAttr gpu);

} // namespace tl::ttg
