// SPDX-License-Identifier: MIT
//
// Warps that bring what others multiply: operations of TTGIR. ProducerWarps.td has the records,
// passes/SpecializeWarps.cpp makes them, lowering/ProducerWarps.cpp says what becomes of them.
#pragma once

#include "dialect/Gpu.h"

#define GET_OP_CLASSES
#include "dialect/ProducerWarps.h.inc"

namespace tl::ttg {

/// Warps that a program has beside those it has asked for, if it has some, and registers of each of
/// their threads.
inline constexpr unsigned producerWarps = 4, producerRegisters = 24;

/// Registers of each thread of a program of `warps` warps, a multiple of 4, that has producers: the
/// register file has 512 for each lane of a group of four warps and of all others.
constexpr unsigned registersBesideProducers(unsigned warps) {
  constexpr unsigned all = 512, most = 240;
  unsigned rest = (all - producerRegisters) / (warps / 4) / 8 * 8;
  return rest < most ? rest : most;
}

} // namespace tl::ttg
