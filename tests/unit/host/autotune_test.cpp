// SPDX-License-Identifier: MIT
//
// How the autotuner tries, remembers and forgives, over a C API whose clock is a list of numbers.
#include "fake_c_api.hpp"
#include "fake_kernel.hpp"

#include <tl/autotune.hpp>
#include <tl/testing.hpp>

#include <doctest/doctest.h>

#include <array>
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

template <config C>
constexpr fake::kernel<2000 + C.block, fake::descriptor<float, 4, 4>, fake::scalar<std::int32_t>>
    scale_tiles;

struct vectors {
  fake::ptr<float> out;
  fake::ptr<const float> in;
  fake::scalar<std::int32_t> n;
};
template <config C>
constexpr fake::kernel<3000 + C.block, vectors, fake::scalar<std::int32_t>> scale_vectors;

const tl::device cpu("cpu");

/// A kernel that works in place: it doubles the element that its first argument points to.
struct doubling {
  doubling() {
    fake::body = [](const fake::launch &l) { *fake::argument<float *>(l, 0) *= 2; };
  }
  ~doubling() { fake::body = nullptr; }
};

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

TEST_CASE("the fastest candidate is chosen, by its fastest run") {
  static auto tuned = tl::autotune<config{20}, config{21}, config{22}>(
      []<config C> { return scale<C>; }, {.milliseconds = 0});
  tl::buffer<float> x(cpu, 8);
  fake::clock = {5, 4, 6, 3, 9, 9, 7, 8, 9};
  tuned[tl::grid([](config c) { return c.block; })](x, x, 1);
  CHECK(fake::clock.empty());
  CHECK(tuned.chosen() == 1);
  CHECK(fake::last.grid[0] == 21);
  REQUIRE(tuned.trials().size() == 3);
  for (int i = 0; i < 3; ++i)
    CHECK(tuned.trials()[i].milliseconds == std::array{4, 3, 7}[i]);
}

TEST_CASE("saving and restoring happens in the stream of the launch") {
  static auto tuned =
      tl::autotune<config{23}, config{24}>([]<config C> { return scale<C>; }, {.milliseconds = 0});
  tl::buffer<float> x(cpu, 8), y(cpu, 8);
  const tl::stream own(cpu);
  fake::queued.clear();
  tuned[{.grid = {1}, .stream = own}](x, y, 1);
  int copies = 0, launches = 0;
  for (const fake::work &w : fake::queued) {
    CHECK(w.stream == own.handle());
    copies += w.function == "tl_copy_on_device";
    launches += w.function == "tl_launch";
  }
  CHECK(copies == 1 + 2 + 1); // saved, restored before each candidate and at last
  CHECK(launches == 2 * 4 + 1);
  CHECK(copies + launches == static_cast<int>(fake::queued.size()));
}

TEST_CASE("the trials change no memory of which the size is known") {
  const doubling work;
  static auto tuned =
      tl::autotune<config{25}, config{26}>([]<config C> { return scale<C>; }, {.milliseconds = 0});
  const std::vector<float> ones(16, 1);
  const std::int64_t before = fake::allocated();
  {
    tl::buffer<float> x(cpu, ones);
    tuned[tl::grid(1)](x, x, 1);
    CHECK(x.data()[0] == 2);
    tl::testing::guarded_buffer<float> guarded(tl::device("interpreter"), 16);
    guarded.data()[0] = 1;
    tuned[tl::grid(1)](guarded, nullptr, 1);
    CHECK(guarded.data()[0] == 2);
    CHECK(guarded.intact());

    static auto tiles = tl::autotune<config{27}, config{28}>(
        []<config C> { return scale_tiles<C>; }, {.milliseconds = 0});
    const tl::tensor_descriptor<float, 4, 4> first(x, {4, 4});
    tiles[tl::grid(1)](first, 1);
    CHECK(x.data()[0] == 4);
    // A descriptor of raw memory names the memory, too.
    static auto pointed = tl::autotune<config{29}, config{30}>(
        []<config C> { return scale_tiles<C>; }, {.milliseconds = 0});
    tl::tensor_descriptor<float, 4, 4> second(x.data(), {2, 4}, {8, 1});
    CHECK(second.reach() == 12);
    pointed[{.grid = {1}, .device = cpu}](second, 1);
    CHECK(x.data()[0] == 8);
    CHECK(x.to_vector()[1] == 1);
  }
  CHECK(fake::allocated() == before);
}

