// SPDX-License-Identifier: MIT
//
// How the autotuner tries, remembers and forgives, over a C door whose clock is a list of numbers.
#include "fake_door.hpp"
#include "fake_kernel.hpp"

#include <tl/autotune.hpp>

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace {

struct config {
  int block;
  int num_warps = 4;
};

template <config C>
constexpr fake::kernel<1000 + C.block, fake::ptr<float>, fake::ptr<const float>,
                       fake::scalar<std::int32_t>>
    scale;

const tl::device cpu("cpu");

tl_diagnostic failure(tl_status status) {
  return {status, "does not fit", "", "", 0, 0, "", "", 0, 0};
}

} // namespace

TEST_CASE("all candidates are tried once per key and the grid follows the choice") {
  static auto tuned = tl::autotune<config{1}, config{2, 8}>([]<config C> { return scale<C>; },
                                                            {.key = tl::args<2>});
  tl::buffer<float> x(cpu, 8), y(cpu, 8);
  x.fill(8);
  const auto grid = tl::grid([](config c) { return 10 * c.block; });
  CHECK(tuned.chosen() == tuned.size());
  tuned[grid](x, y, 5);
  CHECK(tuned.trials().size() == 2);
  REQUIRE(tuned.chosen() < 2);
  CHECK(fake::last.grid[0] == 10 * (tuned.chosen() + 1));
  tuned[grid](x, y, 5);
  CHECK(tuned.trials().size() == 2);
  tuned[grid](x, y, 6);
  CHECK(tuned.trials().size() == 4);
  tl::buffer<float> z(tl::device("interpreter"), 8);
  tuned[grid](z, z, 6);
  CHECK(tuned.trials().size() == 6);
  CHECK(fake::last.device == "interpreter");
}

TEST_CASE("a configuration's settings become options") {
  static auto tuned = tl::autotune<config{3, 16}>([]<config C> { return scale<C>; });
  tl::buffer<float> x(cpu, 8);
  tuned[{.grid = {7}, .num_stages = 2}](x, x, 1);
  CHECK(fake::last_options.num_warps == 16);
  CHECK(fake::last_options.num_stages == 2);
  CHECK(fake::last.grid[0] == 7);
  CHECK(tuned.trials().empty()); // one candidate needs no trial
}

TEST_CASE("an empty grid tunes nothing") {
  static auto tuned =
      tl::autotune<config{4}, config{5}>([]<config C> { return scale<C>; }, {.key = tl::args<2>});
  const int before = fake::launches;
  tuned[tl::grid([](config) { return 0; })](nullptr, nullptr, 0);
  CHECK(tuned.trials().empty());
  CHECK(fake::launches == before);
}

TEST_CASE("a candidate that cannot be built is left out with its reason") {
  static auto tuned =
      tl::autotune<config{6}, config{7}>([]<config C> { return scale<C>; }, {.key = tl::args<2>});
  tl::buffer<float> x(cpu, 8);
  fake::fail_next("tl_compile", failure(TL_OUT_OF_RESOURCES));
  tuned[tl::grid(1)](x, x, 1);
  REQUIRE(tuned.trials().size() == 2);
  CHECK(tuned.trials()[0].failure == "does not fit");
  CHECK(tuned.chosen() == 1);
}

TEST_CASE("if no candidate can be used all reasons are given and nothing is remembered") {
  static auto tuned = tl::autotune<config{8}, config{9}>([]<config C> {
    if constexpr (C.block == 8)
      fake::fail_next("tl_compile", failure(TL_UNSUPPORTED));
    else
      fake::fail_next("tl_compile", failure(TL_COMPILE_ERROR));
    return scale<C>;
  });
  tl::buffer<float> x(cpu, 8);
  try {
    tuned[tl::grid(1)](x, x, 3);
    FAIL("nothing was thrown");
  } catch (const tl::compile_error &e) {
    CHECK(e.message() == "no candidate of tl::autotune can be used:\n"
                         "  candidate 0: does not fit\n"
                         "  candidate 1: does not fit");
  }
  CHECK(tuned.chosen() == tuned.size());
  fake::fail_next("", {});
}

TEST_CASE("a failed run is no reason to choose another candidate") {
  static auto tuned = tl::autotune<config{10}, config{11}>([]<config C> { return scale<C>; }, {});
  tl::buffer<float> x(cpu, 8);
  fake::fail_next("tl_launch", failure(TL_RUNTIME_ERROR));
  CHECK_THROWS_AS(tuned[tl::grid(1)](x, x, 3), tl::runtime_error);
}

TEST_CASE("threads tune once") {
  static auto tuned =
      tl::autotune<config{12}, config{13}>([]<config C> { return scale<C>; }, {.milliseconds = 0});
  tl::buffer<float> x(cpu, 8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i)
        tuned[tl::grid(1)](x.data(), x.data(), 3);
    });
  for (std::thread &t : threads)
    t.join();
  CHECK(tuned.trials().size() == 2);
}

TEST_CASE("arguments outside the set are not part of the key") {
  static_assert(tl::args<0, 2>.contains(2) && !tl::args<0, 2>.contains(1));
  static_assert(!tl::args<>.contains(0) && !tl::args<63>.contains(64));
}
