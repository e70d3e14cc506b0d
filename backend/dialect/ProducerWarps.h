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

/// Whether a program of this many warps has producers where registers are enough.
bool mayHaveProducers(unsigned warps);

/// The program with its producers has the registers of a multiprocessor, or those that it may have
/// without them where a thread's are limited. None if the others would have too few.
std::optional<ProducerRegisters> registersBesideProducers(GpuAttr gpu);

/// Of a thread without producers, if a multiprocessor has two programs.
unsigned registersOfTwoPrograms(GpuAttr gpu);

/// Whether a thread's registers are limited so that a multiprocessor can have two programs.
bool leavesRegisters(GpuAttr gpu);

} // namespace tl::ttg
