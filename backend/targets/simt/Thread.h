// SPDX-License-Identifier: MIT
//
// A thread of an emulated block: what the machine code reads of it directly, what the functions
// that code calls (Functions.h) need to know, and its fiber. Next: Block.h.
#pragma once

#include "targets/simt/Fibers.h"

#include <cstdint>

namespace tl::backend::simt {

class Block;
struct Warp;

/// The part that machine code reads and writes, by offset.
struct ThreadWords {
  uint32_t site = 0;        // where the code stands, an index into SimtKernel::sites
  uint32_t index = 0;       // in the block
  uint64_t shared = 0;      // what addresses of 32 bits in shared memory are added to
  uint32_t program[3] = {}; // the block's place in the grid
  uint32_t programs[3] = {};
  uint32_t lane = 0;     // in the warp
  uint32_t rank = 0;     // of the block in its cluster
  uint64_t implicit = 0; // what AMD's loaders put after the parameters
};

struct Thread : ThreadWords {
  Block *block = nullptr;
  Warp *warp = nullptr;
  uint32_t answer = 0;     // of what it waited for
  bool fenced = false;     // so that its atomics release
  uint64_t lastAtomic = 0; // which a fence after it lets acquire
  uint32_t arrivedAt = 0;  // phase of the cluster's barrier
  unsigned polls = 0;      // of memory, since it last let others run
  bool isAtGridBarrier = false;
  uint32_t gridArrivals = 0; // that it found when it came to the grid's barrier
  Fiber fiber;
};

} // namespace tl::backend::simt
