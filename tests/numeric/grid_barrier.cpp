// SPDX-License-Identifier: MIT
//
// tl::grid_barrier: programs of one launch that work on each other's results.

#include "sweep.hpp"

#include <numeric>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

/// Each program sums a share, the barrier makes the sums known, each program writes the total.
constexpr auto two_phases = tl::kernel{
    "two_phases", [](tl::ptr<const float> x, tl::ptr<float> partial, tl::ptr<float> out) {
      auto id = tl::program_id(0);
      auto at = tl::arange<128>();
      tl::store(partial + id, tl::sum(tl::load(x + id * 128 + at)));
      tl::grid_barrier();
      auto all = tl::arange<16>();
      tl::store(out + id, tl::sum(tl::load(partial + all, all < tl::num_programs(0))));
    }};

/// In each step a program takes over what its right neighbour had, plus one.
constexpr auto ring =
    tl::kernel{"ring", [](tl::ptr<std::int32_t> x, tl::ptr<std::int32_t> y, tl::i32 steps) {
                 auto id = tl::program_id(0), count = tl::num_programs(0);
                 auto neighbour = (id + 1) % count;
                 for ([[maybe_unused]] auto step : tl::range(0, steps)) {
                   tl::store(y + id, tl::load(x + neighbour) + 1);
                   tl::grid_barrier();
                   tl::store(x + id, tl::load(y + id));
                   tl::grid_barrier();
                 }
               }};

/// A tile is turned over by another program than the one that wrote it.
constexpr auto across =
    tl::kernel{"across", [](tl::ptr<std::int32_t> x, tl::ptr<std::int32_t> out) {
                 auto id = (tl::program_id(2) * tl::num_programs(1) + tl::program_id(1)) *
                               tl::num_programs(0) +
                           tl::program_id(0);
                 auto count = tl::num_programs(0) * tl::num_programs(1) * tl::num_programs(2);
                 auto at = tl::arange<256>();
                 tl::store(x + id * 256 + at, id * 1000 + at);
                 tl::grid_barrier();
                 auto other = count - 1 - id;
                 tl::store(out + id * 256 + at, tl::load(x + other * 256 + (255 - at)));
               }};

/// Program 0 says so in its third iteration. The others change nothing in theirs.
constexpr auto until_enough =
    tl::kernel{"until_enough", [](tl::ptr<std::int32_t> enough, tl::ptr<std::int32_t> iterations) {
                 tl::i32 id = tl::program_id(0), n = 0;
                 tl::while_([&] { return tl::load(enough) == 0; },
                            [&] {
                              tl::grid_barrier();
                              tl::if_(id == 0, [&] {
                                n += 1;
                                tl::if_(n == 3, [&] { tl::store(enough, 1); });
                              });
                              tl::grid_barrier();
                            });
                 tl::store(iterations + id, n);
               }};

constexpr auto asserting = tl::kernel{"asserting", [](tl::ptr<std::int32_t> x, tl::i32 bad) {
                                        auto id = tl::program_id(0);
                                        tl::device_assert(id != bad, "this one is bad");
                                        tl::grid_barrier();
                                        tl::store(x + id, id);
                                      }};

constexpr auto for_some = tl::kernel{"for_some", [](tl::ptr<std::int32_t> x) {
                                       tl::if_(tl::program_id(0) == 0, [&] {
                                         tl::store(x, 1);
                                         tl::grid_barrier();
                                       });
                                     }};

} // namespace

TEST_CASE("programs iterate until another one says that it is enough") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> enough(dev, std::vector<std::int32_t>{0});
    guarded_buffer<std::int32_t> iterations(dev, 4);
    numeric::seen(until_enough[numeric::grid(4)](enough, iterations));
    CHECK(allclose(iterations, std::vector<std::int32_t>{3, 0, 0, 0}));
  }
}

TEST_CASE("a reduction over the whole grid takes one launch with tl::grid_barrier") {
  for (int programs : {1, 2, 7, 16}) {
    std::vector<float> host(std::size_t(programs) * 128);
    for (std::size_t i = 0; i < host.size(); ++i)
      host[i] = float(i % 13);
    const float total = std::accumulate(host.begin(), host.end(), 0.0f);
    for (tl::device dev : tl::testing::devices()) {
      tl::buffer<float> x(dev, host);
      guarded_buffer<float> partial(dev, programs), out(dev, programs);
      for (int run = 0; run < 3; ++run)
        numeric::seen(two_phases[numeric::grid(programs)](x, partial, out));
      CHECK(allclose(out, std::vector<float>(std::size_t(programs), total)));
    }
  }
}

