// SPDX-License-Identifier: MIT
//
// The host side on the devices of this machine: kernels written with the front end, compiled by
// libtl, run, and checked against the host.
#include <tl/autotune.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

// [includes]
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace testing = tl::testing;
// [includes]

namespace {

template <int Block>
constexpr auto add =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
      auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
      auto mask = offsets < n;
      tl::store(out + offsets, tl::load(x + offsets, mask) + tl::load(y + offsets, mask), mask);
    }};

// Stores its scalar argument.
template <class T>
constexpr auto keep =
    tl::kernel{[](tl::ptr<T> out, tl::tensor<T> value) { tl::store(out, value); }};

template <class T>
constexpr auto widen_and_multiply =
    tl::kernel{[](tl::ptr<std::int64_t> out, tl::ptr<const std::int64_t> x, tl::tensor<T> factor) {
      tl::store(out, tl::load(x) * tl::cast<std::int64_t>(factor));
    }};

// Adds one to the cell of each program, wherever it is in the grid.
constexpr auto count_programs = tl::kernel{[](tl::ptr<std::int32_t> cells) {
  auto cell = tl::program_id(0) +
              tl::num_programs(0) * (tl::program_id(1) + tl::num_programs(1) * tl::program_id(2));
  tl::store(cells + cell, tl::load(cells + cell) + 1);
}};

constexpr auto add_atomically = tl::kernel{
    [](tl::ptr<std::int32_t> counter, tl::i32 amount) { tl::atomic_add(counter, amount); }};

// [candidates]
struct scale_config {
  int block;
};
template <scale_config C>
constexpr auto halve = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
  auto offsets = tl::program_id(0) * C.block + tl::arange<C.block>();
  auto mask = offsets < n;
  tl::store(x + offsets, tl::load(x + offsets, mask) * 0.5f, mask);
}};
// [candidates]

constexpr auto add_optional =
    tl::kernel{[](tl::ptr<float> out, tl::ptr<const float> x, tl::ptr<const float> bias) {
      auto lanes = tl::arange<64>();
      tl::tensor sum = tl::load(x + lanes);
      if (!tl::is_null(bias))
        sum = sum + tl::load(bias + lanes);
      tl::store(out + lanes, sum);
    }};

constexpr auto double_tiles =
    tl::kernel{[](tl::descriptor<float, 8, 16> to, tl::descriptor<float, 8, 16> from) {
      auto row = tl::program_id(0) * 8, column = tl::program_id(1) * 16;
      to.store({row, column}, from.load({row, column}) * 2.0f);
    }};

constexpr auto assert_small =
    tl::kernel{[](tl::ptr<std::int32_t> x) { tl::device_assert(tl::load(x) < 10, "x is small"); }};

template <class T>
constexpr auto narrow = tl::kernel{[](tl::ptr<T> out, tl::ptr<const float> x) {
  auto lanes = tl::program_id(0) * 256 + tl::arange<256>();
  tl::store(out + lanes, tl::cast<T>(tl::load(x + lanes)));
}};

constexpr auto nothing = tl::kernel{[] {}};

constexpr auto twenty_parameters =
    tl::kernel{[](tl::ptr<float>, tl::ptr<float>, tl::ptr<float>, tl::ptr<float>, tl::ptr<float>,
                  tl::ptr<float>, tl::ptr<float>, tl::ptr<float>, tl::ptr<float>,
                  tl::ptr<float> out, tl::i32, tl::i32, tl::i32, tl::i32, tl::i32, tl::i32, tl::i32,
                  tl::i32 n, tl::f32, tl::f32 last) { tl::store(out, last + tl::cast<float>(n)); }};

template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (const tl::error &e) {
    return e.message();
  }
  return "nothing was thrown";
}

// What arrived of a scalar argument.
template <class T, class A> T arrives(tl::device dev, A argument) {
  tl::buffer<T> out(dev, 1);
  keep<T>[1](out, argument);
  return out.to_vector()[0];
}

} // namespace

