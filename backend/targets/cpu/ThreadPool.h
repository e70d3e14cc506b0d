// SPDX-License-Identifier: MIT
//
// Runs the programs of a grid on all cores: persistent threads that share ranges of work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace tl::backend::cpu {

/// Threads that wait for ranges of work. A range belongs to the thread that calls `run`: it takes
/// part itself, idle workers join it, and it returns when every index has been done. Because the
/// caller can always finish alone, any number of threads may call at once, bodies may call `run`
/// again, and no order of calls can deadlock. Workers start with the first range that needs them.
///
///   ThreadPool::shared().run(programs, 16, [&](uint64_t begin, uint64_t end, unsigned thread)
///   {…});
class ThreadPool {
public:
  /// `threads` counts the caller: 1 never starts a worker.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The pool of the process, with TL_NUM_THREADS threads, or as many as the process may run on.
  /// Throws Error when TL_NUM_THREADS is not a number from 1 to 1024. A forked child gets a new
  /// one.
  static ThreadPool &shared();

  unsigned threads() const { return threadCount; }

  /// Calls body(begin, end, thread) for disjoint ranges that cover 0 … count-1, `grain` indices
  /// each but the last. `thread` is below threads() and unique among the calls that run at one time
  /// for this range. A count up to the grain runs at once in the caller. When a body throws, ranges
  /// not begun are dropped and the first exception comes out of `run`.
  template <typename Body> void run(uint64_t count, uint64_t grain, Body &&body) {
    using Plain = std::remove_reference_t<Body>;
    run(
        count, grain,
        [](void *context, uint64_t begin, uint64_t end, unsigned thread) {
          (*static_cast<Plain *>(context))(begin, end, thread);
        },
        const_cast<std::remove_const_t<Plain> *>(&body));
  }

private:
  using Call = void (*)(void *context, uint64_t begin, uint64_t end, unsigned thread);
  struct Job;

  void run(uint64_t count, uint64_t grain, Call call, void *context);
  void startWorkers();
  void sendWorkersAway();
  void work();

  const unsigned threadCount;
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<Job *> jobs;          // open ranges, oldest first; guarded by the mutex
  std::vector<std::thread> workers; // started once
  std::atomic<uint32_t> published{0};
  bool stopping = false;
};

} // namespace tl::backend::cpu