TEST_CASE("of a struct all numbers are the key, and all memory is put back") {
  const doubling work;
  static auto tuned = tl::autotune<config{1}, config{2}>([]<config C> { return scale_vectors<C>; },
                                                         {.key = tl::args<0>, .milliseconds = 0});
  const std::vector<float> ones(16, 1);
  tl::buffer<float> x(cpu, ones), y(cpu, 16);
  const auto launch = [&](int n, int other) {
    struct {
      tl::buffer<float> &out, &in;
      int n;
    } v{x, y, n};
    tuned[tl::grid(1)](v, other);
  };
  launch(5, 1);
  CHECK(x.data()[0] == 2);
  CHECK(tuned.trials().size() == 2);
  CHECK(tuned.trials()[0].key == "member 2 of argument 0 = 5");
  launch(5, 2);
  CHECK(tuned.trials().size() == 2);
  launch(6, 2);
  CHECK(tuned.trials().size() == 4);
  CHECK(x.data()[0] == 8);
}

TEST_CASE("without preserve nothing is saved") {
  const doubling work;
  static auto tuned = tl::autotune<config{31}, config{32}>([]<config C> { return scale<C>; },
                                                           {.preserve = false, .milliseconds = 0});
  tl::buffer<float> x(cpu, std::vector<float>(8, 1));
  fake::queued.clear();
  tuned[tl::grid(1)](x, x, 1);
  CHECK(x.data()[0] == 512);
  for (const fake::work &w : fake::queued)
    CHECK(w.function == "tl_launch");
}

TEST_CASE("a key that names no number is refused with the user's line") {
  static auto far = tl::autotune<config{33}, config{34}>([]<config C> { return scale<C>; },
                                                         {.key = tl::args<2, 9>});
  static auto buffer =
      tl::autotune<config{35}>([]<config C> { return scale<C>; }, {.key = tl::args<0>});
  tl::buffer<float> x(cpu, 8);
  const int before = fake::launches;
  unsigned line = 0;
  try {
    line = __LINE__ + 1;
    far[tl::grid(1)](x, x, 3);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message() ==
          "the key of tl::autotune names argument 9, counted from 0, of a kernel that has 3");
    CHECK(e.line() == line);
    CHECK(e.kernel() == "kernel1033");
  }
  try {
    buffer[tl::grid([](config) { return 1; })](x, x, 3);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message() == "the key of tl::autotune names argument 0, which is no number");
  }
  CHECK(fake::launches == before);
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

namespace {

struct staged {
  int block;
  int num_stages = 3, num_ctas = 1, num_warps = 4;
};

template <staged C>
constexpr fake::kernel<5000 + C.block, fake::ptr<float>, fake::ptr<const float>,
                       fake::scalar<std::int32_t>>
    staged_scale;

constexpr auto staged_family = []<staged C> { return staged_scale<C>; };

/// The message of a launch with candidates; "" if it was not refused.
template <staged... C> tl::diagnostic refusal_of() {
  static auto tuned = tl::autotune<C...>(staged_family);
  tl::buffer<float> x(cpu, 8);
  try {
    tuned[tl::grid([](staged c) { return c.block; })](x, x, 1);
  } catch (const tl::invalid_argument &e) {
    CHECK(tuned.chosen() == tuned.size());
    return e.details();
  }
  return {};
}

} // namespace

