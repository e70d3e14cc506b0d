// SPDX-License-Identifier: MIT
//
// Assertions inside kernels.

#include "sweep.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <unistd.h>

namespace {

constexpr auto asserts = tl::kernel{[](tl::ptr<const std::int32_t> x, tl::i32 n) {
  auto at = tl::arange<16>();
  tl::device_assert(tl::load(x + at) == 8, "not eight", at < n);
}};

constexpr auto expects = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
  auto at = tl::arange<16>();
  tl::store(x + at, tl::expect_zero(tl::load(x + at), at < n) + 1);
}};

constexpr auto prints = tl::kernel{[](tl::i32 n) {
  tl::device_print("number", n);
  tl::device_print_hex("word", n + 35, n + 36);
}};

constexpr auto prints_blocks = tl::kernel{[] {
  tl::device_print("line", tl::arange<3>());
  auto tile = tl::arange<3>()(tl::all, tl::newaxis) * 10 + tl::arange<5>()(tl::newaxis, tl::all);
  tl::device_print("both", tile, tl::cast<float>(tl::arange<6>()));
}};

/// What is found in the branch that is taken, and nothing in the other one, is asserted and
/// printed.
constexpr auto largest = tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out) {
  tl::tensor v = tl::load(x + tl::arange<16>());
  auto larger = [](auto a, auto b) {
    tl::tensor result = a;
    tl::if_(
        a < b,
        [&] {
          tl::device_assert(a > -5, "the smaller is above -5");
          tl::device_print("smaller", a);
          result = b;
        },
        [&] {
          for (auto i : tl::range(0, 2))
            tl::device_assert(b > -5 - i, "the smaller is above -5");
        });
    return result;
  };
  tl::store(out, tl::reduce<0>(v, larger));
  tl::store(out + 1 + tl::arange<16>(), tl::associative_scan<0>(v, larger));
}};

/// Products of blocks whose numbers are loaded, and are asserted to be numbers of blocks.
constexpr auto guarded = tl::kernel{[](tl::ptr<const tl::float16> blocks,
                                       tl::ptr<const std::int32_t> numbers, tl::ptr<float> out,
                                       tl::i32 count, tl::i32 most) {
  auto place = tl::arange<32>()(tl::all, tl::newaxis) * 32 + tl::arange<32>()(tl::newaxis, tl::all);
  tl::tensor sum = tl::zeros<float, 32, 32>();
  for (auto i : tl::range(0, count)) {
    auto number = tl::load(numbers + i);
    tl::device_assert(number < most, "no such block");
    auto block = tl::load(blocks + number * (32 * 32) + place);
    sum = tl::dot(block, block, sum);
  }
  tl::store(out + place, sum);
}};

/// What the program writes to its standard output while `f` runs.
template <class F> std::string printed(F f) {
  std::fflush(stdout);
  const int before = dup(1);
  std::FILE *file = std::tmpfile();
  dup2(fileno(file), 1);
  f();
  std::fflush(stdout);
  dup2(before, 1);
  close(before);
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;)
    text += char(c);
  std::fclose(file);
  return text;
}

} // namespace

TEST_CASE("what should be zero and is not is an error, when the launch asks for it") {
  std::vector<std::int32_t> host(16, 0);
  host[5] = 7;
  tl::launch_options checked = numeric::grid(1);
  checked.debug = true;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::buffer<std::int32_t> x(dev, host);
    numeric::seen(expects[checked](x, 5)); // the seven is masked off
    CHECK(x.to_vector()[5] == 8);
    CHECK_NOTHROW((expects[numeric::grid(1)](x, 16)));
    CHECK(x.to_vector()[5] == 9);
    try {
      expects[checked](x, 16);
      tl::stream::default_of(dev).synchronize();
      FAIL_CHECK("nothing was thrown");
    } catch (const tl::runtime_error &error) {
      CHECK(std::string(error.what()).find("an element that should be zero is not") !=
            std::string::npos);
    }
  }
}

