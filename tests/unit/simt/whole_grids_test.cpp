// SPDX-License-Identifier: MIT
//
// Programs that wait for each other on an emulated GPU: all of them run at the same time, and those
// that wait for ever end.
#include <doctest/doctest.h>

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

/// Those that every build has; AMD's where there is one.
std::vector<std::string> devices() {
  std::vector<std::string> all = {"simt:sm_90a"};
  try {
    tl::device("simt:gfx942");
    all.push_back("simt:gfx942");
  } catch (const tl::error &) {
  }
  return all;
}

/// What the programs left of zeros, and the message of the error.
struct Result {
  std::vector<std::int32_t> values;
  std::string message;
};

template <class Kernel> Result run(const std::string &name, const Kernel &kernel, int programs) {
  tl::device dev(name);
  tl::buffer<std::int32_t> x(dev, std::vector<std::int32_t>(4, 0));
  Result result;
  try {
    kernel[{.grid = {programs}, .debug = true, .device = dev}](x);
    tl::stream::default_of(dev).synchronize();
    result.values = x.to_vector();
  } catch (const tl::error &error) {
    result.message = error.what();
  }
  return result;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// All count before any sees the count.
constexpr auto count_twice = tl::kernel{"count_twice", [](tl::ptr<std::int32_t> x) {
                                          tl::atomic_add(x, 1);
                                          tl::grid_barrier();
                                          tl::atomic_max(x + 1, tl::load(x));
                                        }};

/// The programs come to the barrier once, twice, never, once and so on.
constexpr auto unequal = tl::kernel{"unequal", [](tl::ptr<std::int32_t> x) {
                                      tl::atomic_add(x, 1);
                                      auto times = tl::load(x) % 3;
                                      for ([[maybe_unused]] auto time : tl::range(0, times))
                                        tl::grid_barrier();
                                    }};

/// The first program waits for a word that nobody writes, the second at the barrier.
constexpr auto one_spins = tl::kernel{"one_spins", [](tl::ptr<std::int32_t> x) {
                                        tl::atomic_add(x, 1);
                                        auto count = tl::load(x);
                                        tl::if_(count == 1, [&] { tl::atomic_poll(x + 1, 1); });
                                        tl::if_(count == 2, [&] { tl::grid_barrier(); });
                                      }};

/// The third program ends at its assertion, while others wait.
constexpr auto one_fails = tl::kernel{"one_fails", [](tl::ptr<std::int32_t> x) {
                                        tl::atomic_add(x, 1);
                                        tl::device_assert(tl::load(x) != 3, "not the third");
                                        tl::grid_barrier();
                                      }};

/// The process gets no more addresses than it has and these.
class FewAddresses {
public:
  explicit FewAddresses(rlim_t more) {
    getrlimit(RLIMIT_AS, &before);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit less = before;
    less.rlim_cur = std::min(before.rlim_max, pages * 4096 + more);
    setrlimit(RLIMIT_AS, &less);
  }
  ~FewAddresses() { setrlimit(RLIMIT_AS, &before); }
  FewAddresses(const FewAddresses &) = delete;
  FewAddresses &operator=(const FewAddresses &) = delete;

private:
  rlimit before;
};

} // namespace

TEST_CASE("as many programs as an emulated GPU promises come to a grid barrier") {
  const Result result = run("simt:sm_90a", count_twice, 1024);
  CHECK(result.message == "");
  CHECK(result.values == std::vector<std::int32_t>{1024, 1024, 0, 0});
  CHECK(has(run("simt:sm_90a", count_twice, 1025).message, "1024 fit"));
}

TEST_CASE(
    "a host without memory for programs that wait for each other says how many it has it for") {
  run("simt:sm_90a", count_twice, 1); // so that the kernel is compiled
  const FewAddresses few(rlim_t(64) << 30);
  const std::string message = run("simt:sm_90a", count_twice, 1000).message;
  CHECK(has(message, "the host ran out of memory for programs of 128 threads, which wait for each "
                     "other: it has memory for "));
  CHECK(has(message, " of 1000"));
  CHECK(has(message, "in kernel count_twice on device simt:sm_90a"));
}

TEST_CASE("programs that come to a grid barrier unequally often are an error, not waited for") {
  for (const std::string &name : devices()) {
    CAPTURE(name);
    for (int programs : {3, 8}) {
      const std::string message = run(name, unequal, programs).message;
      CHECK(has(message, "other programs ended before they came to the tl::grid_barrier in thread "
                         "0 of program (0, 0, 0)"));
      CHECK(has(message, "help: each program must come to it equally often"));
      CHECK(has(message, "whole_grids_test.cpp:64:"));
      CHECK(has(message, "in kernel unequal on device " + name));
    }
  }
}

TEST_CASE("a program that looks for a word in vain does not hide who waits at a grid barrier") {
  for (const std::string &name : devices()) {
    CAPTURE(name);
    CHECK(has(run(name, one_spins, 3).message,
              "other programs ended before they came to the tl::grid_barrier in thread 0 of "
              "program (1, 0, 0)"));
  }
}

TEST_CASE("programs at a grid barrier end when an assertion fails elsewhere, which is the error") {
  for (const std::string &name : devices()) {
    CAPTURE(name);
    CHECK(has(run(name, one_fails, 5).message, "tl::device_assert failed: not the third"));
  }
}
