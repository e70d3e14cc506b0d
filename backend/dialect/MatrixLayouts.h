// SPDX-License-Identifier: MIT
//
// The layouts in which an instruction of a single warp takes its operands and gives its result: of
// one of its tiles, and of tensors that many of them cover. The family of the instruction says
// which of NamedLayouts.h they are; who asks here need not know it.
#pragma once

#include "dialect/GpuTarget.h"
#include "layout/NamedLayouts.h"

namespace tl::ttg {

/// Of sums, for `warps` warps along each axis.
backend::LinearLayout accumulatorLayout(MatrixInstructionAttr instruction,
                                        const backend::Shape &shape,
                                        const std::vector<unsigned> &warps);

/// Of an operand (index 0: m x k, 1: k x n). A lane has `neighbours` elements that follow each
/// other along k; which k they are is free, as long as both operands agree.
backend::LinearLayout operandLayout(MatrixInstructionAttr instruction, unsigned index,
                                    const backend::Shape &shape, unsigned neighbours,
                                    const std::vector<unsigned> &warps);

/// Whether the instruction multiplies its factors by scales, one for 32 elements along k. It takes
/// bytes, of which a lane has 16 neighbours along k at a time: its `element` is i8.
bool isScaled(MatrixInstructionAttr instruction);

/// Of an operand's scales (rows or columns x groups of 32 along k).
backend::LinearLayout scaleLayout(MatrixInstructionAttr instruction, unsigned index,
                                  backend::Shape shape, const std::vector<unsigned> &warps);

/// How many lanes lie along k, and how many elements along k a lane has for one instruction.
unsigned lanesAlongK(MatrixInstructionAttr instruction);
unsigned elementsAlongK(MatrixInstructionAttr instruction);

} // namespace tl::ttg
