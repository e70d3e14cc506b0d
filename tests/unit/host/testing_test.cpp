// SPDX-License-Identifier: MIT
//
// The testing helpers tell right from wrong, and say where.
#include "fake_c_api.hpp"
#include "fake_kernel.hpp"

#include <tl/testing.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace testing = tl::testing;

namespace {
const tl::device cpu("cpu");
}

TEST_CASE("equal values are close") {
  const std::vector<float> x{1, 2, INFINITY};
  CHECK(testing::allclose(x, x));
  CHECK(testing::allclose(tl::buffer<float>(cpu, x), x));
  CHECK(testing::allclose(std::vector<tl::float16>{tl::float16(1)}, std::vector<double>{1}));
  CHECK(testing::allclose(std::vector<bool>{true}, std::array<bool, 1>{true}));
  CHECK(testing::allclose(std::vector<float>{}, std::vector<float>{}));
}

TEST_CASE("the first and the worst mismatch are shown") {
  const std::vector<float> want{1, 1.25f, 3, 1.25f, 5};
  const std::vector<float> got{1, 1.5f, 3, 2.5f, 5};
  CHECK(testing::allclose(got, want).text() == "2 of 5 elements differ (rtol 0, atol 0)\n"
                                               "  first at [1]: 1.5, expected 1.25, off by 0.25\n"
                                               "  worst at [3]: 2.5, expected 1.25, off by 1.25");
  CHECK(testing::allclose(tl::buffer<float>(cpu, got), want, {.rtol = 0.25}).text() ==
        "1 of 5 elements differ on device cpu (rtol 0.25, atol 0)\n"
        "  first at [3]: 2.5, expected 1.25, off by 1.25\n"
        "  worst at [3]: 2.5, expected 1.25, off by 1.25");
  CHECK(testing::allclose(got, want, {.rtol = 0.5, .atol = 0.625}));
  CHECK(testing::allclose(std::vector<float>(2), std::vector<float>(3)).text() ==
        "there are 2 elements, expected 3");
}

TEST_CASE("a verdict prints itself") {
  std::ostringstream out;
  out << testing::allclose(std::vector<int>{1}, std::vector<int>{1});
  out << '\n' << testing::allclose(std::vector<int>{1}, std::vector<int>{2});
  CHECK(out.str() == "equal within tolerance\n"
                     "1 of 1 elements differ (rtol 0, atol 0)\n"
                     "  first at [0]: 1, expected 2, off by 1\n"
                     "  worst at [0]: 1, expected 2, off by 1");
}

TEST_CASE("NaN and infinity are close to nothing but themselves") {
  const std::vector<float> nan{NAN}, inf{INFINITY}, minus{-INFINITY}, one{1};
  CHECK_FALSE(testing::allclose(nan, nan));
  CHECK(testing::allclose(nan, nan, {.equal_nan = true}));
  CHECK_FALSE(testing::allclose(nan, one, {.rtol = 1e9, .equal_nan = true}));
  CHECK_FALSE(testing::allclose(one, nan, {.rtol = 1e9, .equal_nan = true}));
  CHECK(testing::allclose(inf, inf));
  CHECK_FALSE(testing::allclose(inf, minus, {.rtol = 1e9}));
  CHECK_FALSE(testing::allclose(one, inf, {.rtol = 1e9}));
  CHECK_FALSE(testing::allclose(inf, one, {.rtol = 1e9}));
}

TEST_CASE("integers are compared exactly") {
  using i64 = std::vector<std::int64_t>;
  const std::int64_t big = std::int64_t(1) << 60;
  CHECK_FALSE(testing::allclose(i64{big}, i64{big + 1}, {.rtol = 0.5, .atol = 9}));
  CHECK_FALSE(testing::allclose(std::vector<std::uint32_t>{0xFFFFFFFF}, std::vector<int>{-1}));
  CHECK_FALSE(testing::allclose(std::vector<std::uint64_t>{~0ull}, i64{-1}));
  CHECK_FALSE(testing::allclose(std::vector<std::int32_t>{5}, i64{(std::int64_t(1) << 32) + 5}));
  CHECK_FALSE(testing::allclose(i64{(std::int64_t(1) << 32) + 5}, std::vector<std::int32_t>{5}));
  CHECK(testing::allclose(std::vector<std::int8_t>{-1}, i64{-1}));
  CHECK(testing::allclose(std::vector<std::uint64_t>{7}, std::vector<std::int8_t>{7}));
}

