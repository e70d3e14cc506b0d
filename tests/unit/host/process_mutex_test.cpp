// SPDX-License-Identifier: MIT
//
// A lock that another thread of the parent held is free in a forked child, which learns so.
#include "tl/impl/process_mutex.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using tl::impl::process_lock;
using tl::impl::process_mutex;

namespace {

template <class F> int in_child(F work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // one that hangs is ended
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool is_orphaned(process_mutex &mutex) { return process_lock(mutex).is_orphaned(); }

} // namespace

TEST_SUITE("process_mutex") {

  TEST_CASE("one thread at a time has the lock") {
    static constinit process_mutex mutex;
    int counter = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 20000; ++i) {
          const process_lock lock(mutex);
          ++counter;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(counter == 80000);
    CHECK_FALSE(is_orphaned(mutex));
  }

  TEST_CASE("what the parent's threads held is free in the child, once and again") {
    process_mutex mutex, idle;
    std::atomic<int> step{0};
    std::thread holder([&] {
      const process_lock lock(mutex);
      step = 1;
      while (step != 2)
        std::this_thread::yield();
    });
    while (step != 1)
      std::this_thread::yield();
    CHECK(in_child([&] {
            if (!is_orphaned(mutex) || is_orphaned(mutex) || is_orphaned(idle))
              return 1;
            const process_lock held(mutex); // by this process; its child takes it over
            return in_child([&] { return is_orphaned(mutex) ? 7 : 2; });
          }) == 7);
    step = 2;
    holder.join();
    CHECK_FALSE(is_orphaned(mutex));
  }
}
