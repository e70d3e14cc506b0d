// SPDX-License-Identifier: MIT
//
// What happens to libtl when the process forks. A child has one thread: locks that others held stay
// taken for ever there, and what they were changing stays half changed. So fork waits until no
// thread is inside of libtl, and the child begins with everything free and whole:
//
//     thread A   [ tl_allocate ]                  [ tl_allocate ...
//     thread B   [ tl_compile: parse | passes |            | code ]
//     thread C                  fork waits ...| |
//
// A function of the C API that takes locks or changes tables is inside while a `ForkGuard` lives.
// Who takes long lets a waiting fork pass at points where nothing is half done (`letForkPass`), and
// who waits for another thread is outside for that time (`ForkPause`). Launches on the CPU and
// waiting for a GPU are not inside at all: they use nothing that a child needs.
//
// Fork waits for ten seconds at most. A child that is made after that, or by a thread that is
// inside itself (in a signal handler), is refused with an error by every function that needs a
// guard.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace tl::backend {

/// Makes the calling thread one that fork waits for. Guards may be nested.
class ForkGuard {
public:
  /// Throws Error in a child that cannot use libtl.
  ForkGuard();
  ~ForkGuard();
  ForkGuard(const ForkGuard &) = delete;
  ForkGuard &operator=(const ForkGuard &) = delete;
};

/// Lets forks pass while the thread waits for another one, or for a device. What it holds
/// meanwhile must be reset in children (`onFork`). Without a guard it does nothing.
class ForkPause {
public:
  ForkPause();
  ~ForkPause();
  ForkPause(const ForkPause &) = delete;
  ForkPause &operator=(const ForkPause &) = delete;

private:
  uint32_t depth;
};

/// Locks what may be held by a thread that lets forks pass meanwhile. Children must reset it.
template <class Mutex> std::unique_lock<Mutex> lockOutside(Mutex &mutex) {
  ForkPause pause;
  return std::unique_lock<Mutex>(mutex);
}

/// While it lives, letForkPass in this thread does so: nothing that a child needs is locked or half
/// changed, whatever the thread is doing.
class ForkPoints {
public:
  ForkPoints();
  ~ForkPoints();
  ForkPoints(const ForkPoints &) = delete;
  ForkPoints &operator=(const ForkPoints &) = delete;

private:
  bool outer;
};

/// How many threads are about to fork.
extern std::atomic<uint32_t> forksWaiting;
void stepAside();

/// A point at which a fork that waits may happen; the cost of looking is that of a load.
inline void letForkPass() {
  if (__builtin_expect(forksWaiting.load(std::memory_order_relaxed) != 0, 0))
    stepAside();
}

/// Calls reset(object) in every child from now on, before it goes on. The object lives as long as
/// the process.
void onFork(void (*reset)(void *object), void *object);

/// Whose guard it is: for a thread that works on behalf of another, which waits for it.
struct ForkThread {
  uint32_t depth = 0;
  uint32_t shard = 0;
  bool points = false;
};
ForkThread forkThread();
void adoptForkThread(ForkThread thread);

} // namespace tl::backend