// [test]
TEST_CASE("two vectors are added on every device") {
  for (tl::device dev : testing::devices()) {
    for (int n : {1, 255, 256, 1000}) {
      const auto host_x = testing::random_values<float>(n);
      const auto host_y = testing::random_values<float>(n);
      tl::buffer<float> x(dev, host_x), y(dev, host_y);
      testing::guarded_buffer<float> out(dev, n);

      add<256>[tl::grid(tl::cdiv(n, 256))](x, y, out, n);

      std::vector<float> expected(n);
      for (int i = 0; i < n; ++i)
        expected[i] = host_x[i] + host_y[i];
      CHECK(testing::allclose(out, expected));
      CHECK(out.intact());
    }
  }
}
// [test]

TEST_CASE("an unaligned pointer does not meet the kernel of an aligned one") {
  for (tl::device dev : testing::devices()) {
    const auto host = testing::random_values<float>(1024);
    tl::buffer<float> x(dev, host), out(dev, 1024);
    for (int shift : {0, 1, 4, 3}) {
      const int n = 512 + shift;
      add<256>[tl::grid(3)](x.data() + shift, x.data() + shift, out.data() + shift, n);
      const std::vector<float> got = out.to_vector();
      std::vector<float> expected(n), part(got.begin() + shift, got.begin() + shift + n);
      for (int i = 0; i < n; ++i)
        expected[i] = 2 * host[i + shift];
      CHECK(testing::allclose(part, expected));
    }
  }
}

TEST_CASE("a scalar argument keeps its value in every type") {
  for (tl::device dev : testing::devices()) {
    CAPTURE(dev.name());
    CHECK(arrives<tl::float16>(dev, 42.0) == 42);
    CHECK(arrives<tl::float16>(dev, 65500.0) == 65504);
    CHECK(arrives<tl::float16>(dev, -65500.0) == -65504);
    CHECK(arrives<tl::float16>(dev, 1e-7) == 0x1p-23);
    CHECK(arrives<tl::bfloat16>(dev, 42.0) == 42);
    CHECK(arrives<float>(dev, 65500.0) == 65500);
    CHECK(arrives<double>(dev, 1e-7) == 1e-7);
    CHECK(arrives<std::int8_t>(dev, -128) == -128);
    CHECK(arrives<std::uint8_t>(dev, 255) == 255);
    CHECK(arrives<std::int16_t>(dev, -2) == -2);
    CHECK(arrives<std::int32_t>(dev, 1) == 1);
    CHECK(arrives<std::int64_t>(dev, std::int64_t(1) << 40) == std::int64_t(1) << 40);
    CHECK(arrives<std::uint64_t>(dev, ~std::uint64_t(0)) == ~std::uint64_t(0));
    CHECK(arrives<bool>(dev, true) == true);
    CHECK(arrives<bool>(dev, false) == false);
  }
}

TEST_CASE("a kernel that widens an argument works for every value of it") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<std::int64_t> x(dev, std::vector<std::int64_t>{1}), out(dev, 1);
    for (int factor : {42, 1, 0, -1, 16, 17}) {
      widen_and_multiply<std::int32_t>[1](out, x, factor);
      CHECK(out.to_vector()[0] == factor);
      widen_and_multiply<std::int8_t>[1](out, x, factor);
      CHECK(out.to_vector()[0] == factor);
    }
  }
}

TEST_CASE("each program of a grid runs once, and an empty grid runs none") {
  for (tl::device dev : testing::devices()) {
    for (auto [x, y, z] : {std::array{5, 1, 1}, {2, 3, 4}, {1, 1, 7}, {0, 5, 1}, {3, 3, 0}}) {
      tl::buffer<std::int32_t> cells(dev, 24);
      cells.fill(0);
      count_programs[tl::grid(x, y, z)](cells);
      std::vector<std::int32_t> expected(24);
      std::fill_n(expected.begin(), x * y * z, 1);
      CHECK(testing::allclose(cells, expected));
    }
  }
}

