// SPDX-License-Identifier: MIT
#include "targets/cpu/ThreadPool.h"

#include "support/Environment.h"
#include "support/FloatingMode.h"

#include <algorithm>
#include <exception>
#include <pthread.h>
#include <sched.h>
#include <system_error>

namespace tl::backend::cpu {

/// A range at work. It lies on the stack of the thread that called `run`, which therefore leaves
/// only when no worker holds it any more: `members` counts the workers inside and changes only
/// under the pool's mutex, as does the pool's list of open jobs.
struct ThreadPool::Job {
  const uint64_t count, grain;
  const Call call;
  void *const context;
  const unsigned seats; // workers that may still be useful

  std::atomic<uint64_t> next{0}; // first index that nobody has taken
  std::atomic<bool> failed{false};
  std::exception_ptr failure{}; // written by the thread that set `failed`

  unsigned joined = 0;              // guarded by the pool's mutex
  std::atomic<unsigned> members{0}; // written under the pool's mutex
  std::condition_variable left{};

  /// Takes and runs ranges until none is left; `afterFirst` is called after the first.
  template <typename AfterFirst> void work(unsigned thread, AfterFirst &&afterFirst) noexcept {
    for (bool first = true;; first = false) {
      uint64_t begin = next.load(std::memory_order_relaxed);
      do {
        if (begin >= count)
          return;
      } while (!next.compare_exchange_weak(begin, begin + std::min(grain, count - begin),
                                           std::memory_order_relaxed));
      try {
        call(context, begin, begin + std::min(grain, count - begin), thread);
      } catch (...) {
        if (!failed.exchange(true))
          failure = std::current_exception();
        next.store(count, std::memory_order_relaxed); // drops what has not begun
      }
      if (first)
        afterFirst();
    }
  }
};

namespace {

unsigned threadsToUse() {
  if (unsigned wanted = environment().numThreads)
    return wanted;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return CPU_COUNT(&set);
  return std::max(1u, std::thread::hardware_concurrency());
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits a little (some 10 microseconds) before the thread sleeps: waking it again takes longer
/// than many kernels run.
template <typename Condition> void spinUntil(Condition condition) {
  for (int spin = 0; spin < 400 && !condition(); ++spin)
    pause();
}

std::atomic<ThreadPool *> sharedPool{nullptr};
std::mutex sharedMutex;

/// The threads of the parent do not exist in a forked child, so it forgets the parent's pool.
void forgetPool() {
  sharedPool.store(nullptr, std::memory_order_relaxed);
  new (&sharedMutex) std::mutex; // another thread of the parent may have held it
}

} // namespace

ThreadPool::ThreadPool(unsigned threads) : threadCount(std::max(1u, threads)) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

ThreadPool &ThreadPool::shared() {
  if (ThreadPool *pool = sharedPool.load(std::memory_order_acquire))
    return *pool;
  unsigned threads = threadsToUse();
  std::lock_guard<std::mutex> lock(sharedMutex);
  if (ThreadPool *pool = sharedPool.load(std::memory_order_relaxed))
    return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, forgetPool);
  (void)registered;
  // Never destroyed: a kernel may run while the process is leaving.
  ThreadPool *pool = new ThreadPool(threads);
  sharedPool.store(pool, std::memory_order_release);
  return *pool;
}

void ThreadPool::run(uint64_t count, uint64_t grain, Call call, void *context) {
  if (count == 0)
    return;
  grain = std::max<uint64_t>(grain, 1);
  uint64_t ranges = (count - 1) / grain + 1;
  if (ranges == 1 || threadCount == 1) {
    // The promise of ranges of `grain` indices holds for one thread too.
    for (uint64_t begin = 0; begin < count; begin += std::min(grain, count - begin))
      call(context, begin, begin + std::min(grain, count - begin), 0);
    return;
  }
  Job job{count, grain, call, context, unsigned(std::min<uint64_t>(threadCount - 1, ranges - 1))};
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (workers.empty())
      startWorkers();
    jobs.push_back(&job);
    published.fetch_add(1, std::memory_order_release);
  }
  if (job.seats == 1)
    wake.notify_one();
  else
    wake.notify_all();

  job.work(0, [&] {
    if (job.members.load(std::memory_order_relaxed) == 0)
      sendWorkersAway();
  });
  spinUntil([&] { return job.members.load(std::memory_order_acquire) == 0; });

  std::unique_lock<std::mutex> lock(mutex);
  auto place = std::find(jobs.begin(), jobs.end(), &job);
  if (place != jobs.end())
    jobs.erase(place);
  job.left.wait(lock, [&] { return job.members.load(std::memory_order_relaxed) == 0; });
  lock.unlock();
  if (job.failed.load(std::memory_order_relaxed))
    std::rethrow_exception(job.failure);
}

/// A woken worker may wait in the queue of the very processor that the caller keeps busy, for as
/// long as the system lets a thread run. Forbidding it that processor for a moment moves it.
void ThreadPool::sendWorkersAway() {
  const int here = sched_getcpu();
  constexpr size_t few = 4; // who sleeps elsewhere needs no push
  for (size_t i = 0; i < workers.size() && i < few && here >= 0; ++i) {
    pthread_t worker = workers[i].native_handle();
    cpu_set_t allowed;
    if (pthread_getaffinity_np(worker, sizeof allowed, &allowed) != 0 ||
        !CPU_ISSET(here, &allowed) || CPU_COUNT(&allowed) < 2)
      continue;
    cpu_set_t elsewhere = allowed;
    CPU_CLR(here, &elsewhere);
    if (pthread_setaffinity_np(worker, sizeof elsewhere, &elsewhere) == 0)
      pthread_setaffinity_np(worker, sizeof allowed, &allowed);
  }
}

void ThreadPool::startWorkers() {
  workers.reserve(threadCount - 1);
  for (unsigned i = 1; i < threadCount; ++i) {
    try {
      workers.emplace_back([this] { work(); });
    } catch (const std::system_error &) {
      return; // the system allows no more threads: those that run, and the caller, do the work
    }
  }
}

void ThreadPool::work() {
  FloatingMode::setDefault();
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopping) {
    Job *job = nullptr;
    for (size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i]->next.load(std::memory_order_relaxed) >= jobs[i]->count)
        continue; // all taken; its caller will remove it
      job = jobs[i];
      job->members.fetch_add(1, std::memory_order_relaxed);
      job->joined++;
      if (job->joined == job->seats)
        jobs.erase(jobs.begin() + ptrdiff_t(i));
      break;
    }
    if (!job) {
      uint32_t seen = published.load(std::memory_order_acquire);
      lock.unlock();
      spinUntil([&] { return published.load(std::memory_order_relaxed) != seen; });
      lock.lock();
      wake.wait(lock, [&] { return stopping || published.load() != seen; });
      continue;
    }
    unsigned thread = job->joined;
    lock.unlock();
    job->work(thread, [] {});
    lock.lock();
    if (job->members.fetch_sub(1, std::memory_order_release) == 1)
      job->left.notify_one();
  }
}

} // namespace tl::backend::cpu
