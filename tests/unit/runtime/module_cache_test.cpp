// SPDX-License-Identifier: MIT
#include "runtime/ModuleCache.h"

#include "fake_devices.hpp"

#include <doctest/doctest.h>
#include <thread>

using namespace tl::backend;

namespace {

struct Fixture {
  Fixture() { fake::counters.reset(); }

  std::shared_ptr<Kernel> get(const std::string &text, const CompileOptions &options = {},
                              const char *entry = "") {
    return cache.get(cpu(), text, entry, options);
  }
  static OpenDevice &cpu() { return Registry::instance().deviceNamed("cpu"); }
  static OpenDevice &interpreter() { return Registry::instance().deviceNamed("interpreter"); }

  ModuleCache cache{
      [](KernelSource &source) { return Registry::instance().canonicalText(source); }};
};

/// Runs `body(index)` on `count` threads that start together.
template <class Body> void together(int count, Body body) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting > 0)
        std::this_thread::yield();
      body(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

TEST_SUITE("ModuleCache") {

  TEST_CASE_FIXTURE(Fixture, "the same text is compiled once and parsed once") {
    auto first = get(fake::kernel("a"));
    auto second = get(fake::kernel("a"));
    CHECK(first == second);
    CHECK(fake::counters.compilations == 1);
    CHECK(fake::counters.canonicalisations == 1);
    CHECK(fake::counters.parses == 0); // the module of the key is the one that is compiled
    tl_cache_statistics statistics = cache.statistics();
    CHECK(statistics.entries == 1);
    CHECK(statistics.hits == 1);
    CHECK(statistics.misses == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "texts that differ in locations alone share a kernel") {
    auto first = get(fake::kernel("a", "# here:1\nbody\n"));
    auto second = get(fake::kernel("a", "# there:2\nbody\n"));
    CHECK(first == second);
    CHECK(fake::counters.compilations == 1);
    CHECK(cache.statistics().entries == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "a target that reports lines at run time keeps them apart") {
    auto first = cache.get(interpreter(), fake::kernel("a", "# here:1\n"), "", {});
    auto second = cache.get(interpreter(), fake::kernel("a", "# there:2\n"), "", {});
    CHECK(first != second);
    CHECK(fake::counters.compilations == 2);
  }

  TEST_CASE_FIXTURE(Fixture, "a target that reports lines parses for itself, once") {
    cache.get(interpreter(), fake::kernel("a"), "", {});
    CHECK(fake::counters.canonicalisations == 0);
    CHECK(fake::counters.parses == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "an option that the target does not follow makes no other kernel") {
    const std::string text = fake::kernel("a");
    auto first = get(text);
    CHECK(get(text, {.numCtas = 8}) == first);
    CHECK(fake::counters.compilations == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "content, entry, device and each followed option make the key") {
    std::vector<std::shared_ptr<Kernel>> kernels;
    const std::string text = fake::kernel("a", "body A\n");
    kernels.push_back(get(text));
    kernels.push_back(get(fake::kernel("a", "body B\n")));
    kernels.push_back(get(text, {}, "a"));
    kernels.push_back(cache.get(interpreter(), text, "", {}));
    for (CompileOptions options :
         {CompileOptions{.numWarps = 8}, CompileOptions{.numStages = 8},
          CompileOptions{.maxRegisters = 8}, CompileOptions{.fpFusion = false},
          CompileOptions{.debug = true}, CompileOptions{.deterministic = true}})
      kernels.push_back(get(text, options));
    for (size_t i = 0; i < kernels.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        CHECK(kernels[i] != kernels[j]);
    CHECK(fake::counters.compilations == int(kernels.size()));
    CHECK(cache.statistics().entries == kernels.size());
  }

  TEST_CASE_FIXTURE(Fixture, "a constant that changes in the text is a new kernel, at once") {
    CHECK(get(fake::kernel("a", "constant 123\n")) != get(fake::kernel("a", "constant 456\n")));
  }

  TEST_CASE_FIXTURE(Fixture, "concurrent calls with one text compile once") {
    std::vector<std::shared_ptr<Kernel>> kernels(8);
    together(8, [&](int i) { kernels[i] = get(fake::kernel("a", "slow\n")); });
    for (auto &kernel : kernels)
      CHECK(kernel == kernels[0]);
    CHECK(fake::counters.compilations == 1);
    CHECK(cache.statistics().hits == 7);
    CHECK(cache.statistics().misses == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "concurrent calls with one content and many locations compile once") {
    std::vector<std::shared_ptr<Kernel>> kernels(8);
    together(8, [&](int i) {
      kernels[i] = get(fake::kernel("a", "# line " + std::to_string(i) + "\nslow\n"));
    });
    for (auto &kernel : kernels)
      CHECK(kernel == kernels[0]);
    CHECK(fake::counters.compilations == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "different kernels are compiled side by side") {
    // Each compilation ends only when the others have begun.
    together(8, [&](int i) { get(fake::kernel("k" + std::to_string(i), "waits for 8\n")); });
    CHECK(fake::counters.compilations == 8);
    CHECK(fake::counters.atOnce == 8);
  }

  TEST_CASE_FIXTURE(Fixture, "every waiting thread gets the failure") {
    std::atomic<int> reported{0};
    together(8, [&](int) {
      try {
        get(fake::kernel("a", "slow wrong kernel\n"));
      } catch (const Error &error) {
        reported += error.message == "the kernel is wrong" && error.line == 20;
      }
    });
    CHECK(reported == 8);
  }

  TEST_CASE_FIXTURE(Fixture, "a failure is not remembered") {
    const std::string text = fake::kernel("a", "wrong kernel\n");
    CHECK_THROWS_AS(get(text), Error);
    CHECK_THROWS_AS(get(text), Error);
    CHECK(fake::counters.compilations == 2);
    CHECK(cache.statistics().entries == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "text that does not parse is refused before the compiler sees it") {
    CHECK_THROWS_AS(get("gibberish"), Error);
    CHECK(fake::counters.compilations == 0);
    CHECK(cache.statistics().entries == 0);
    CHECK(cache.statistics().misses == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "a failed load is a failure of the compilation") {
    CHECK_THROWS_AS(get(fake::kernel("a", "unloadable\n")), Error);
    CHECK(cache.statistics().entries == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "clearing while threads compile leaves their kernels to them") {
    std::atomic<bool> done{false};
    std::thread clearer([&] {
      while (!done) {
        cache.clear();
        std::this_thread::yield();
      }
    });
    together(4, [&](int i) {
      for (int iteration = 0; iteration < 50; ++iteration) {
        auto kernel = get(fake::kernel("k" + std::to_string((i + iteration) % 3)));
        CHECK(kernel->code().parameters.size() == 2);
      }
    });
    done = true;
    clearer.join();
    cache.clear();
    CHECK(cache.statistics().entries == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "threads that compile and launch at once do not disturb each other") {
    together(6, [&](int i) {
      float *pointer = nullptr;
      int n = i;
      void *arguments[] = {&pointer, &n};
      for (int iteration = 0; iteration < 100; ++iteration)
        get(fake::kernel("k" + std::to_string(iteration % 5)))
            ->launch(cpu().defaultStream(), {1, 1, 1}, arguments, 2);
    });
    CHECK(fake::counters.compilations == 5);
    CHECK(fake::counters.launches == 600);
  }

} // TEST_SUITE
