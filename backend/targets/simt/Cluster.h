// SPDX-License-Identifier: MIT
//
// Blocks that run at the same time and see each other's shared memory: those of a cluster, or one
// alone. Next: Block.h for what happens within one.
#pragma once

#include "targets/simt/Block.h"

#include <memory>
#include <vector>

namespace tl::backend::simt {

class Cluster {
public:
  /// `number` is the cluster's in the launch, from 1 on.
  Cluster(std::vector<std::unique_ptr<Block>> blocks, uint64_t number);
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;

  enum class Progress { ended, polling, stuck };
  /// Runs threads until none can go on without another cluster.
  Progress run();
  /// Of a cluster that is stuck: who waits where.
  Error describeStuck() const;
  /// One that waits at a grid barrier to which not all programs have come yet, if any.
  const Thread *waitingForGrid() const;
  /// The blocks, which another cluster may have now.
  std::vector<std::unique_ptr<Block>> takeBlocks() { return std::move(blocks); }

  // ---- Called by threads

  unsigned size() const { return unsigned(blocks.size()); }
  Block &block(unsigned rank) { return *blocks[rank]; }
  /// In whose shared memory an address of the host is; null: in no block's.
  Block *ownerOf(uint64_t address);

  /// The host's address of one of 32 bits (clusterRankBit). `thread` is who asks.
  uint64_t addressOf(Thread &thread, uint32_t address);

  /// All threads that live take part.
  void arrive(Thread &thread);
  void wait(Thread &thread);
  /// A thread has ended, of whom the others must not wait.
  void noteEnd(Thread &thread);

private:
  unsigned live() const;
  void finishIfComplete();

  std::vector<std::unique_ptr<Block>> blocks;
  const uint64_t barrier; // for Checks: an address where nothing is
  uint32_t phase = 1;     // of the barrier
  unsigned arrived = 0;
  std::vector<Thread *> waiting;
};

} // namespace tl::backend::simt
