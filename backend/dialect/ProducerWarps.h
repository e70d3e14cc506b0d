// SPDX-License-Identifier: MIT
//
// Warps that bring what others multiply: operations of TTGIR. ProducerWarps.td has the records,
// passes/SpecializeWarps.cpp makes them, lowering/ProducerWarps.cpp says what becomes of them.
#pragma once

#include "dialect/Gpu.h"
#include "dialect/GpuTarget.h"

#include <optional>

#define GET_OP_CLASSES
#include "dialect/ProducerWarps.h.inc"

namespace tl::ttg {

/// Warps that a program has beside those it has asked for, if it has some.
inline constexpr unsigned producerWarps = 4;

/// Registers of each thread: those that all of a block begin with, and those that producers and
/// others have afterwards. A block has no more than it began with: with one more, the others would
/// wait for it for ever.
struct ProducerRegisters {
  unsigned atFirst, producers, others;
};

/// Beside a program of `warps`, which has its multiprocessor for itself. None where producers would
/// leave the others too few, or where other programs should have them.
std::optional<ProducerRegisters> registersBesideProducers(unsigned warps);

/// Of a thread, if a multiprocessor has two programs.
unsigned registersOfTwoPrograms(GpuAttr gpu);

} // namespace tl::ttg
