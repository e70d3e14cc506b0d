// SPDX-License-Identifier: MIT
#include "support/Fork.h"

#include "support/Error.h"

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <thread>

namespace tl::backend {

std::atomic<uint32_t> forksWaiting{0};

namespace {

/// How many threads are inside. Each counts itself in the shard of its number, so that threads
/// which allocate at the same time do not wait for each other's cache line.
struct alignas(64) Shard {
  std::atomic<uint32_t> inside{0};
};
constexpr uint32_t shardCount = 16;
Shard shards[shardCount];

thread_local ForkThread here;
/// Whether the child that this thread is about to make cannot use libtl.
thread_local bool childIsLost = false;
std::atomic<bool> isLost{false};

struct Reset {
  void (*reset)(void *);
  void *object;
  const Reset *next;
};
std::atomic<const Reset *> resets{nullptr};

constexpr auto longest = std::chrono::seconds(10);

void rest() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

uint32_t nextShard() {
  static std::atomic<uint32_t> threads{0};
  return threads.fetch_add(1, std::memory_order_relaxed) % shardCount;
}

/// Waits while a fork is under way. Either this thread sees the fork, or the fork sees this thread:
/// both write before they look.
void goInside() {
  std::atomic<uint32_t> &inside = shards[here.shard].inside;
  for (;;) {
    inside.fetch_add(1, std::memory_order_seq_cst);
    if (forksWaiting.load(std::memory_order_seq_cst) == 0)
      return;
    inside.fetch_sub(1, std::memory_order_release);
    while (forksWaiting.load(std::memory_order_relaxed) != 0)
      rest();
  }
}

void goOutside() { shards[here.shard].inside.fetch_sub(1, std::memory_order_release); }

void beforeFork() {
  forksWaiting.fetch_add(1, std::memory_order_seq_cst);
  const auto end = std::chrono::steady_clock::now() + longest;
  childIsLost = here.depth > 0;
  auto isEmpty = [](uint32_t shard) {
    const uint32_t own = here.depth > 0 && shard == here.shard ? 1 : 0;
    return shards[shard].inside.load(std::memory_order_seq_cst) <= own;
  };
  for (uint32_t shard = 0; shard < shardCount && !childIsLost; ++shard)
    while (!isEmpty(shard)) {
      if (std::chrono::steady_clock::now() > end) {
        childIsLost = true;
        break;
      }
      rest();
    }
}

void afterForkInParent() { forksWaiting.fetch_sub(1, std::memory_order_release); }

void afterForkInChild() {
  if (childIsLost)
    isLost.store(true, std::memory_order_relaxed);
  for (Shard &shard : shards)
    shard.inside.store(0, std::memory_order_relaxed);
  if (here.depth > 0)
    shards[here.shard].inside.store(1, std::memory_order_relaxed);
  forksWaiting.store(0, std::memory_order_relaxed);
  for (const Reset *entry = resets.load(std::memory_order_acquire); entry; entry = entry->next)
    entry->reset(entry->object);
}

/// Two threads that come at the same time may both do it: then fork waits twice, and the child
/// resets twice, which does no harm.
void registerOnce() {
  static std::atomic<bool> registered{false};
  if (registered.load(std::memory_order_acquire))
    return;
  pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
  registered.store(true, std::memory_order_release);
}

} // namespace

ForkGuard::ForkGuard() {
  if (here.depth == 0) {
    registerOnce();
    static thread_local const uint32_t shard = nextShard();
    here.shard = shard;
    goInside();
  }
  ++here.depth;
  if (__builtin_expect(isLost.load(std::memory_order_relaxed), 0)) {
    if (--here.depth == 0)
      goOutside();
    raise(TL_RUNTIME_ERROR,
          "libtl cannot be used in this process, which was forked while a function of libtl was "
          "at work that did not end within 10 seconds",
          "fork while no thread compiles, or start the child with exec");
  }
}

ForkGuard::~ForkGuard() {
  if (--here.depth == 0)
    goOutside();
}

ForkPause::ForkPause() : depth(here.depth) {
  if (depth == 0)
    return;
  here.depth = 0;
  goOutside();
}

ForkPause::~ForkPause() {
  if (depth == 0)
    return;
  goInside();
  here.depth = depth;
}

ForkPoints::ForkPoints() : outer(here.points) { here.points = true; }
ForkPoints::~ForkPoints() { here.points = outer; }

void stepAside() {
  if (here.points)
    ForkPause pause;
}

void onFork(void (*reset)(void *object), void *object) {
  auto *entry = new Reset{reset, object, resets.load(std::memory_order_relaxed)};
  const Reset *expected = entry->next;
  while (!resets.compare_exchange_weak(expected, entry, std::memory_order_release,
                                       std::memory_order_relaxed))
    entry->next = expected;
}

ForkThread forkThread() { return here; }
void adoptForkThread(ForkThread thread) { here = thread; }

} // namespace tl::backend
