// SPDX-License-Identifier: MIT
//
// How a launch converts, specialises, finds and refuses, seen from the other side of the C API.
#include "fake_c_api.hpp"
#include "fake_kernel.hpp"

#include <tl/launch.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (const tl::error &e) {
    return e.message();
  }
  return "nothing was thrown";
}

const tl::device cpu("cpu"), interpreter("interpreter");

using f32_in = fake::ptr<const float>;
using f32_out = fake::ptr<float>;
template <class T> using value = fake::scalar<T>;

// Launches a kernel of one scalar parameter and returns what arrived.
template <class T, class A> T arrives(A argument) {
  constexpr fake::kernel<100, value<T>> kernel;
  kernel[1](argument);
  return fake::argument<T>(fake::last, 0);
}

template <class T, class A> std::string refusal(A argument) {
  constexpr fake::kernel<100, value<T>> kernel;
  return message_of([&] { kernel[1](argument); });
}

} // namespace

TEST_CASE("a launch passes the grid and the arguments") {
  constexpr fake::kernel<1, f32_in, f32_out, value<std::int32_t>, value<double>> kernel;
  tl::buffer<float> x(cpu, 4), y(cpu, 4);
  kernel[tl::grid(2, 3, 4)](x, y, 5, 0.5);
  CHECK(fake::last.grid == std::array<std::uint32_t, 3>{2, 3, 4});
  CHECK(fake::last.device == "cpu");
  REQUIRE(fake::last.arguments.size() == 4);
  CHECK(fake::argument<float *>(fake::last, 0) == x.data());
  CHECK(fake::argument<float *>(fake::last, 1) == y.data());
  CHECK(fake::argument<std::int32_t>(fake::last, 2) == 5);
  CHECK(fake::argument<double>(fake::last, 3) == 0.5);
}

TEST_CASE("a grid is made of integers of any type") {
  constexpr fake::kernel<2> kernel;
  const std::size_t rows = 7;
  kernel[rows]();
  CHECK(fake::last.grid == std::array<std::uint32_t, 3>{7, 1, 1});
  kernel[{.grid = {rows}}]();
  CHECK(fake::last.grid == std::array<std::uint32_t, 3>{7, 1, 1});
  kernel[{.grid = {rows, 2, std::int64_t(3)}, .num_warps = 8}]();
  CHECK(fake::last.grid == std::array<std::uint32_t, 3>{7, 2, 3});
  kernel[tl::grid(std::uint8_t(9), 1u)]();
  CHECK(fake::last.grid == std::array<std::uint32_t, 3>{9, 1, 1});
}

TEST_CASE("an empty grid launches nothing and fails nowhere") {
  constexpr fake::kernel<3> kernel;
  kernel[1]();
  const int before = fake::launches;
  kernel[0]();
  kernel[tl::grid(0, 5, 1)]();
  kernel[tl::grid(3, 0)]();
  CHECK(fake::launches == before);
  kernel[1]();
  CHECK(fake::launches == before + 1);
}

TEST_CASE("an absurd grid is refused with the axis, the value and the limit") {
  CHECK(message_of([] { (void)tl::grid(-1); }) ==
        "the grid's extent along x is -1, it must be between 0 and 2147483647");
  CHECK(message_of([] { (void)tl::grid(1, std::int64_t(1) << 31); }) ==
        "the grid's extent along y is 2147483648, it must be between 0 and 2147483647");
  CHECK(message_of([] { (void)tl::grid(1, 1, std::numeric_limits<std::uint64_t>::max()); }) ==
        "the grid's extent along z is 18446744073709551615, it must be between 0 and 2147483647");
  CHECK(message_of([] { (void)tl::grid(2147483647, 2147483647, 2147483647); }) ==
        "a grid of 2147483647 x 2147483647 x 2147483647 programs is over the limit of "
        "1099511627776");
  CHECK(message_of([] { (void)tl::grid(1, 65536, 65536); }) == "nothing was thrown");
  CHECK(message_of([] { (void)tl::grid(2147483647, 1, 0); }) == "nothing was thrown");
}