TEST_CASE("a grid axis may be long") {
  for (tl::device dev : testing::devices()) {
    // CUDA takes no more along y and z.
    const int extent = dev.name().starts_with("cuda") ? 65535 : 65537;
    tl::buffer<std::int32_t> cells(dev, extent);
    for (auto grid : {tl::grid(1, extent), tl::grid(1, 1, extent)}) {
      cells.fill(0);
      count_programs[grid](cells);
      CHECK(testing::allclose(cells, std::vector<std::int32_t>(extent, 1)));
    }
  }
}

TEST_CASE("threads that never touched a device launch at once") {
  for (tl::device dev : testing::devices()) {
    const int launches = dev.name() == "interpreter" ? 50 : 1000;
    tl::buffer<std::int32_t> counter(dev, 1);
    counter.fill(0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < launches; ++i)
          add_atomically[1](counter, 1);
      });
    for (std::thread &t : threads)
      t.join();
    CHECK(counter.to_vector()[0] == 16 * launches);
  }
}

TEST_CASE("one content is compiled once, however many threads ask for it first") {
  constexpr auto fresh =
      tl::kernel{[](tl::ptr<std::int32_t> p) { tl::store(p, tl::load(p) * 0 + 20931); }};
  for (tl::device dev : testing::devices()) {
    tl_cache_statistics before{}, after{};
    tl_cache_get_statistics(&before);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        tl::buffer<std::int32_t> x(dev, std::vector<std::int32_t>{1});
        fresh[1](x);
        CHECK(x.to_vector()[0] == 20931);
      });
    for (std::thread &t : threads)
      t.join();
    tl_cache_get_statistics(&after);
    CHECK(after.misses == before.misses + 1);
  }
}

TEST_CASE("a kernel can be compiled ahead and looked at") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, 1000), out(dev, 1000);
    x.fill(1);
    const tl::compiled_kernel k = add<128>.compile(dev, x, x, out, 1000);
    CHECK(k.text(tl::stage::ttir).find("tt.func") != std::string_view::npos);
    REQUIRE(!k.stages().empty());
    CHECK(k.stages().front() == "ttir");
    CHECK(!k.compile_times().empty());
    CHECK((k == add<128>[tl::grid(8)](x, x, out, 1000)));
    CHECK_THROWS_AS(k.text("no such stage"), tl::invalid_argument);
    if (dev.name() != "interpreter") {
      // Also where a disassembly comes after it.
      REQUIRE(k.binary().size() > 4);
      CHECK(std::memcmp(k.binary().data(),
                        "\x7F"
                        "ELF",
                        4) == 0);
    } else {
      CHECK_THROWS_WITH_AS(k.binary(),
                           doctest::Contains("has no machine code, its stages are ttir"),
                           tl::invalid_argument);
    }
  }
}

TEST_CASE("an autotuned kernel that works in place gives the result of one run") {
  // [tuned]
  static auto tuned = tl::autotune<scale_config{256}, scale_config{1024}>(
      []<scale_config C> { return halve<C>; }, {.key = tl::args<1>, .milliseconds = 1});
  // [tuned]
  for (tl::device dev : testing::devices()) {
    const int n = 1000;
    tl::buffer<float> x(dev, std::vector<float>(n, 8.0f));
    // [tuned_launch]
    const auto grid = tl::grid([&](scale_config c) { return tl::cdiv(n, c.block); });
    tuned[grid](x, n);
    // [tuned_launch]
    CHECK(testing::allclose(x, std::vector<float>(n, 4.0f)));
    tuned[grid](x, n);
    CHECK(testing::allclose(x, std::vector<float>(n, 2.0f)));
    const tl::stream s(dev);
    // [tuned_stream]
    tuned[{.grid = grid, .stream = s}](x, n);
    // [tuned_stream]
    CHECK(testing::allclose(x.to_vector(s), std::vector<float>(n, 1.0f)));
  }
}

template <scale_config C>
constexpr auto halve_tile = tl::kernel{[](tl::descriptor<float, 4, 4> tile, tl::ptr<float> out) {
  tile.store({0, 0}, tile.load({0, 0}) * 0.5f);
  tl::store(out + tl::arange<C.block>(), 3);
}};