TEST_CASE("candidates that differ in any option are tried") {
  CHECK(refusal_of<staged{1}, staged{1, 3, 2}>().message == "");
  CHECK(refusal_of<staged{5, 3, 1}, staged{6, 3, 2}>().message == "");
  CHECK(refusal_of<staged{7, 3, 1, 4}, staged{7, 3, 2, 8}>().message == "");
  CHECK(refusal_of<staged{8, 2}, staged{8, 4}>().message == "");
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

TEST_CASE("a candidate with an option out of range is left out with its reason") {
  static auto tuned = tl::autotune<staged{10, 0}, staged{11}, staged{12, 3, 1, 33}>(staged_family);
  tl::buffer<float> x(cpu, 8);
  tuned[tl::grid(1)](x, x, 1);
  REQUIRE(tuned.trials().size() == 3);
  CHECK(tuned.trials()[0].failure == "compile option num_stages is 0, expected 1 to 64");
  CHECK(tuned.trials()[1].failure == "");
  CHECK(tuned.trials()[2].failure ==
        "compile option num_warps is 33, expected a power of two from 1 to 32");
  CHECK(tuned.chosen() == 1);
  static auto none = tl::autotune<config{50, 0}, config{51, 3}>([]<config C> { return scale<C>; });
  try {
    none[tl::grid(1)](x, x, 1);
    FAIL("nothing was thrown");
  } catch (const tl::compile_error &e) {
    CHECK(e.message() ==
          "no candidate of tl::autotune can be used:\n"
          "  {50, 0}: compile option num_warps is 0, expected a power of two from 1 to 32\n"
          "  {51, 3}: compile option num_warps is 3, expected a power of two from 1 to 32");
  }
}

TEST_CASE("if no candidate can be used all reasons are given and nothing is remembered") {
  static auto tuned = tl::autotune<config{8}, config{9}>(
      []<config C> {
        tl_diagnostic d = failure(C.block == 8 ? TL_UNSUPPORTED : TL_COMPILE_ERROR);
        if (C.block == 9) {
          d.message = "inner dimensions differ";
          d.file = "scale.cpp";
          d.line = 31;
        }
        d.help = "use smaller blocks";
        fake::fail_next("tl_compile", d);
        return scale<C>;
      },
      {.key = tl::args<2>});
  tl::buffer<float> x(cpu, 8);
  unsigned line = 0;
  try {
    line = __LINE__ + 1;
    tuned[tl::grid(1)](x, x, 3);
    FAIL("nothing was thrown");
  } catch (const tl::compile_error &e) {
    CHECK(e.message() == "no candidate of tl::autotune can be used for argument 2 = 3:\n"
                         "  {8, 4}: does not fit\n"
                         "  {9, 4}: scale.cpp:31: inner dimensions differ");
    CHECK(e.help() == "use smaller blocks");
    CHECK(e.line() == line);
    CHECK(e.file().ends_with("autotune_test.cpp"));
    CHECK(e.kernel() == "kernel1008");
    CHECK(e.device() == "cpu");
  }
  CHECK(tuned.chosen() == tuned.size());
  fake::fail_next("", {});
}

TEST_CASE("trials name the kernel, the configuration, the key and the device") {
  static auto tuned = tl::autotune<config{40, 8}, config{41}>([]<config C> { return scale<C>; },
                                                              {.key = tl::args<2>});
  static auto numbers = tl::autotune<42, 43>([]<int N> { return scale<config{N}>; });
  tl::buffer<float> x(cpu, 8);
  tuned[tl::grid(1)](x, x, -7);
  REQUIRE(tuned.trials().size() == 2);
  CHECK(tuned.trials()[0].kernel == "kernel1040");
  CHECK(tuned.trials()[0].configuration == "{40, 8}");
  CHECK(tuned.trials()[0].key == "argument 2 = -7");
  CHECK(tuned.trials()[0].device == "cpu");
  CHECK(tuned.trials()[1].configuration == "{41, 4}");
  numbers[tl::grid(1)](x, x, -7);
  REQUIRE(numbers.trials().size() == 2);
  CHECK(numbers.trials()[1].configuration == "43");
  CHECK(numbers.trials()[1].key == "");
}

TEST_CASE("combinations are all values of all members, the last one fastest") {
  struct block_config {
    int rows, columns;
    short depth = 7;
    bool fast = true;
  };
  constexpr auto list = tl::combinations<block_config>(tl::one_of(16, 32), 8, tl::one_of(1, 2, 3));
  REQUIRE(list.values.size() == 6);
  for (int i = 0; i < 6; ++i) {
    CHECK(list.values[i].rows == (i < 3 ? 16 : 32));
    CHECK(list.values[i].columns == 8);
    CHECK(list.values[i].depth == 1 + i % 3);
    CHECK(list.values[i].fast);
  }
  constexpr auto odd = tl::filtered<list>([](block_config c) { return c.depth != 2; });
  REQUIRE(odd.values.size() == 4);
  CHECK(odd.values[1].depth == 3);
  CHECK(odd.values[2].rows == 32);
  CHECK(tl::combinations<block_config>(4, 5).values[0].depth == 7);
}

TEST_CASE("lists of candidates stand among candidates") {
  static auto tuned =
      tl::autotune<tl::combinations<config>(tl::one_of(50, 51), tl::one_of(4, 8)), config{52}>(
          []<config C> { return scale<C>; }, {.milliseconds = 0});
  static auto one = tl::autotune<tl::combinations<config>(53)>([]<config C> { return scale<C>; });
  tl::buffer<float> x(cpu, 8);
  tuned[tl::grid([](config c) { return c.block; })](x, x, 1);
  REQUIRE(tuned.trials().size() == 5);
  CHECK(tuned.trials()[1].configuration == "{50, 8}");
  CHECK(tuned.trials()[2].configuration == "{51, 4}");
  CHECK(tuned.trials()[4].configuration == "{52, 4}");
  one[tl::grid([](config c) { return c.block; })](x, x, 1);
  CHECK(fake::last.grid[0] == 53);
}

TEST_CASE("a stream that refuses to be waited for gets no trials, and the tuner says why") {
  static auto tuned =
      tl::autotune<config{44}, config{45}>([]<config C> { return scale<C>; }, {.milliseconds = 0});
  tl::buffer<float> x(cpu, 8);
  const tl::stream own(cpu);
  const std::int64_t before = fake::allocated();
  fake::queued.clear();
  tl_diagnostic captured = failure(TL_INVALID_ARGUMENT);
  captured.message = "synchronize waits for the stream, which is being captured into a graph";
  fake::fail_next("tl_stream_synchronize", captured);
  unsigned line = 0;
  try {
    line = __LINE__ + 1;
    tuned[{.grid = {1}, .stream = own}](x, x, 1);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message() == "tl::autotune cannot try the candidates of kernel kernel1044: synchronize "
                         "waits for the stream, which is being captured into a graph");
    CHECK(e.help() == "launch it once before the capture, on the same device and with the same "
                      "values of the key");
    CHECK(e.line() == line);
  }
  CHECK(fake::queued.empty());
  CHECK(fake::allocated() == before);
  CHECK(tuned.chosen() == tuned.size());
  tuned[{.grid = {1}, .stream = own}](x, x, 1);
  fake::queued.clear();
  tuned[{.grid = {1}, .stream = own}](x, x, 1); // tuned: this can be captured
  REQUIRE(fake::queued.size() == 1);
  CHECK(fake::queued[0].function == "tl_launch");
}

