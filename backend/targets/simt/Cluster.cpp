// SPDX-License-Identifier: MIT
#include "targets/simt/Cluster.h"

#include "targets/simt/Functions.h"
#include "targets/simt/Launch.h"

namespace tl::backend::simt {

Cluster::Cluster(std::vector<std::unique_ptr<Block>> all, uint64_t number)
    : blocks(std::move(all)), barrier(number) {
  for (unsigned rank = 0; rank < size(); ++rank)
    blocks[rank]->join(*this, rank);
}

Cluster::Progress Cluster::run() {
  for (auto &block : blocks)
    block->wakePolling();
  // What one block does may let another go on.
  for (bool ran = true; ran;) {
    ran = false;
    for (auto &block : blocks) {
      ran |= block->runReady();
      if (block->launch().failed())
        return Progress::ended;
    }
    ran &= size() > 1;
  }
  if (live() == 0)
    return Progress::ended;
  for (auto &block : blocks)
    if (block->isPolling())
      return Progress::polling;
  return Progress::stuck;
}

Error Cluster::describeStuck() const {
  for (const auto &block : blocks)
    if (block->liveThreads())
      return block->describeStuck();
  return Error(TL_INTERNAL_ERROR, "no program is stuck");
}

const Thread *Cluster::waitingForGrid() const {
  for (const auto &block : blocks)
    if (const Thread *thread = block->waitingForGrid())
      return thread;
  return nullptr;
}

unsigned Cluster::live() const {
  unsigned all = 0;
  for (const auto &block : blocks)
    all += block->liveThreads();
  return all;
}

// ---- Shared memory

Block *Cluster::ownerOf(uint64_t address) {
  for (auto &block : blocks)
    if (block->arena.holds(address))
      return block.get();
  return nullptr;
}

uint64_t Cluster::addressOf(Thread &thread, uint32_t address) {
  const uint32_t number = address >> clusterRankBit,
                 offset = address & ((1u << clusterRankBit) - 1);
  if (number > size())
    thread.block->fail(thread, Error(TL_RUNTIME_ERROR,
                                     "the kernel reaches for block " + std::to_string(number - 1) +
                                         " of a cluster that has " + std::to_string(size())));
  Block &owner = number ? *blocks[number - 1] : *thread.block;
  if (owner.liveThreads() == 0)
    thread.block->fail(
        thread, Error(TL_RUNTIME_ERROR, "the kernel reaches into the shared memory of block " +
                                            std::to_string(number - 1) +
                                            " of its cluster, which "
                                            "has ended"));
  return owner.arena.base() + offset;
}

// ---- The barrier

void Cluster::arrive(Thread &thread) {
  if (thread.arrivedAt == phase)
    thread.block->fail(thread, Error(TL_RUNTIME_ERROR, "a thread arrives at the barrier of its "
                                                       "cluster twice without waiting there"));
  thread.arrivedAt = phase;
  ++arrived;
  if (Checks *checks = thread.block->checks())
    checks->release(thread, barrier, Agent::thread);
  finishIfComplete();
}

void Cluster::wait(Thread &thread) {
  if (thread.arrivedAt == phase) {
    waiting.push_back(&thread);
    return thread.block->sleep(thread);
  }
  if (Checks *checks = thread.block->checks())
    checks->acquire(thread, barrier);
}

void Cluster::noteEnd(Thread &thread) {
  if (thread.arrivedAt == phase)
    --arrived;
  finishIfComplete();
}

void Cluster::finishIfComplete() {
  if (arrived == 0 || arrived < live())
    return;
  ++phase;
  arrived = 0;
  Checks *checks = Block::running().block->checks();
  if (checks)
    checks->publish(Block::running(), barrier);
  for (Thread *thread : waiting) {
    if (checks)
      checks->acquire(*thread, barrier);
    thread->block->wake(*thread);
  }
  waiting.clear();
}

} // namespace tl::backend::simt