TEST_CASE("no load of a loop runs ahead of the assertion that guards it") {
  const std::vector<tl::float16> blocks(4 * 32 * 32, tl::float16(1.0f));
  const std::vector<std::int32_t> right = {0, 3, 1, 2, 3}, wrong = {0, 3, 1, 2, 100000};
  tl::launch_options checked = numeric::grid(1);
  checked.debug = true;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::buffer<tl::float16> x(dev, blocks);
    tl::buffer<std::int32_t> numbers(dev, right), others(dev, wrong);
    tl::testing::guarded_buffer<float> out(dev, 32 * 32);
    numeric::seen(guarded[checked](x, numbers, out, 5, 4));
    CHECK(tl::testing::allclose(out, std::vector<double>(32 * 32, 5 * 32)));
    try {
      guarded[checked](x, others, out, 5, 4);
      tl::stream::default_of(dev).synchronize();
      FAIL_CHECK("nothing was thrown");
    } catch (const tl::runtime_error &error) {
      CHECK(std::string(error.what()).find("no such block") != std::string::npos);
    }
  }
}

TEST_CASE("a kernel prints numbers, in hexadecimal too") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    const std::string text = printed([&] {
      tl::launch_options options = numeric::grid(1);
      options.device = dev;
      numeric::seen(prints[options](7));
      tl::stream::default_of(dev).synchronize();
    });
    CAPTURE(text);
    CHECK(text.find("number: 7") != std::string::npos);
    CHECK(text.find("word: (operand 0) 0x0000002a") != std::string::npos);
    CHECK(text.find("word: (operand 1) 0x0000002b") != std::string::npos);
  }
}

TEST_CASE("blocks of any size are printed without the padding") {
  std::vector<std::string> want;
  const auto expect = [&](int place, const std::string &value) {
    want.push_back("idx (" + std::to_string(place) + ") " + value);
  };
  for (int i = 0; i < 3; ++i)
    expect(i, "line: " + std::to_string(i));
  for (int i = 0; i < 6; ++i)
    expect(i, "both: (operand 1) " + std::to_string(i));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      want.push_back("idx (" + std::to_string(i) + ", " + std::to_string(j) +
                     ") both: (operand 0) " + std::to_string(i * 10 + j));
  std::sort(want.begin(), want.end());
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    std::istringstream text(printed([&] {
      tl::launch_options options = numeric::grid(1);
      options.device = dev;
      numeric::seen(prints_blocks[options]());
      tl::stream::default_of(dev).synchronize();
    }));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
      lines.push_back(line.substr(std::min(line.find("idx"), line.size())));
    std::sort(lines.begin(), lines.end());
    CHECK(lines == want);
  }
}

TEST_CASE("a failed assertion is an error with its text, when the launch asks for it") {
  std::vector<std::int32_t> host(16, 8);
  host[5] = 7;
  tl::launch_options checked = numeric::grid(1);
  checked.debug = true;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, host);
    numeric::seen(asserts[checked](x, 5)); // the seven is masked off
    CHECK_NOTHROW((asserts[{.grid = {1}, .debug = false}](x, 16)));
    try {
      asserts[checked](x, 16);
      tl::stream::default_of(dev).synchronize();
      FAIL_CHECK("nothing was thrown on device " << dev.name());
    } catch (const tl::runtime_error &error) {
      CHECK(std::string(error.what()).find("not eight") != std::string::npos);
      CHECK(std::string(error.what()).find("debug.cpp") != std::string::npos);
    }
  }
}

TEST_CASE("branches in the functions of reductions and scans assert and print") {
  std::vector<std::int32_t> host{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::launch_options checked = numeric::grid(1);
    checked.debug = true;
    checked.device = dev;
    tl::buffer<std::int32_t> x(dev, host), out(dev, 17);
    const std::string text = printed([&] {
      numeric::seen(largest[checked](x, out));
      tl::stream::default_of(dev).synchronize();
    });
    CHECK(text.find("smaller: 3") != std::string::npos);
    CHECK(text.find("smaller: 9") == std::string::npos);
    const std::vector<std::int32_t> found = out.to_vector();
    CHECK(found[0] == 9);
    CHECK(found[3] == 4);
    CHECK(found[16] == 9);

    std::vector<std::int32_t> negative = host;
    negative[7] = -6;
    tl::buffer<std::int32_t> y(dev, negative);
    std::string error;
    printed([&] {
      try {
        largest[checked](y, out);
        tl::stream::default_of(dev).synchronize();
      } catch (const tl::runtime_error &thrown) {
        error = thrown.what();
      }
    });
    CHECK(error.find("the smaller is above -5") != std::string::npos);
  }
}