TEST_CASE("what has failed in the stream before the trials is reported as it is") {
  static auto tuned = tl::autotune<config{46}, config{47}>([]<config C> { return scale<C>; });
  tl::buffer<float> x(cpu, 8);
  fake::queued.clear();
  fake::fail_next("tl_stream_synchronize", failure(TL_RUNTIME_ERROR));
  try {
    tuned[tl::grid(1)](x, x, 1);
    FAIL("nothing was thrown");
  } catch (const tl::runtime_error &e) {
    CHECK(e.message() == "does not fit");
  }
  CHECK(fake::queued.empty());
}

TEST_CASE("a grid that depends on the configuration stands among other options") {
  static auto tuned = tl::autotune<config{48, 8}, config{49, 2}>([]<config C> { return scale<C>; },
                                                                 {.milliseconds = 0});
  tl::buffer<float> x(tl::device("interpreter"), 8);
  const tl::stream own(x.device());
  int n = 100;
  fake::clock = {1, 1, 1, 2, 2, 2};
  tuned[{.grid = tl::grid([&n](config c) { return n + c.block; }), .num_stages = 2, .stream = own}](
      x, x, 1);
  CHECK(tuned.chosen() == 0);
  CHECK(fake::last.grid[0] == 148);
  CHECK(fake::last.stream == own.handle());
  CHECK(fake::last_options.num_stages == 2);
  tuned[{.grid = tl::grid([](config c) { return tl::grid(c.block, 3); }), .device = x.device()}](
      nullptr, nullptr, 1);
  CHECK(fake::last.device == "interpreter");
  CHECK(fake::last.grid == std::array<std::uint32_t, 3>{48, 3, 1});
  tuned[{.grid = {5, 6}, .stream = own}](x, x, 1);
  CHECK(fake::last.grid == std::array<std::uint32_t, 3>{5, 6, 1});
  tl::launch_options made;
  made.grid = {7};
  made.stream = own;
  const auto bound = tuned[made];
  bound(x, x, 1);
  CHECK(fake::last.grid[0] == 7);
  tuned[8](x, x, 1);
  CHECK(fake::last.grid[0] == 8);
  const int before = fake::launches;
  tuned[{.grid = tl::grid([](config) { return 0; }), .stream = own}](x, x, 1);
  CHECK(fake::launches == before);
}