TEST_CASE("an integer that a double cannot hold differs from the double beside it") {
  using i64 = std::vector<std::int64_t>;
  using u64 = std::vector<std::uint64_t>;
  using f64 = std::vector<double>;
  const i64 odd{(std::int64_t(1) << 53) + 1}, most{std::numeric_limits<std::int64_t>::max()};
  CHECK(testing::allclose(f64{0x1p53}, odd).text() ==
        "1 of 1 elements differ (rtol 0, atol 0)\n"
        "  first at [0]: 9007199254740992, expected 9007199254740993, off by 1\n"
        "  worst at [0]: 9007199254740992, expected 9007199254740993, off by 1");
  CHECK_FALSE(testing::allclose(odd, f64{0x1p53}));
  CHECK_FALSE(testing::allclose(f64{0x1p53 + 2}, odd));
  CHECK(testing::allclose(f64{0x1p53}, odd, {.atol = 1}));
  CHECK(testing::allclose(f64{0x1p53}, i64{std::int64_t(1) << 53}));
  CHECK_FALSE(testing::allclose(f64{0x1p63}, most));
  CHECK_FALSE(testing::allclose(f64{0x1p63}, most, {.atol = 0.5}));
  CHECK(testing::allclose(f64{0x1p63}, most, {.atol = 1}));
  CHECK(testing::allclose(f64{-0x1p63}, i64{std::numeric_limits<std::int64_t>::min()}));
  CHECK_FALSE(testing::allclose(f64{0x1p64}, u64{~0ull}));
  CHECK(testing::allclose(std::vector<float>{0x1p63f}, u64{std::uint64_t(1) << 63}));
  CHECK_FALSE(testing::allclose(f64{INFINITY}, most, {.rtol = 1}));
  CHECK_FALSE(testing::allclose(f64{NAN}, most, {.rtol = 1}));
}

TEST_CASE("tolerances and distances are shown in the range of a double") {
  using f64 = std::vector<double>;
  CHECK(testing::allclose(f64{3e300}, f64{1e300}, {.rtol = 1e-60, .atol = 1e300}).text() ==
        "1 of 1 elements differ (rtol 1e-60, atol 1e+300)\n"
        "  first at [0]: 3.0000000000000002e+300, expected 1.0000000000000001e+300, "
        "off by 2e+300\n"
        "  worst at [0]: 3.0000000000000002e+300, expected 1.0000000000000001e+300, "
        "off by 2e+300");
}

TEST_CASE("a guarded buffer notices writes on both sides") {
  testing::guarded_buffer<float> x(cpu, 5);
  CHECK(x.intact());
  for (float value : x.to_vector())
    CHECK(std::fabs(value) > 1e30f); // poison
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] = 1;
  CHECK(x.intact());
  CHECK(x.to_vector() == std::vector<float>(5, 1));
  x.data()[5] = 1;
  CHECK(x.intact().text() == "element [5] of a buffer of 5 was written on device cpu");
  testing::guarded_buffer<double> y(cpu, 0);
  CHECK(y.intact());
  y.data()[-1] = 0;
  CHECK(y.intact().text() == "element [-1] of a buffer of 0 was written on device cpu");
  testing::guarded_buffer<std::int16_t> z(tl::device("interpreter"), 3);
  CHECK(z.intact());
}

TEST_CASE("a guarded buffer is an argument like a buffer") {
  constexpr fake::kernel<1, fake::ptr<const float>, fake::ptr<float>> kernel;
  const tl::device interpreter("interpreter");
  testing::guarded_buffer<float> x(interpreter, 8);
  const testing::guarded_buffer<float> y(interpreter, 8);
  kernel[1](y, x);
  CHECK(fake::argument<float *>(fake::last, 1) == x.data());
  CHECK(fake::last.device == "interpreter");
  CHECK(fake::last.text == "kernel1:dd"); // as aligned as a buffer
}

TEST_CASE("random values lie where they should") {
  testing::generator source(42), same(42), other(43);
  const auto x = testing::random_values<float>(1000, {2, 3}, source);
  CHECK(x == testing::random_values<float>(1000, {2, 3}, same));
  CHECK(x != testing::random_values<float>(1000, {2, 3}, other));
  for (float value : x)
    CHECK((value >= 2 && value < 3));
  for (std::int8_t value : testing::random_values<std::int8_t>(1000, {-3, 3}))
    CHECK((value >= -3 && value < 3));
  for (tl::float16 value : testing::random_values<tl::float16>(1000))
    CHECK((value >= -1 && value < 1));
  bool high = false;
  for (std::uint64_t value : testing::random_values<std::uint64_t>(100))
    high = high || value >> 63;
  CHECK(high);
  CHECK(testing::random_values<bool>(10).size() == 10);
}

