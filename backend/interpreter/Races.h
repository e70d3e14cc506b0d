// SPDX-License-Identifier: MIT
//
// Which accesses of two programs of one launch are a race? Two programs touch one element, one of
// them writes, at least one of the two is not atomic, and nothing orders them.
//
// Programs run one after another here, so a race never shows in the result: it is found from the
// cells of Memory.h, which hold who touched an element last. What orders two programs is an atomic
// of release kind by the one and a later one of acquire kind by the other at the same address (a
// lock, a counter of finished blocks). So each address of such an atomic remembers the programs
// whose writes it publishes, and each program the programs whose writes it has seen:
//
//     program 0: store x; atomic_xchg(lock, 0)        publishes {0} at lock
//     program 1: atomic_cas(lock, 0, 1); store x      has seen {0}: no race
//
// Two simplifications, both towards silence: a program that synchronises once has published what
// it writes afterwards too, and a set of more than 64 programs becomes "all up to the latest".
// Volatile loads count as atomic. Reads are compared with plain writes only.
#pragma once

#include "interpreter/Memory.h"

#include <memory>

namespace tl::backend::interpreter {

/// Programs whose writes are visible; immutable, shared.
struct Knowledge {
  std::vector<uint32_t> stamps; // sorted
  uint32_t allUpTo = 0;         // and every stamp up to this one

  bool contains(uint32_t stamp) const;
};

/// What was found: the program that touched the element before, and how.
struct Race {
  uint32_t stamp = 0;
  bool found = false;
  bool earlierWrote = false;
  bool earlierAtomic = false;
};

class RaceTracker {
public:
  /// Starts a launch of `programs` programs; tracking is off where it could find nothing.
  void beginLaunch(Memory &memory, uint64_t programs);
  void beginProgram(uint64_t index);
  bool enabled() const { return tracking; }
  /// The index in the launch of the program with the stamp.
  uint64_t indexOf(uint32_t stamp) const { return stamp - first; }

  Race read(AccessCell *cells, uint64_t count);
  Race write(AccessCell *cells, uint64_t count);
  Race atomicWrite(AccessCell *cells, uint64_t count);

  void acquire(uint64_t address);
  void release(uint64_t address);

private:
  bool isOther(uint32_t stamp) const { return stamp >= first && stamp != current; }
  bool orders(uint32_t stamp) const { return known && known->contains(stamp); }

  bool tracking = false;
  uint32_t first = 1;   // stamp of the launch's first program
  uint32_t current = 1; // stamp of the running program
  std::shared_ptr<const Knowledge> known;
  std::unordered_map<uint64_t, std::shared_ptr<const Knowledge>> published;
};

} // namespace tl::backend::interpreter