TEST_CASE("a launch without a grid is refused, compiling without one is not") {
  constexpr fake::kernel<4> kernel;
  CHECK(message_of([&] { kernel[{.num_warps = 8}](); }) == "no grid was given");
  CHECK(kernel[{.num_warps = 8}].compile(cpu).name() == "fake");
  const unsigned line = __LINE__ + 2;
  try {
    kernel[{.num_warps = 8}]();
  } catch (const tl::invalid_argument &e) {
    CHECK(e.line() == line);
    CHECK(e.file() == __FILE__);
  }
  tl::launch_options options;
  try {
    kernel[options]();
  } catch (const tl::invalid_argument &e) {
    CHECK((e.file() == "" || e.file() == __FILE__));
  }
}

TEST_CASE("errors of a launch point at the line of its grid") {
  constexpr fake::kernel<5, value<std::int8_t>> kernel;
  const unsigned line = __LINE__ + 2;
  try {
    kernel[tl::grid(1)](1000);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.line() == line);
    CHECK(e.file() == __FILE__);
    CHECK(e.kernel() == "kernel5");
  }
  const unsigned other_line = __LINE__ + 2;
  try {
    kernel[{.grid = {1}, .num_warps = 8}](1000);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.line() == other_line);
  }
}

TEST_CASE("options out of range are refused before the kernel is traced, zero too") {
  constexpr fake::kernel<10, value<std::int8_t>> kernel;
  const int traces = fake::traces;
  for (const int bad : {0, -1, 3, 64})
    CHECK(message_of([&] { kernel[{.grid = {1}, .num_warps = bad}](1); }) ==
          "compile option num_warps is " + std::to_string(bad) +
              ", expected a power of two from 1 to 32");
  CHECK(message_of([&] { kernel[{.grid = {1}, .num_stages = 0}](1); }) ==
        "compile option num_stages is 0, expected 1 to 64");
  CHECK(message_of([&] { kernel[{.grid = {1}, .num_ctas = 0}](1); }) ==
        "compile option num_ctas is 0, expected a power of two from 1 to 16");
  CHECK(message_of([&] { kernel[{.grid = {1}, .max_registers = 257}](1); }) ==
        "compile option max_registers is 257, expected 1 to 256, or 0 for the default");
  const unsigned line = __LINE__ + 2;
  try {
    kernel[{.grid = {1}, .num_warps = 0}](1);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.line() == line);
    CHECK(e.kernel() == "kernel10");
  }
  CHECK(fake::traces == traces);
}