TEST_CASE("random values of wide and narrow intervals lie in them, too") {
  testing::generator source(7);
  int halves[2] = {0, 0}, signs[2] = {0, 0};
  for (std::uint64_t value : testing::random_values<std::uint64_t>(1000, {0, 0x1p64}, source)) {
    ++halves[value >> 63];
    CHECK(value != std::uint64_t(1) << 63);
  }
  CHECK(halves[0] > 400);
  CHECK(halves[1] > 400);
  for (std::int64_t value : testing::random_values<std::int64_t>(1000, {-0x1p63, 0x1p63}, source))
    ++signs[value < 0];
  CHECK(signs[0] > 400);
  CHECK(signs[1] > 400);
  int counts[3] = {0, 0, 0};
  for (std::uint64_t value :
       testing::random_values<std::uint64_t>(999, {0x1p63, 0x1p63 + 4096}, source))
    ++counts[(value - (std::uint64_t(1) << 63)) / 1366];
  for (int count : counts)
    CHECK(count > 250);
  for (std::int32_t value : testing::random_values<std::int32_t>(100, {-0.5, 0.9}, source))
    CHECK(value == 0);
  for (std::int32_t value : testing::random_values<std::int32_t>(100, {-2.5, -0.5}, source))
    CHECK((value == -2 || value == -1));
  for (std::uint8_t value : testing::random_values<std::uint8_t>(100, {-2, 0}, source))
    CHECK(value >= 254); // wraps
  for (tl::float16 value : testing::random_values<tl::float16>(20000, {0.1, 1}, source))
    CHECK((double(value) >= 0.1 && double(value) < 1));
  for (tl::float8e5 value : testing::random_values<tl::float8e5>(1000, {0, 1}, source))
    CHECK((double(value) >= 0 && double(value) < 1));
  for (float value : testing::random_values<float>(20000, {1, 1.0000001}, source))
    CHECK(value == 1);
  for (double value : testing::random_values<double>(100, {-1.7e308, 1.7e308}, source))
    CHECK((value >= -1.7e308 && value < 1.7e308));
  for (double value : testing::random_values<double>(100, {5e-324, 1e-323}, source))
    CHECK(value == 5e-324);
  for (double value : testing::random_values<double>(100, {-1e-323, 1e-323}, source))
    CHECK((value >= -1e-323 && value < 1e-323));
  CHECK(testing::random_values<float>(1, {2, 2}, source)[0] == 2);
  CHECK(testing::random_values<std::int32_t>(1, {2, 2}, source)[0] == 2);
}

TEST_CASE("random values lie in finite intervals only") {
  for (const testing::interval range :
       {testing::interval{0, INFINITY}, {-INFINITY, 0}, {NAN, 1}, {0, NAN}}) {
    CHECK_THROWS_AS(testing::random_values<float>(1, range), tl::invalid_argument);
    CHECK_THROWS_AS(testing::random_values<std::int64_t>(1, range), tl::invalid_argument);
  }
  try {
    testing::random_values<double>(1, {0, INFINITY});
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message() ==
          "tl::testing::random_values takes an interval of finite numbers, not from 0 to inf");
  }
}

TEST_CASE("a seed is a whole number") {
  CHECK(tl::impl::seed_from("0") == 0);
  CHECK(tl::impl::seed_from("123456789") == 123456789);
  CHECK(tl::impl::seed_from("0x1F") == 31);
  CHECK(tl::impl::seed_from("18446744073709551615") == ~std::uint64_t(0));
  for (const char *text : {"abc", "12x", "-1", " 1", "1 ", "18446744073709551616", "0x"})
    CHECK_THROWS_AS(tl::impl::seed_from(text), tl::invalid_argument);
  try {
    tl::impl::seed_from("abc");
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message() ==
          "environment variable TL_TEST_SEED is 'abc', expected a whole number of 64 bits");
  }
}

TEST_CASE("the devices to test on can be chosen") {
  unsetenv("TL_TEST_DEVICES");
  CHECK(testing::devices().size() == 2);
  CHECK(testing::devices("inter").size() == 1);
  setenv("TL_TEST_DEVICES", "interpreter,cpu", 1);
  REQUIRE(testing::devices().size() == 2);
  CHECK(testing::devices()[0].name() == "interpreter");
  setenv("TL_TEST_DEVICES", "interpreter", 1);
  CHECK(testing::devices().size() == 1);
  setenv("TL_TEST_DEVICES", "abacus", 1);
  CHECK_THROWS_AS(testing::devices(), tl::invalid_argument);
  unsetenv("TL_TEST_DEVICES");
}
