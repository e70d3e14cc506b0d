// SPDX-License-Identifier: MIT
//
// What the emulator tells of a launch to whoever checks it: each access to memory and each event by
// which threads order their accesses. Execution knows nothing of what is checked, and checking
// nothing of fibers and instructions; this interface is all that lies between them.
//
// Copies and matrix products that go on while their thread does are done by *agents*: every thread
// has one for each kind, whose accesses come after what the thread did before it started them, and
// before what anybody does who has waited for them.
#pragma once

#include "targets/simt/Thread.h"

#include <cstdint>

namespace tl::backend::simt {

enum class Agent : uint8_t {
  thread,        // the thread itself
  asyncCopies,   // cp.async
  bulkCopies,    // TMA
  matrixProducts // of warp groups
};

enum class AccessKind : uint8_t { read, write, atomic };

struct MemoryAccess {
  uint64_t address = 0;
  uint32_t bytes = 0;
  AccessKind kind = AccessKind::read;
  Agent agent = Agent::thread;
  bool isShared = false;
};

class Checks {
public:
  virtual ~Checks() = default;
  /// A block begins with all of its memory unwritten.
  virtual void beginBlock(Block &block) = 0;

  virtual void access(Thread &thread, const MemoryAccess &access) = 0;

  /// All of these threads have met: what any did before is before what all do from now on.
  virtual void meet(Thread *const *threads, unsigned count) = 0;
  /// The thread (or what its agent has been given so far) arrives at what others wait for.
  virtual void release(Thread &thread, uint64_t object, Agent agent) = 0;
  /// What has been released there so far is what those get who acquire.
  virtual void publish(Thread &thread, uint64_t object) = 0;
  virtual void acquire(Thread &thread, uint64_t object) = 0;
  /// The thread's agents see from now on what it has seen so far.
  virtual void fenceForAgents(Thread &thread) = 0;

  /// The thread closes a group of what it has given to the agent.
  virtual void commit(Thread &thread, Agent agent) = 0;
  /// It waits for all but the last `pending` groups. `onlyRead`: for what they read alone.
  virtual void waitFor(Thread &thread, Agent agent, unsigned pending, bool onlyRead) = 0;
};

} // namespace tl::backend::simt
