// SPDX-License-Identifier: MIT
//
// Every index once, from many callers, nested, and when bodies throw. Run under TSan too.
#include "targets/cpu/ThreadPool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cfenv>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using tl::backend::cpu::ThreadPool;

TEST_CASE("every index is run exactly once") {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    for (uint64_t count : {0u, 1u, 2u, 7u, 64u, 1000u, 100003u})
      for (uint64_t grain : {0u, 1u, 3u, 64u, 1000000u}) {
        std::vector<std::atomic<int>> seen(count);
        pool.run(count, grain, [&](uint64_t begin, uint64_t end, unsigned thread) {
          CHECK_MESSAGE(thread < threads, thread);
          CHECK_MESSAGE(end - begin <= (grain ? grain : 1), begin);
          for (uint64_t i = begin; i < end; ++i)
            seen[i].fetch_add(1, std::memory_order_relaxed);
        });
        bool once = true;
        for (auto &value : seen)
          once &= value.load() == 1;
        CHECK(once);
      }
  }
}

TEST_CASE("thread numbers are unique among ranges that run at one time") {
  ThreadPool pool(4);
  for (int iteration = 0; iteration < 200; ++iteration) {
    std::vector<std::atomic<int>> inside(4);
    std::atomic<bool> clash{false};
    pool.run(64, 1, [&](uint64_t, uint64_t, unsigned thread) {
      if (inside[thread].fetch_add(1) != 0)
        clash = true;
      inside[thread].fetch_sub(1);
    });
    CHECK_FALSE(clash.load());
  }
}

TEST_CASE("many threads may call at once") {
  ThreadPool pool(3);
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&] {
      for (int iteration = 0; iteration < 300; ++iteration)
        pool.run(100, 7, [&](uint64_t begin, uint64_t end, unsigned) {
          sum.fetch_add(end - begin, std::memory_order_relaxed);
        });
    });
  for (std::thread &caller : callers)
    caller.join();
  CHECK(sum.load() == 8 * 300 * 100);
}

TEST_CASE("a body may call run again") {
  ThreadPool pool(3);
  std::atomic<uint64_t> sum{0};
  pool.run(20, 1, [&](uint64_t, uint64_t, unsigned) {
    pool.run(20, 1, [&](uint64_t, uint64_t, unsigned) {
      pool.run(10, 1, [&](uint64_t, uint64_t, unsigned) { sum.fetch_add(1); });
    });
  });
  CHECK(sum.load() == 20 * 20 * 10);
}

TEST_CASE("the exception of a body comes out of run and the pool goes on working") {
  for (unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    for (int iteration = 0; iteration < 50; ++iteration) {
      std::atomic<int> ran{0};
      std::string caught;
      try {
        pool.run(1000, 1, [&](uint64_t begin, uint64_t, unsigned) {
          ran.fetch_add(1);
          if (begin == 10)
            throw std::runtime_error("ten");
        });
      } catch (const std::runtime_error &error) {
        caught = error.what();
      }
      CHECK(caught == "ten");
      CHECK(ran.load() >= 11);
      CHECK(ran.load() <= 1000);
    }
    std::atomic<int> ran{0};
    pool.run(1000, 1, [&](uint64_t, uint64_t, unsigned) { ran.fetch_add(1); });
    CHECK(ran.load() == 1000);
  }
}

TEST_CASE("a pool that was never used starts no thread and can be destroyed") {
  ThreadPool pool(64);
  CHECK(pool.threads() == 64);
}

#if !defined(__SANITIZE_THREAD__) && !(defined(__has_feature) && __has_feature(thread_sanitizer))
TEST_CASE("a forked child has a pool that works") {
  std::atomic<int> ran{0};
  auto count = [&](uint64_t begin, uint64_t end, unsigned) { ran.fetch_add(int(end - begin)); };
  ThreadPool::shared().run(1000, 1, count);
  REQUIRE(ran.load() == 1000);
  pid_t child = fork();
  if (child == 0) {
    ran = 0;
    ThreadPool::shared().run(1000, 1, count);
    _exit(ran.load() == 1000 ? 7 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}
#endif

TEST_CASE("the threads compute in the default floating-point mode, whatever mode started them") {
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  ThreadPool pool(3);
  std::atomic<int> here{0}, others{0};
  // Each range waits for the two others, so three threads take one each.
  pool.run(3, 1, [&](uint64_t, uint64_t, unsigned thread) {
    here.fetch_add(1);
    while (here.load() < 3)
      std::this_thread::yield();
    if (thread != 0)
      others.fetch_add(std::fegetround() == FE_TONEAREST);
  });
  std::fesetround(before);
  CHECK(others.load() == 2);
}
