// SPDX-License-Identifier: MIT
//
// Finds accesses that nothing orders, in shared and in global memory, and reads of memory that
// nobody has written.
//
// Time is counted by everybody for himself: each thread, and each of its agents, has a number, its
// *epoch*, that grows whenever it lets others know what it has done. What a thread knows of the
// others is a *clock*: for each of them, up to which epoch. Of each byte, the last write and two
// reads are kept with their epochs. Another access comes after a kept one if the clock of who makes
// it has reached that one's epoch; else nothing orders the two, and one of them being a write, it
// is a race, whatever the order was in this run:
//
//     thread 0 (epoch 1)   writes x          x: written by 0 in epoch 1
//     thread 1             reads x           knows nothing of 0's epoch 1: a race
//     both meet            0 is in epoch 2, and 1's clock says 0: 1
//     thread 1             reads x           0's epoch 1 is known: fine
//
// Threads that meet share one clock, so that a barrier costs one addition for each thread, not one
// for each pair. Agents that see memory in a way of their own (TMA, products of warp groups) have
// seen what threads wrote only if a fence said so in between; clocks keep that, too (`fenced`).
// Blocks know of each other by atomics that release and acquire.
#pragma once

#include "targets/simt/Block.h"
#include "targets/simt/Checks.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace tl::backend::simt {

class Sanitizer final : public Checks {
public:
  explicit Sanitizer(unsigned threads);
  ~Sanitizer() override;

  void beginBlock(Block &block) override;
  void access(Thread &thread, const MemoryAccess &access) override;
  void meet(Thread *const *threads, unsigned count) override;
  void release(Thread &thread, uint64_t object, Agent agent) override;
  void publish(Thread &thread, uint64_t object) override;
  void acquire(Thread &thread, uint64_t object) override;
  void fenceForAgents(Thread &thread) override;
  void commit(Thread &thread, Agent agent) override;
  void waitFor(Thread &thread, Agent agent, unsigned pending, bool onlyRead) override;

private:
  /// Who has epochs of his own: a thread, or what one of its agents reads or writes.
  enum Part : unsigned { itself, copies, bulkWrites, products, bulkReads, parts };

  struct Clock;
  using ClockPointer = std::shared_ptr<const Clock>;
  struct Clock {
    std::vector<uint32_t> epochs;                      // part * threads + thread
    std::unordered_map<uint64_t, ClockPointer> blocks; // what is known of others
  };
  struct View {
    ClockPointer seen, fenced; // null: nothing
  };
  struct ThreadState {
    View view;
    uint32_t epochs[parts] = {1, 1, 1, 1, 1};
    uint32_t known[parts] = {}; // of its own agents, by waiting for them
    std::vector<uint32_t> groups[parts];
  };
  struct BlockState {
    uint64_t number = 0;
    std::vector<ThreadState> threads;
    struct Object {
      View pending, visible;
    };
    std::unordered_map<uint64_t, Object> objects; // in shared memory
    std::vector<struct Cell> cells;               // of shared memory
    ~BlockState();
    BlockState();
  };
  using Object = BlockState::Object;

  BlockState &stateOf(Thread &thread);
  Object &objectAt(Thread &thread, uint64_t object);
  struct Cell *cellsOf(Thread &thread, uint64_t address, bool isShared, uint64_t &left);
  unsigned index(const Thread &thread, Part part) const;
  static Part partOf(Agent agent, AccessKind kind);
  bool isOrdered(const BlockState &block, const Thread &thread, const struct Mark &mark,
                 const MemoryAccess &access) const;
  /// Adds what the thread knows and has done to a clock that is being made.
  void addTo(Clock &seen, const BlockState &block, const Thread &thread) const;
  std::unique_ptr<Clock> emptyClock() const;
  void join(Clock &into, const Clock &from) const;
  void joinView(View &into, const View &from) const;
  [[noreturn]] void reportRace(Thread &thread, const struct Mark &mark, bool wasWrite,
                               const MemoryAccess &access);

  const unsigned threadCount;
  uint64_t nextBlock = 1;
  std::unordered_map<Block *, std::unique_ptr<BlockState>> blocks;
  std::unordered_map<uint64_t, Object> objects;                       // in global memory
  std::unordered_map<uint64_t, std::unique_ptr<struct Cell[]>> pages; // of global memory
  uint64_t lastPage = ~uint64_t(0);
  struct Cell *lastCells = nullptr;
};

} // namespace tl::backend::simt