TEST_CASE("tl::grid_barrier can be passed a thousand times in one launch") {
  constexpr int programs = 6, steps = 500;
  std::vector<std::int32_t> want(programs);
  for (int i = 0; i < programs; ++i)
    want[std::size_t(i)] = (i + steps) % programs * 100 + steps;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, std::vector<std::int32_t>{0, 100, 200, 300, 400, 500});
    guarded_buffer<std::int32_t> y(dev, programs);
    numeric::seen(ring[numeric::grid(programs)](x, y, steps));
    CHECK(allclose(x, want));
  }
}

TEST_CASE("the programs of all three axes meet at tl::grid_barrier") {
  constexpr int x = 3, y = 2, z = 4, programs = x * y * z;
  std::vector<std::int32_t> want;
  for (int id = 0; id < programs; ++id)
    for (int at = 0; at < 256; ++at)
      want.push_back((programs - 1 - id) * 1000 + 255 - at);
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<std::int32_t> scratch(dev, programs * 256), out(dev, programs * 256);
    numeric::seen(across[numeric::grid(x, y, z)](scratch, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("a grid that does not fit for tl::grid_barrier is out of resources with both numbers") {
  constexpr std::int64_t programs = 1 << 20;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, 128), partial(dev, 16), out(dev, 16);
    try {
      two_phases[numeric::grid(programs)](x, partial, out);
      FAIL_CHECK("nothing was thrown on device " << dev.name());
    } catch (const tl::out_of_resources &error) {
      CHECK(error.required() == programs);
      CHECK(error.limit() < programs);
      CHECK(error.limit() >= 64);
      CHECK(error.message() == "a kernel with a grid-wide barrier needs all 1048576 programs on " +
                                   std::string(dev.name()) + " at once, " +
                                   std::to_string(error.limit()) + " fit");
      CHECK(error.help() == "launch fewer programs, each of which does more in a loop");
    }
  }
}

TEST_CASE("a failed assertion frees the programs that wait at tl::grid_barrier") {
  tl::launch_options checked = numeric::grid(8);
  checked.debug = true;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, 8);
    for (int bad : {0, 5}) {
      try {
        asserting[checked](x, bad);
        tl::stream::default_of(dev).synchronize();
        FAIL_CHECK("nothing was thrown on device " << dev.name());
      } catch (const tl::runtime_error &error) {
        CHECK(error.message().find("this one is bad") != std::string::npos);
      }
      asserting[checked](x, -1);
      CHECK(allclose(x, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    }
  }
}

TEST_CASE("tl::grid_barrier in a branch that only some programs take is a compile error") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, 8);
    try {
      for_some[numeric::grid(2)](x);
      FAIL_CHECK("nothing was thrown on device " << dev.name());
    } catch (const tl::compile_error &error) {
      CHECK(error.message().find("is in a branch that depends on the program's id") !=
            std::string::npos);
      CHECK(error.file().ends_with("grid_barrier.cpp"));
    }
  }
}

namespace {

/// Each program adds its index to the sum that the one before it has left, and passes it on.
constexpr auto relay = tl::kernel{[](tl::ptr<std::int32_t> turn, tl::ptr<std::int32_t> sum) {
  auto me = (tl::program_id(2) * tl::num_programs(1) + tl::program_id(1)) * tl::num_programs(0) +
            tl::program_id(0);
  tl::atomic_poll(turn, me);
  tl::store(sum, tl::load(sum) + me);
  tl::atomic_store(turn, me + 1);
}};

/// The same with a loop of its own.
constexpr auto relay_by_loop =
    tl::kernel{[](tl::ptr<std::int32_t> turn, tl::ptr<std::int32_t> sum) {
      auto me = tl::program_id(0);
      tl::tensor seen = tl::atomic_add(turn, 0);
      tl::while_([&] { return seen != me; }, [&] { seen = tl::atomic_add(turn, 0); });
      tl::store(sum, tl::load(sum) + me);
      tl::atomic_xchg(turn, me + 1);
    }};

} // namespace

TEST_CASE("a program may wait for those of lower index, counted along x first") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<std::int32_t> turn(dev, std::vector<std::int32_t>{0});
    tl::buffer<std::int32_t> sum(dev, std::vector<std::int32_t>{0});
    numeric::seen(relay[numeric::grid(7, 5, 3)](turn, sum));
    CHECK(turn.to_vector()[0] == 105);
    CHECK(sum.to_vector()[0] == 105 * 104 / 2);
    turn.fill(0);
    numeric::seen(relay_by_loop[numeric::grid(300)](turn, sum));
    CHECK(turn.to_vector()[0] == 300);
    CHECK(sum.to_vector()[0] == 105 * 104 / 2 + 300 * 299 / 2);
  }
}