TEST_CASE("a failed run is no reason to choose another candidate") {
  static auto tuned = tl::autotune<config{10}, config{11}>([]<config C> { return scale<C>; }, {});
  tl::buffer<float> x(cpu, 8);
  fake::fail_next("tl_launch", failure(TL_RUNTIME_ERROR));
  CHECK_THROWS_AS(tuned[tl::grid(1)](x, x, 3), tl::runtime_error);
}

TEST_CASE("what the user's grid function throws leaves the memory as it was") {
  const doubling work;
  static auto tuned =
      tl::autotune<config{38}, config{39}>([]<config C> { return scale<C>; }, {.milliseconds = 0});
  tl::buffer<float> x(cpu, std::vector<float>(8, 1));
  const std::int64_t before = fake::allocated();
  int calls = 0;
  const auto grid = tl::grid([&](config) {
    if (++calls == 4)
      throw 5;
    return 1;
  });
  CHECK_THROWS_AS(tuned[grid](x, x, 3), int);
  CHECK(x.data()[0] == 1);
  CHECK(fake::allocated() == before);
  CHECK(tuned.chosen() == tuned.size());
  tuned[grid](x, x, 3);
  CHECK(x.data()[0] == 2);
}

TEST_CASE("where nothing can be restored after a failed run, the run's failure is reported") {
  static auto tuned = tl::autotune<config{36}, config{37}>([]<config C> { return scale<C>; }, {});
  tl::buffer<float> x(cpu, 8);
  fake::body = [](const fake::launch &) {
    tl_diagnostic run = failure(TL_RUNTIME_ERROR), copy = failure(TL_RUNTIME_ERROR);
    run.message = "the kernel failed";
    copy.message = "the copy failed";
    fake::fail_next("tl_launch", run);
    fake::fail_next("tl_copy_on_device", copy);
  };
  try {
    tuned[tl::grid(1)](x, x, 3);
    FAIL("nothing was thrown");
  } catch (const tl::runtime_error &e) {
    CHECK(e.message() == "the kernel failed");
  }
  fake::body = nullptr;
  fake::fail_next("", {});
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
  static auto tuned = tl::autotune<config{14}, config{15}>([]<config C> { return scale<C>; },
                                                           {.key = tl::args<2>, .milliseconds = 0});
  tl::buffer<float> x(cpu, 8), y(cpu, 16);
  tuned[tl::grid(1)](x, x, 3);
  tuned[tl::grid(2)](y, x, 3); // another buffer and grid, the same key
  CHECK(tuned.trials().size() == 2);
  tuned[tl::grid(1)](x, x, 4);
  CHECK(tuned.trials().size() == 4);
}
