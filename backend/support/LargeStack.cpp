// SPDX-License-Identifier: MIT
#include "support/LargeStack.h"

#include "support/Fork.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <exception>
#include <pthread.h>

namespace tl::backend {

namespace {

struct Call {
  const std::function<void()> &work;
  std::exception_ptr failure;
  ForkThread caller; // works for it
};

void *run(void *pointer) {
  auto &call = *static_cast<Call *>(pointer);
  adoptForkThread(call.caller);
  try {
    call.work();
  } catch (...) {
    call.failure = std::current_exception();
  }
  return nullptr;
}

constexpr size_t least = size_t(8) << 20; // what a thread has by default

struct Stack {
  uintptr_t begin = 0;
  size_t bytes = 0;
};

/// The stack of this thread; none if the system does not tell.
Stack findStack() {
  Stack stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return stack;
  void *begin = nullptr;
  if (pthread_attr_getstack(&attributes, &begin, &stack.bytes) == 0)
    stack.begin = reinterpret_cast<uintptr_t>(begin);
  pthread_attr_destroy(&attributes);
  return stack;
}

/// Bytes of the stack below the caller; 0 if this is not the thread's own stack, but a fiber's.
size_t left() {
  // For the first thread the system reads a file to tell.
  static thread_local const Stack stack = findStack();
  char here = 0;
  const size_t bytes = reinterpret_cast<uintptr_t>(&here) - stack.begin;
  return bytes <= stack.bytes ? bytes : 0;
}

/// Whether a thread with a stack of `bytes` bytes has run the call.
bool hasRun(Call &call, size_t bytes) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  // The program's signals are for its own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_t thread;
  bool started = false;
  if (pthread_attr_setstacksize(&attributes, bytes) == 0 &&
      pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
    started = pthread_create(&thread, &attributes, run, &call) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  pthread_attr_destroy(&attributes);
  return started && pthread_join(thread, nullptr) == 0;
}

} // namespace

void onLargeStack(size_t bytes, const std::function<void()> &work) {
  if (left() >= bytes)
    return work();
  Call call{work, nullptr, forkThread()};
  // Only what is touched becomes memory, so the estimate need not be a close one.
  bool done = false;
  for (size_t most = std::max(2 * bytes, size_t(64) << 20); !done && most >= least; most /= 2)
    done = hasRun(call, most);
  if (!done)
    return work();
  if (call.failure)
    std::rethrow_exception(call.failure);
}

} // namespace tl::backend
