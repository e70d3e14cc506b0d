// SPDX-License-Identifier: MIT
//
// What lanes of a warp and threads of a block do together: shuffles, votes and barriers.
#include "targets/simt/Block.h"
#include "targets/simt/Functions.h"

#include <array>
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

} // namespace

void addExchanges(SymbolList &list) {
  list.emplace_back("tl_simt_shuffle", reinterpret_cast<void *>(&callShuffle));
  list.emplace_back("tl_simt_warp_barrier", reinterpret_cast<void *>(&callWarpBarrier));
  list.emplace_back("tl_simt_barrier", reinterpret_cast<void *>(&callBarrier));
}

} // namespace tl::backend::simt
