// SPDX-License-Identifier: MIT
//
// Where the scratch of a kernel lies in shared memory, and where its threads must wait for each
// other. Plain C++ on a flow graph of events: the lowering (lowering/SharedMemory.h) records one
// event for each access, asks for a plan, and carries it out. Next: SharedPlan.cpp for how.
//
// A kernel is a graph of blocks, a block a list of events. An event stands for all accesses that
// the threads make between it and the next event, and all threads come past it together: a barrier
// may be put before it. Scratch is a set of *buffers*; a buffer's contents matter from its Open
// event to its last access.
//
//     Open A, Write A      threads store a tile              A lies at 0
//     Read A               ... and load it transposed        a barrier before it
//     Open B, Write B      the next scratch                  B lies after A, or over it; then a
//                                                            barrier here too
//     Read B               ... and load that                 a barrier before it in any case
//
// What is proven, for every path through the graph, loops included:
//   - buffers that are alive at the same time lie apart (interference over liveness);
//   - between two accesses of overlapping bytes by different threads, of which one writes, there is
//     a barrier. The analysis follows, along each edge, the set of accesses that no barrier ended.
//     The same holds for accesses of global memory that may meet, because the text of a kernel
//     promises an order to them;
//   - no barrier can be left out of the plan without breaking this.
// What is not: that the arena is the smallest of all (the best of several greedy orders is taken),
// and that another placing would not need fewer barriers. tests/unit/analysis compares both with
// the optimum on small programs, and follows random paths of random programs to see the above hold.
#pragma once

#include <cstdint>
#include <vector>

namespace tl::backend {

enum class SharedEventKind {
  Open,          // the buffer's life begins; what was in it is not needed
  Read,          // of bytes [begin, end) of the buffer
  Write,         // likewise
  Start,         // a copy into the buffer starts, and goes on behind the threads' backs
  Wait,          // at most `remaining` copies go on; each thread sees what its own have brought
  Arrive,        // the copies into the buffer are there, and every thread sees them
  GlobalRead,    // of global memory at `pointer` within one of the buffers `bases`
  GlobalWrite,   // likewise
  Release,       // what follows tells others that all accesses of global memory so far are done
  Acquire,       // accesses of global memory from here on come after what was just learned
  Barrier,       // there is one already
  InsertionPoint // nothing happens, but a barrier may be put here: before a loop
};

struct SharedEvent {
  SharedEventKind kind = SharedEventKind::Barrier;
  unsigned buffer = 0;
  uint64_t begin = 0, end = 0;
  /// Each warp has its own part of the buffer, the same in all such accesses of the buffer.
  bool withinWarp = false;
  unsigned remaining = 0;
  /// A bit for each buffer that it may be; 0: may be any. Different buffers never meet.
  uint64_t bases = 0;
  /// Not 0: accesses with the same number are made by the same threads at the same addresses.
  unsigned pointer = 0;
  /// Not 0: of bytes [from, to) after what has this number.
  unsigned origin = 0;
  int64_t from = 0, to = 0;
};

struct SharedBuffer {
  uint64_t bytes = 0, alignment = 16;
};

struct SharedProgram {
  struct Block {
    std::vector<SharedEvent> events;
    std::vector<unsigned> successors;
  };
  std::vector<Block> blocks; // the first is the entry
  std::vector<SharedBuffer> buffers;
  /// Shared memory that costs nothing: buffers are laid apart to save barriers up to here.
  uint64_t freeBytes = 0;
};

struct SharedPlan {
  struct Barrier {
    unsigned block, event; // before this event
    bool warp;             // the threads of a warp are enough
  };
  std::vector<uint64_t> offsets; // of the buffers
  uint64_t bytes = 0;            // of the arena
  std::vector<Barrier> barriers; // in the order of the text
};

SharedPlan planShared(const SharedProgram &program);

/// Pairs of buffers that are alive at the same time: [a][b].
std::vector<std::vector<bool>> sharedInterference(const SharedProgram &program);

/// Whether the plan keeps all promises; the analysis that made it, run on the result.
bool isSharedPlanValid(const SharedProgram &program, const SharedPlan &plan);

} // namespace tl::backend
