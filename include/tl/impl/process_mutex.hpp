// SPDX-License-Identifier: MIT
#pragma once
// Who holds a lock after a fork? A child has one thread, so a std::mutex that another one held in
// the parent is never unlocked there. A process_mutex belongs to a thread of this process or to
// nobody: what the parent's threads held is free in the child, which learns so, because what the
// lock guards may be half changed.

#include "tl/impl/compiler.hpp"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace tl::impl {

inline std::atomic<std::uint32_t> process_generation{1};

/// A number that no ancestor of this process has had.
inline std::uint32_t this_process() {
  // Two threads may both register at first: then a child counts twice, which does no harm.
  static constinit std::atomic<bool> registered{false};
  if (!registered.load(std::memory_order_acquire)) {
    pthread_atfork(nullptr, nullptr,
                   [] { process_generation.fetch_add(1, std::memory_order_relaxed); });
    registered.store(true, std::memory_order_release);
  }
  return process_generation.load(std::memory_order_relaxed);
}

class process_mutex {
public:
  /// True if a thread of the parent had it at the fork.
  [[nodiscard]] bool lock() {
    const std::uint32_t mine = this_process();
    for (;;) {
      std::uint32_t holder = free;
      if (process_.compare_exchange_strong(holder, mine, std::memory_order_acquire))
        return false;
      if (holder == mine)
        process_.wait(holder, std::memory_order_relaxed);
      else if (process_.compare_exchange_strong(holder, mine, std::memory_order_acquire))
        return true;
    }
  }
  void unlock() {
    process_.store(free, std::memory_order_release);
    process_.notify_one();
  }

private:
  static constexpr std::uint32_t free = 0;
  std::atomic<std::uint32_t> process_{free};
};

/// Holds a process_mutex while it lives.
class process_lock {
public:
  explicit process_lock(process_mutex &mutex) : mutex_(mutex), orphaned_(mutex.lock()) {}
  ~process_lock() { mutex_.unlock(); }
  process_lock(const process_lock &) = delete;
  process_lock &operator=(const process_lock &) = delete;

  /// May what the lock guards be half changed?
  bool is_orphaned() const { return orphaned_; }

private:
  process_mutex &mutex_;
  bool orphaned_;
};

} // namespace tl::impl