TEST_CASE("tuning in a stream of its own puts back what descriptors lead to") {
  static auto tuned = tl::autotune<scale_config{4}, scale_config{8}>(
      []<scale_config C> { return halve_tile<C>; }, {.milliseconds = 1});
  for (tl::device dev : testing::devices()) {
    CAPTURE(std::string(dev.name()));
    const tl::stream own(dev);
    tl::buffer<float> x(dev, std::vector<float>(24, 8.0f));
    testing::guarded_buffer<float> out(dev, 8); // nothing is written in it yet
    const tl::tensor_descriptor<float, 4, 4> tile(x, {3, 4}, {8, 1});
    tl::stream::default_of(dev).synchronize();
    tuned[{.grid = {1}, .stream = own}](tile, out);
    std::vector<float> expected(24, 8.0f);
    for (int i = 0; i < 24; ++i)
      expected[i] = i % 8 < 4 ? 4.0f : 8.0f;
    CHECK(x.to_vector(own) == expected);
    CHECK(out.intact());
  }
}

TEST_CASE("a kernel with twenty parameters gets them all") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> out(dev, 1);
    twenty_parameters[1](nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                         nullptr, out, 1, 2, 3, 4, 5, 6, 7, 8, 0.5f, 0.25);
    CHECK(out.to_vector()[0] == 8.25f);
    nothing[tl::grid(3)]();
  }
}

TEST_CASE("an absent argument is a case of its own") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, std::vector<float>(64, 1.0f)), bias(dev, std::vector<float>(64, 2.0f));
    tl::buffer<float> out(dev, 64);
    add_optional[1](out, x, bias);
    CHECK(testing::allclose(out, std::vector<float>(64, 3.0f)));
    add_optional[1](out, x, nullptr);
    CHECK(testing::allclose(out, std::vector<float>(64, 1.0f)));
    add_optional[1](out, x, bias);
    CHECK(testing::allclose(out, std::vector<float>(64, 3.0f)));
  }
}

TEST_CASE("a host descriptor is accessed inside its extents only") {
  for (tl::device dev : testing::devices()) {
    const int rows = 20, columns = 40, pitch = 64;
    const auto host = testing::random_values<float>(rows * pitch);
    tl::buffer<float> x(dev, host), out(dev, std::vector<float>(rows * pitch, -1.0f));
    double_tiles[tl::grid(3, 3)](
        tl::tensor_descriptor<float, 8, 16>(out, {rows, columns}, {pitch, 1}),
        tl::tensor_descriptor<float, 8, 16>(x, {rows, columns}, {pitch, 1}));
    std::vector<float> expected(rows * pitch, -1.0f);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        expected[i * pitch + j] = 2 * host[i * pitch + j];
    CHECK(testing::allclose(out, expected));
  }
}

TEST_CASE("a host descriptor may be of nothing, or of one row at any distance") {
  for (tl::device dev : testing::devices()) {
    const int columns = 16;
    const auto host = testing::random_values<float>(columns);
    tl::buffer<float> x(dev, host), nothing(dev, 0);
    testing::guarded_buffer<float> out(dev, 8 * columns);
    const tl::tensor_descriptor<float, 8, 16> row(x, {1, columns}, {std::int64_t(1) << 40, 1}),
        all(out, {8, columns}), no_rows(nothing, {0, columns}), no_columns(nothing, {8, 0});
    std::vector<float> expected(8 * columns);
    for (const auto &empty : {no_rows, no_columns}) {
      double_tiles[tl::grid(1, 1)](all, empty);
      CHECK(testing::allclose(out, expected));
      double_tiles[tl::grid(1, 1)](empty, row);
    }
    double_tiles[tl::grid(1, 1)](all, row);
    for (int j = 0; j < columns; ++j)
      expected[j] = 2 * host[j];
    CHECK(testing::allclose(out, expected));
    CHECK(out.intact());
  }
}

