// SPDX-License-Identifier: MIT
//
// What lanes of a warp and threads of a block or cluster do together: shuffles, votes and barriers.
#include "targets/simt/Cluster.h"
#include "targets/simt/Functions.h"

#include <array>
#include <bit>
#include <string>

namespace tl::backend::simt {

namespace {

struct Shuffled {
  ShuffleKind kind;
  uint32_t value, b, c; // as in PTX: the lane or distance, and the segment with the bound
  uint32_t result;
};

void shuffle(Warp &warp) {
  std::array<uint32_t, 64> values{};
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (warp.here >> lane & 1)
      values[lane] = warp.operand<Shuffled>(lane).value;
  for (unsigned lane = 0; lane < warp.lanes; ++lane) {
    if (!(warp.here >> lane & 1))
      continue;
    auto &own = warp.operand<Shuffled>(lane);
    const unsigned mask = warp.lanes - 1, b = own.b & mask, bound = own.c & mask,
                   segment = own.c >> 8 & mask;
    const unsigned most = (lane & segment) | (bound & ~segment);
    const unsigned least = lane & segment;
    unsigned from = lane;
    bool isInside = true;
    switch (own.kind) {
    case ShuffleKind::up:
      from = lane - b;
      isInside = int(lane) - int(b) >= int(most);
      break;
    case ShuffleKind::down:
      from = lane + b;
      isInside = from <= most;
      break;
    case ShuffleKind::butterfly:
      from = lane ^ b;
      isInside = from <= most;
      break;
    case ShuffleKind::index:
      from = least | (b & ~segment & mask);
      isInside = from <= most;
      break;
    }
    if (!isInside)
      from = lane;
    if (!(warp.here >> from & 1)) {
      Thread &thread = warp.block->thread(warp.number * warp.lanes + lane);
      warp.block->fail(thread, Error(TL_RUNTIME_ERROR, "a lane reads the value of lane " +
                                                           std::to_string(from) +
                                                           " of its warp, which has ended"));
    }
    own.result = values[from];
  }
}

struct Gathered {
  uint32_t value, from, result;
};

void gather(Warp &warp) {
  std::array<uint32_t, 64> values{};
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (warp.here >> lane & 1)
      values[lane] = warp.operand<Gathered>(lane).value;
  for (unsigned lane = 0; lane < warp.lanes; ++lane) {
    if (!(warp.here >> lane & 1))
      continue;
    auto &own = warp.operand<Gathered>(lane);
    const unsigned from = own.from % warp.lanes;
    if (!(warp.here >> from & 1))
      warp.block->fail(warp.block->thread(warp.number * warp.lanes + lane),
                       Error(TL_RUNTIME_ERROR, "a lane reads the value of lane " +
                                                   std::to_string(from) +
                                                   " of its warp, which has ended"));
    own.result = values[from];
  }
}

uint32_t callGather(Thread *thread, uint32_t value, uint32_t from) {
  Gathered own{value, from, 0};
  thread->block->meet(*thread, &gather, &own);
  return own.result;
}

struct Vote {
  uint32_t value;
  uint64_t result;
};

void vote(Warp &warp) {
  uint64_t all = 0;
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (warp.here >> lane & 1)
      all |= uint64_t(warp.operand<Vote>(lane).value & 1) << lane;
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (warp.here >> lane & 1)
      warp.operand<Vote>(lane).result = all;
}

uint64_t callBallot(Thread *thread, uint32_t value) {
  Vote own{value, 0};
  thread->block->meet(*thread, &vote, &own);
  return own.result;
}

/// The bits of a mask, of the lower or the upper 32 lanes, below the lane, and a number.
uint32_t callCountBelow(uint32_t lane, uint32_t mask, uint32_t more, uint32_t isHigh) {
  const uint64_t below = (uint64_t(1) << lane) - 1;
  return more + uint32_t(std::popcount(mask & uint32_t(isHigh ? below >> 32 : below)));
}

/// All lanes have done what comes before.
void orderWarp(Warp &warp) {
  Checks *checks = warp.block->checks();
  if (!checks)
    return;
  std::array<Thread *, 64> met{};
  unsigned count = 0;
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (warp.here >> lane & 1)
      met[count++] = &warp.block->thread(warp.number * warp.lanes + lane);
  checks->meet(met.data(), count);
}

uint32_t callShuffle(Thread *thread, uint32_t kind, uint32_t value, uint32_t b, uint32_t c) {
  Shuffled own{ShuffleKind(kind), value, b, c, 0};
  thread->block->meet(*thread, &shuffle, &own);
  return own.result;
}

void callWarpBarrier(Thread *thread) { thread->block->meet(*thread, &orderWarp, nullptr); }

uint32_t callBarrier(Thread *thread, uint32_t id, uint32_t count, uint32_t waits, uint32_t value) {
  return thread->block->meetAtBarrier(*thread, id, count, waits != 0, value != 0);
}

void callArriveAtCluster(Thread *thread) { thread->block->cluster().arrive(*thread); }
void callWaitAtCluster(Thread *thread) { thread->block->cluster().wait(*thread); }

} // namespace

void addExchanges(SymbolList &list) {
  list.emplace_back("tl_simt_gather", reinterpret_cast<void *>(&callGather));
  list.emplace_back("tl_simt_ballot", reinterpret_cast<void *>(&callBallot));
  list.emplace_back("tl_simt_count_below", reinterpret_cast<void *>(&callCountBelow));
  list.emplace_back("tl_simt_shuffle", reinterpret_cast<void *>(&callShuffle));
  list.emplace_back("tl_simt_warp_barrier", reinterpret_cast<void *>(&callWarpBarrier));
  list.emplace_back("tl_simt_arrive_at_cluster", reinterpret_cast<void *>(&callArriveAtCluster));
  list.emplace_back("tl_simt_wait_at_cluster", reinterpret_cast<void *>(&callWaitAtCluster));
  list.emplace_back("tl_simt_barrier", reinterpret_cast<void *>(&callBarrier));
}

} // namespace tl::backend::simt
