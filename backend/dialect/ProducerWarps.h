// SPDX-License-Identifier: MIT
//
// Warps that bring what others multiply: operations of TTGIR. ProducerWarps.td has the records,
// passes/SpecializeWarps.cpp makes them, lowering/ProducerWarps.cpp says what becomes of them.
#pragma once

#include "dialect/Gpu.h"

#define GET_OP_CLASSES
#include "dialect/ProducerWarps.h.inc"

namespace tl::ttg {

/// Warps that a program has beside those it has asked for, if it has some: these are 8.
inline constexpr unsigned producerWarps = 4, warpsBesideProducers = 8;

/// Registers of a thread of the producers, and of one of the others. A block has no more than its
/// threads begin with, which is the same number for each of them: with one more, the others would
/// wait for it for ever.
inline constexpr unsigned producerRegisters = 24, registersBesideProducers = 240,
                          registersAtFirst = 168;
static_assert(producerWarps * producerRegisters + warpsBesideProducers * registersBesideProducers <=
                  (producerWarps + warpsBesideProducers) * registersAtFirst &&
              (producerWarps + warpsBesideProducers) * 32 * registersAtFirst <= 65536);

} // namespace tl::ttg
