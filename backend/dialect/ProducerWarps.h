// SPDX-License-Identifier: MIT
//
// Warps that bring what others multiply: operations of TTGIR. ProducerWarps.td has the records,
// passes/SpecializeWarps.cpp makes them, lowering/ProducerWarps.cpp says what becomes of them.
#pragma once

#include "dialect/Gpu.h"

#define GET_OP_CLASSES
#include "dialect/ProducerWarps.h.inc"

namespace tl::ttg {

/// Warps that a program has beside those it has asked for, if it has some.
inline constexpr unsigned producerWarps = 4;

} // namespace tl::ttg
