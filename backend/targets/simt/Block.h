// SPDX-License-Identifier: MIT
//
// A block: its threads, who of them runs, and what they wait for.
//
// Every thread is a fiber. One runs until it comes to something that others take part in, and says
// so; the next one runs then. What all lanes of a warp do together (a shuffle, a matrix product) is
// done by the one that comes last, for all of them:
//
//     lane 0   ... operand, waits
//     lane 1   ... operand, waits                   the operation gets all operands, in the order
//     ...                                           of the lanes, and leaves the results there
//     lane 31  ... operand, computes, goes on
//
// so its meaning is one plain function of 32 operands, and the order in which lanes come does not
// matter. Barriers of the block and mbarriers are the same with other counts. When nobody can run
// and not all have ended, the threads wait for each other for ever: that is an error, with the
// lines where they stand.
//
// A thread that polls global memory waits for another block, which may not have begun: it is set
// aside (`poll`), and when no other thread can run, the cluster returns, so that the launch
// begins another one. Whether what it looks for will ever come is not known, but for the count of a
// grid barrier: that one stays as it is once a program has ended (Launch::failIfLeftAlone). A
// cluster (Cluster.h) runs its blocks in turn, each until it can do no more.
#pragma once

#include "support/Error.h"
#include "targets/simt/Thread.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tl::backend::simt {

class BankConflicts;
class Checks;
class Cluster;
class Launch;

/// Lanes that run the same code. Masks have a bit for each lane.
struct Warp {
  /// What all lanes do together: gets their operands.
  using Operation = void (*)(Warp &warp);

  Block *block = nullptr;
  unsigned number = 0, lanes = 32;
  uint64_t live = 0;    // not ended
  uint64_t ready = 0;   // can run
  uint64_t polling = 0; // would only look at memory again

  Operation operation = nullptr; // for which lanes are waiting
  uint64_t here = 0;             // lanes that have come
  uint64_t held = 0;             // of them, those that the operation has made wait for more
  std::array<void *, 64> operands{};

  template <class T> T &operand(unsigned lane) { return *static_cast<T *>(operands[lane]); }
};

/// A barrier in shared memory.
struct SharedBarrier {
  uint32_t expected = 0, pending = 0; // arrivals of a phase, and those that are missing
  int64_t bytes = 0;                  // that copies have yet to bring
  uint32_t phase = 0;
  struct Waiter {
    Thread *thread;
    uint32_t parity;
  };
  std::vector<Waiter> waiters;
};

/// Memory at an address whose lower 32 bits are zero, so that these are an offset.
class SharedArena {
public:
  SharedArena();
  ~SharedArena();
  SharedArena(const SharedArena &) = delete;
  SharedArena &operator=(const SharedArena &) = delete;

  static constexpr uint64_t offset = 4096; // of the first byte that a block has
  static constexpr uint64_t mostBytes = uint64_t(256) << 10;
  uint64_t base() const { return address; }
  /// Whether an address is in shared memory of any block, whatever its size.
  bool holds(uint64_t where) const { return where >> 32 == address >> 32; }

private:
  uint64_t address = 0, reserved = 0;
};

class Block {
public:
  /// Throws std::bad_alloc if there is no memory for it.
  Block(unsigned threads, unsigned lanes);
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Makes all threads ready to run a program.
  void begin(Launch &launch, const uint32_t (&program)[3]);

  /// The block runs together with those of the cluster.
  void join(Cluster &cluster, unsigned rank);
  /// Who polled memory looks again.
  void wakePolling();
  /// Runs threads until none can go on without another block. Whether any could.
  bool runReady();
  bool isPolling() const;
  /// One that waits at a grid barrier to which not all programs have come yet, if any.
  const Thread *waitingForGrid() const;
  unsigned liveThreads() const { return live; }
  /// Whether what overflows a stack ends there: see FiberStacks.
  bool hasClosedStacks() const { return stacks.areClosed(); }
  /// Of a block that is stuck: who waits where.
  Error describeStuck() const;

  // ---- Called by threads

  static Thread &running();

  /// All lanes that live come here with an operand of their own; then the operation is done.
  void meet(Thread &thread, Warp::Operation operation, void *operand);
  /// One of the 16 barriers of the block; `count` threads take part, 0: all that live. Without
  /// `waits`, the thread only arrives. Returns whether a thread came with a true `value`.
  bool meetAtBarrier(Thread &thread, unsigned id, unsigned count, bool waits, bool value);

  void initSharedBarrier(Thread &thread, uint64_t address, uint32_t count);
  void dropSharedBarrier(Thread &thread, uint64_t address);
  /// `expects`: bytes of copies that belong to the phase, beside the arrivals.
  void arriveAtSharedBarrier(Thread &thread, uint64_t address, uint32_t arrivals, int64_t expects);
  /// Bytes have come.
  void completeBytes(Thread &thread, uint64_t address, uint64_t bytes);
  /// Until the phase of this parity is complete.
  void waitAtSharedBarrier(Thread &thread, uint64_t address, uint32_t parity);

  /// The thread has looked at memory that another block may write, and will perhaps do so again.
  void poll(Thread &thread);
  /// The same, of one that knows that it will: lets others run at once.
  void pollLater(Thread &thread);
  /// Until `wake`.
  void sleep(Thread &thread);
  void wake(Thread &thread) { thread.warp->ready |= uint64_t(1) << thread.lane; }
  /// Ends the launch with the error, at the thread's site.
  [[noreturn]] void fail(Thread &thread, Error error);

  Launch &launch() { return *current; }
  Cluster &cluster() { return *neighbours; }
  /// The block of the cluster in whose shared memory the address is, if any.
  Block *ownerOf(uint64_t address);
  Checks *checks() { return memoryChecks; }
  BankConflicts *bankConflicts() { return banks; }
  unsigned threadCount() const { return unsigned(threads.size()); }
  unsigned lanes() const { return warps[0].lanes; }
  Thread &thread(unsigned index) { return *threads[index]; }
  SharedArena arena;

private:
  struct Arrival {
    unsigned id, count;
    bool waits, value;
  };
  static void arriveAsWarp(Warp &warp);
  struct Barrier {
    unsigned count = 0, arrived = 0;
    bool value = false;
    std::vector<Thread *> waiting, came;
  };

  static void runThread(void *thread);
  void finish(Warp &warp);
  void finishIfComplete(Barrier &barrier);
  void finishPhase(SharedBarrier &barrier, uint64_t address);
  SharedBarrier &sharedBarrier(Thread &thread, uint64_t address);
  void end(Thread &thread);

  FiberStacks stacks;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  std::unordered_map<uint64_t, SharedBarrier> sharedBarriers; // by address
  unsigned live = 0;
  Launch *current = nullptr;
  Cluster *neighbours = nullptr;
  Checks *memoryChecks = nullptr;
  BankConflicts *banks = nullptr;
};

} // namespace tl::backend::simt