TEST_CASE("integers arrive unless the parameter cannot hold them") {
  CHECK(arrives<std::int32_t>(std::size_t(5)) == 5);
  CHECK(arrives<std::int64_t>(5) == 5);
  CHECK(arrives<std::int64_t>(std::int64_t(1) << 40) == std::int64_t(1) << 40);
  CHECK(arrives<std::uint64_t>(std::numeric_limits<std::uint64_t>::max()) ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(arrives<std::int8_t>(-128) == -128);
  CHECK(arrives<std::uint8_t>(255L) == 255);
  CHECK(arrives<std::int32_t>(5LL) == 5);
  CHECK(arrives<std::int16_t>(true) == 1);
  CHECK(arrives<bool>(true));
  CHECK(arrives<bool>(1));
  CHECK(refusal<std::int32_t>(5000000000) ==
        "argument 0 is 5000000000, which its parameter of type tl::i32 cannot hold");
  CHECK(refusal<std::uint32_t>(-1) ==
        "argument 0 is -1, which its parameter of type tl::u32 cannot hold");
  CHECK(refusal<std::uint64_t>(-1) ==
        "argument 0 is -1, which its parameter of type tl::u64 cannot hold");
  CHECK(refusal<std::int32_t>(0xFFFFFFFFu) ==
        "argument 0 is 4294967295, which its parameter of type tl::i32 cannot hold");
  CHECK(refusal<std::int64_t>(std::numeric_limits<std::uint64_t>::max()) ==
        "argument 0 is 18446744073709551615, which its parameter of type tl::i64 cannot hold");
  CHECK(refusal<std::int8_t>(128) ==
        "argument 0 is 128, which its parameter of type tl::i8 cannot hold");
  CHECK(refusal<bool>(2) == "argument 0 is 2, which its parameter of type tl::i1 cannot hold");
}

TEST_CASE("a floating-point argument arrives as the parameter's rounding of it") {
  CHECK(arrives<tl::float16>(42.0) == 42);
  CHECK(arrives<tl::float16>(65500.0) == 65504);
  CHECK(arrives<tl::float16>(-65500.0) == -65504);
  CHECK(arrives<tl::float16>(1e-7) == 0x1p-23);
  CHECK(arrives<tl::bfloat16>(42.0f) == 42);
  CHECK(arrives<tl::bfloat16>(1 + 0x1p-8 + 0x1p-50) == 1 + 0x1p-7);
  CHECK(arrives<float>(0.1) == 0.1f);
  CHECK(arrives<double>(0.1f) == 0.1f);
  CHECK(arrives<double>(0.1) == 0.1);
  CHECK(arrives<float>(tl::float16(1.5)) == 1.5f);
  CHECK(arrives<float>(3) == 3.0f);
  CHECK(arrives<tl::float8e5>(1e9) == 57344);
  CHECK(std::isinf(arrives<float>(INFINITY)));
  CHECK(std::isnan(arrives<float>(NAN)));
  CHECK(refusal<float>(1e300) ==
        "argument 0 is 1e+300, which its parameter of type tl::f32 cannot hold");
  CHECK(refusal<tl::float16>(70000) ==
        "argument 0 is 70000, which its parameter of type tl::f16 cannot hold");
}

TEST_CASE("pointers arrive from buffers, pointers and nullptr") {
  constexpr fake::kernel<6, f32_in, f32_out> kernel;
  tl::buffer<float> x(cpu, 64);
  const tl::buffer<float> &constant = x;
  const float *read = x.data() + 1;
  void *anything = x.data() + 4;
  kernel[1](constant, x.data());
  CHECK(fake::argument<float *>(fake::last, 0) == x.data());
  kernel[1](read, anything);
  CHECK(fake::argument<const float *>(fake::last, 0) == read);
  CHECK(fake::argument<void *>(fake::last, 1) == anything);
  kernel[1](tl::buffer<const float>(cpu, std::vector<float>(3)), nullptr);
  CHECK(fake::argument<void *>(fake::last, 1) == nullptr);
}

TEST_CASE("the kernel is specialised on what is known of the arguments") {
  constexpr fake::kernel<7, f32_out, value<std::int32_t>, value<std::int64_t>, value<float>,
                         value<bool>>
      kernel;
  alignas(16) float array[8];
  float *memory = array;
  kernel[1](memory, 5, 5, 1.0f, true);
  CHECK(fake::last.text == "kernel7:d....");
  kernel[1](memory + 1, 16, 1, 16.0f, true);
  CHECK(fake::last.text == "kernel7:.d1..");
  kernel[1](nullptr, 0, -32, 0.0f, false);
  CHECK(fake::last.text == "kernel7:ndd..");
  kernel[1](memory, 1000, -8, 8.0f, true);
  CHECK(fake::last.text == "kernel7:dnn..");
  kernel[1](memory, 5, 5, 1.0f, true);
  CHECK(fake::last.text == "kernel7:d....");
}

TEST_CASE("facts of many parameters do not run into each other") {
  using i = value<std::int32_t>;
  constexpr fake::kernel<8, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i,
                         i, i, i, i, i, i, i, i, i, i, i>
      kernel;
  kernel[1](1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1,
            2, 1, 16, 16, 1, 2);
  CHECK(fake::last.text == "kernel8:1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1dd1.");
}

TEST_CASE("equal launches compile once, other options and devices compile anew") {
  constexpr fake::kernel<9, value<std::int32_t>> kernel;
  const int before = fake::compilations;
  for (int i = 0; i < 10; ++i)
    kernel[1](3 + 2 * i);
  CHECK(fake::compilations == before + 1);
  kernel[{.grid = {1}, .num_warps = 8}](3);
  CHECK(fake::compilations == before + 2);
  CHECK(fake::last_options.num_warps == 8);
  CHECK(fake::last_options.num_stages == 3);
  CHECK(fake::last_options.size == sizeof(tl_compile_options));
  kernel[{.grid = {1}, .device = interpreter}](3);
  CHECK(fake::last.device == "interpreter");
  CHECK(fake::compilations == before + 3);
  kernel[{.grid = {1},
          .num_stages = 2,
          .num_ctas = 2,
          .max_registers = 64,
          .fp_fusion = false,
          .debug = true,
          .deterministic = true}](5);
  CHECK(fake::last_options.num_stages == 2);
  CHECK(fake::last_options.num_ctas == 2);
  CHECK(fake::last_options.max_registers == 64);
  CHECK(fake::last_options.disable_fp_fusion == 1);
  CHECK(fake::last_options.debug == 1);
  CHECK(fake::last_options.deterministic == 1);
  const int traces = fake::traces;
  kernel[1](7);
  CHECK(fake::traces == traces);
}

TEST_CASE("a failed compilation is reported each time and not remembered") {
  constexpr fake::kernel<10> kernel;
  for (int i = 0; i < 2; ++i) {
    fake::fail_next("tl_compile", {TL_COMPILE_ERROR, "no", "", "k.cpp", 3, 0, "", "", 0, 0});
    CHECK_THROWS_AS(kernel[1](), tl::compile_error);
  }
  CHECK_NOTHROW(kernel[1]());
}

TEST_CASE("a failed launch has the line of the grid unless it has its own") {
  constexpr fake::kernel<11> kernel;
  fake::fail_next("tl_launch", {TL_RUNTIME_ERROR, "no", "", "", 0, 0, "", "", 0, 0});
  try {
    kernel[1]();
    FAIL("nothing was thrown");
  } catch (const tl::runtime_error &e) {
    CHECK(e.file() == __FILE__);
  }
  fake::fail_next("tl_launch", {TL_RUNTIME_ERROR, "no", "", "k.cpp", 7, 0, "", "", 0, 0});
  try {
    kernel[1]();
    FAIL("nothing was thrown");
  } catch (const tl::runtime_error &e) {
    CHECK(e.file() == "k.cpp");
  }
}

TEST_CASE("a launch goes where the data is, or the stream, or the option says") {
  constexpr fake::kernel<12, f32_in, f32_in> kernel;
  tl::buffer<float> here(cpu, 4), there(interpreter, 4);
  tl::stream s(interpreter);
  const float *raw = there.data();
  kernel[1](there, there);
  CHECK(fake::last.device == "interpreter");
  kernel[1](raw, raw);
  CHECK(fake::last.device == "cpu");
  kernel[{.grid = {1}, .stream = s}](raw, raw);
  CHECK(fake::last.stream == s.handle());
  kernel[{.grid = {1}, .device = interpreter}](raw, raw);
  CHECK(fake::last.device == "interpreter");
}

TEST_CASE("data on two devices is refused with both named") {
  constexpr fake::kernel<13, f32_in, f32_in, f32_in> kernel;
  tl::buffer<float> here(cpu, 4), there(interpreter, 4);
  tl::stream s(interpreter);
  CHECK(message_of([&] { kernel[1](nullptr, here, there); }) ==
        "the data of argument 1 is on device cpu, the data of argument 2 on device interpreter");
  CHECK(message_of([&] { kernel[{.grid = {1}, .stream = s}](here, here, here); }) ==
        "the data of argument 0 is on device cpu, the launch on device interpreter");
  CHECK(message_of([&] { kernel[{.grid = {1}, .device = cpu}](there, here.data(), nullptr); }) ==
        "the data of argument 0 is on device interpreter, the launch on device cpu");
  CHECK(message_of([&] { kernel.compile(interpreter, here, here, here); }) ==
        "the launch is on device interpreter, the data of argument 0 on device cpu");
}

TEST_CASE("a host descriptor arrives as pointer, extents and strides") {
  constexpr fake::kernel<14, fake::descriptor<float, 16, 8>, value<std::int32_t>> kernel;
  tl::buffer<float> x(cpu, 64 * 32);
  kernel[1](tl::tensor_descriptor<float, 16, 8>(x, {64, 30}, {32, 1}), 7);
  REQUIRE(fake::last.arguments.size() == 6);
  CHECK(fake::argument<float *>(fake::last, 0) == x.data());
  CHECK(fake::argument<std::int32_t>(fake::last, 1) == 64);
  CHECK(fake::argument<std::int32_t>(fake::last, 2) == 30);
  CHECK(fake::argument<std::int64_t>(fake::last, 3) == 32);
  CHECK(fake::argument<std::int64_t>(fake::last, 4) == 1);
  CHECK(fake::argument<std::int32_t>(fake::last, 5) == 7);
  CHECK(fake::last.text == "kernel14:dd.d1.");
  // Rows that are multiples of 16 bytes long.
  kernel[1](tl::tensor_descriptor<float, 16, 8>(x, {56, 28}, {28, 1}), 7);
  CHECK(fake::last.text == "kernel14:dnn.1.");
  kernel[1](tl::tensor_descriptor<float, 16, 8>(x, {48, 28}, {40, 1}), 8);
  CHECK(fake::last.text == "kernel14:ddn.1n");
}

namespace {

/// A parameter, and what stands for it on the host.
struct vectors {
  f32_in x;
  f32_out out;
  value<std::int32_t> n;
};
struct host_vectors {
  const tl::buffer<float> &x;
  tl::buffer<float> &out;
  int n;
};
struct tiles {
  vectors v;
  std::array<value<float>, 2> scales;
  fake::descriptor<float, 16, 8> d;
};

} // namespace

TEST_CASE("a struct arrives as its members, with their facts") {
  constexpr fake::kernel<140, vectors, value<std::int32_t>> kernel;
  tl::buffer<float> x(cpu, 8), out(cpu, 8);
  const auto check = [&] {
    REQUIRE(fake::last.arguments.size() == 4);
    CHECK(fake::argument<const float *>(fake::last, 0) == x.data());
    CHECK(fake::argument<float *>(fake::last, 1) == out.data());
    CHECK(fake::argument<std::int32_t>(fake::last, 2) == 32);
    CHECK(fake::argument<std::int32_t>(fake::last, 3) == 1);
    CHECK(fake::last.text == "kernel140:ddd1");
    fake::last = {};
  };
  kernel[1](host_vectors{x, out, 32}, 1);
  check();
  const host_vectors same{x, out, 32};
  kernel[1](same, 1);
  check();
  kernel[1](std::forward_as_tuple(x, out, 32), 1);
  check();
  struct {
    const float *x;
    float *out;
    std::int64_t n;
  } pointers{x.data(), out.data(), 32};
  kernel[1](pointers, 1);
  check();
  struct {
    tl::buffer<float> x, out;
    short n;
  } owning{tl::buffer<float>(interpreter, 8), tl::buffer<float>(interpreter, 8), 32};
  kernel[1](owning, 1);
  CHECK(fake::last.device == "interpreter");
  CHECK(fake::argument<const float *>(fake::last, 0) == owning.x.data());
}

TEST_CASE("structs within structs arrive in order") {
  constexpr fake::kernel<141, tiles> kernel;
  tl::buffer<float> x(cpu, 64 * 32);
  const tl::tensor_descriptor<float, 16, 8> d(x, {64, 30}, {32, 1});
  kernel[1](std::tuple(host_vectors{x, x, 3}, std::pair(0.5, tl::float16(2)), d));
  REQUIRE(fake::last.arguments.size() == 10);
  CHECK(fake::argument<std::int32_t>(fake::last, 2) == 3);
  CHECK(fake::argument<float>(fake::last, 3) == 0.5f);
  CHECK(fake::argument<float>(fake::last, 4) == 2);
  CHECK(fake::argument<std::int32_t>(fake::last, 7) == 30);
  CHECK(fake::last.text == "kernel141:dd...dd.d1 may_alias0 may_alias1 may_alias5");
}

TEST_CASE("what is wrong with a member of a struct names it") {
  constexpr fake::kernel<142, value<float>, vectors> kernel;
  tl::buffer<float> here(cpu, 4), there(interpreter, 4);
  CHECK(
      message_of([&] { kernel[1](0, std::forward_as_tuple(here, here, std::int64_t(1) << 40)); }) ==
      "member 2 of argument 1 is 1099511627776, which its parameter of type tl::i32 cannot hold");
  CHECK(
      message_of([&] { kernel[1](0, host_vectors{here, there, 1}); }) ==
      "the data of member 0 of argument 1 is on device cpu, the data of member 1 of argument 1 on "
      "device interpreter");
}

TEST_CASE("the compiled kernel can be looked at") {
  constexpr fake::kernel<15, value<std::int32_t>> kernel;
  const tl::compiled_kernel k = kernel.compile(cpu, 1);
  CHECK(k == kernel[tl::grid(1)](1));
  CHECK(k != kernel[tl::grid(1)](2));
  CHECK(k.stages() == std::vector<std::string>{"ttir", "obj"});
  CHECK(k.text(tl::stage::ttir) == "kernel15:1");
  CHECK(k.binary().size() == 4);
  CHECK(k.registers() == 10);
  CHECK(k.spills() == 11);
  CHECK(k.shared_bytes() == 12);
  CHECK(k.threads() == 13);
  REQUIRE(k.compile_times().size() == 1);
  CHECK(k.compile_times()[0].name == "parse");
  CHECK(k.compile_times()[0].milliseconds == 0.25);
  CHECK_THROWS_AS(k.text(tl::stage::ptx), tl::invalid_argument);
}

TEST_CASE("threads that launch for the first time at once all run and compile once") {
  for (int iteration = 0; iteration < 20; ++iteration) {
    const int launches = fake::launches, compilations = fake::compilations;
    const auto storm = [&]<class Kernel>(Kernel kernel) {
      std::vector<std::thread> threads;
      for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 50; ++i)
            kernel[{.grid = {1}, .max_registers = iteration}](i % 3 * 16 + i % 2);
        });
      for (std::thread &t : threads)
        t.join();
    };
    constexpr fake::kernel<16, value<std::int32_t>> kernel;
    storm(kernel);
    CHECK(fake::launches == launches + 400);
    // Three words: divisible by 16, equal to 1, neither. The fake libtl ignores max_registers.
    CHECK(fake::compilations == compilations + (iteration == 0 ? 3 : 0));
  }
}