TEST_CASE("device_assert is checked when the launch asks for it") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<std::int32_t> x(dev, std::vector<std::int32_t>{11});
    assert_small[1](x);
    CHECK_NOTHROW(tl::stream::default_of(dev).synchronize());
    CHECK(message_of([&] {
            assert_small[{.grid = {1}, .debug = true}](x);
            tl::stream::default_of(dev).synchronize();
          }).find("x is small") != std::string::npos);
    x.fill(0);
    assert_small[{.grid = {1}, .debug = true}](x);
    CHECK_NOTHROW(tl::stream::default_of(dev).synchronize());
  }
}

TEST_CASE_TEMPLATE("devices and host round alike", T, tl::float16, tl::bfloat16, tl::float8e4nv,
                   tl::float8e5) {
  // All upper halves of a float, with lower halves at and beside the ties.
  std::vector<float> host;
  for (unsigned high = 0; high < 0x10000; high += 3)
    for (unsigned low : {0x0000u, 0x0001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
      host.push_back(std::bit_cast<float>(high << 16 | low));
  host.resize(host.size() / 256 * 256);
  std::vector<T> expected;
  for (float value : host)
    expected.push_back(T(value));
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host);
    testing::guarded_buffer<T> out(dev, host.size());
    narrow<T>[tl::grid(host.size() / 256)](out, x);
    CHECK(testing::allclose(out, expected, {.equal_nan = true}));
    CHECK(out.intact());
  }
}

TEST_CASE("a write past a buffer is reported with the kernel's line, and later launches work") {
  const tl::device dev("interpreter");
  tl::buffer<float> x(dev, std::vector<float>(100, 1.0f)), out(dev, 100);
  try {
    add<128>[1](x, x, out, 128);
    FAIL("nothing was thrown");
  } catch (const tl::runtime_error &e) {
    CHECK(e.file().find("devices_test.cpp") != std::string::npos);
    if (std::ifstream(std::string(e.file()))) // the line is shown where the source is at hand
      CHECK(std::string(e.what()).find("tl::load(x + offsets, mask)") != std::string::npos);
  }
  add<128>[1](x, x, out, 100);
  CHECK(testing::allclose(out, std::vector<float>(100, 2.0f)));
}

TEST_CASE("options that a device cannot follow are refused") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, 128);
    x.fill(0);
    for (int bad : {-1, 0, 3, 64, std::numeric_limits<int>::max()})
      CHECK_THROWS_AS((add<128>[{.grid = {1}, .num_warps = bad}](x, x, x, 128)),
                      tl::invalid_argument);
    for (int bad : {-1, 0, 65})
      CHECK_THROWS_AS((add<128>[{.grid = {1}, .num_stages = bad}](x, x, x, 128)),
                      tl::invalid_argument);
  }
}

TEST_CASE("data on two devices is refused") {
  tl::buffer<float> here(tl::device("cpu"), 128), there(tl::device("interpreter"), 128);
  CHECK(message_of([&] { add<128>[1](here, there, here, 128); }) ==
        "the data of argument 0 is on device cpu, the data of argument 1 on device interpreter");
}

TEST_CASE("a device that does not exist is refused with those that do") {
  CHECK(message_of([] { tl::device("abacus"); }).find("interpreter") != std::string::npos);
}

TEST_CASE("more memory than there is is refused") {
  for (tl::device dev : testing::devices()) {
    CHECK_THROWS_AS(tl::buffer<double>(dev, std::size_t(1) << 56), tl::out_of_resources);
    CHECK_NOTHROW(tl::buffer<double>(dev, 16));
  }
}

TEST_CASE("events measure and streams wait") {
  for (tl::device dev : testing::devices()) {
    tl::stream s(dev);
    tl::event start(dev), end(dev);
    tl::buffer<float> x(dev, std::vector<float>(1024, 1.0f)), out(dev, 1024);
    start.record(s);
    add<256>[{.grid = {4}, .stream = s}](x, x, out, 1024);
    end.record(s);
    s.wait(end);
    s.synchronize();
    CHECK(end.milliseconds_since(start) >= 0);
    CHECK(testing::allclose(out.to_vector(s), std::vector<float>(1024, 2.0f)));
  }
}