TEST_CASE("whether ranges of memory may overlap is decided by their ends, else by who writes") {
  using tl::impl::ranges_may_alias;
  // Both ends are known.
  CHECK(ranges_may_alias(100, 200, true, 199, 300, false));
  CHECK(ranges_may_alias(100, 200, false, 100, 200, true));
  CHECK(!ranges_may_alias(100, 200, false, 200, 300, false));
  CHECK(!ranges_may_alias(200, 300, false, 100, 200, false));
  // One: a pointer lies in the range or apart from it.
  CHECK(ranges_may_alias(150, 151, false, 100, 200, true));
  CHECK(ranges_may_alias(100, 200, true, 100, 101, false));
  CHECK(!ranges_may_alias(200, 201, false, 100, 200, false));
  CHECK(!ranges_may_alias(99, 100, false, 100, 200, false));
  // None: two that are written through may, tl::ptr<const T> promises not to.
  CHECK(ranges_may_alias(100, 101, false, 5000, 5001, false));
  CHECK(!ranges_may_alias(100, 101, true, 5000, 5001, false));
  CHECK(ranges_may_alias(100, 101, true, 100, 101, false));
  // A null pointer leads nowhere.
  CHECK(!ranges_may_alias(0, 1, false, 0, 1, false));
  CHECK(!ranges_may_alias(0, 1, false, 100, 200, false));
}

TEST_CASE("a launch whose arguments overlap is a specialisation of its own") {
  constexpr fake::kernel<120, f32_in, value<int>, f32_out, f32_out> kernel;
  tl::buffer<float> x(cpu, 64), y(cpu, 64), z(cpu, 64);
  // The parameters that are marked; the second is a number.
  const auto marked = [&](auto &&a, auto &&b, auto &&c) {
    kernel[{.grid = {1}, .device = cpu}](a, 1, b, c);
    std::string found;
    for (int i = 0; i < 4; ++i)
      if (fake::last.text.find("may_alias" + std::to_string(i)) != std::string::npos)
        found += std::to_string(i);
    return found;
  };
  CHECK(marked(x, y, z) == "");
  CHECK(marked(x, y, x) == "03");
  CHECK(marked(x, y, y) == "23");
  CHECK(marked(x, x, x) == "023");
  CHECK(marked(x, nullptr, z) == "");
  CHECK(marked(x, y, x.data() + 63) == "03");
  CHECK(marked(x.data(), y, z) == "");
  CHECK(marked(x.data(), y.data(), z.data()) == "23"); // who knows where y ends
  CHECK(marked(x, y, z) == "");
}
