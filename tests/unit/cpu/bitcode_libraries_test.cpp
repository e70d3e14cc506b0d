// SPDX-License-Identifier: MIT
//
// Kernels that call functions of libraries of their own, on this host's processor.
// TL_TEST_LIBRARIES is the folder with shapes.bc and more_shapes.bc, compiled from the sources
// here.

#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::string library(const char *name) {
  const char *folder = std::getenv("TL_TEST_LIBRARIES");
  REQUIRE_MESSAGE(folder, "TL_TEST_LIBRARIES is not set");
  return std::string(folder) + "/" + name;
}

constexpr int count = 100;

template <class Kernel> std::vector<float> run(const Kernel &kernel) {
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i)
    values[std::size_t(i)] = float(i) / count;
  const tl::device cpu("cpu");
  tl::buffer<float> x(cpu, values), y(cpu, count);
  kernel[tl::grid(1)](x, y, count);
  return y.to_vector();
}

float smooth_step(float x) { return x * x * (3 - 2 * x); }

} // namespace

TEST_CASE("a function of a library is called for each element") {
  static constexpr tl::kernel kernel{
      "one", [](tl::ptr<const float> x, tl::ptr<float> y, tl::i32 n) {
        static const std::string path = library("shapes.bc");
        // [one]
        auto at = tl::arange<128>();
        auto value = tl::load(x + at, at < n);
        auto smooth = tl::extern_elementwise<float>("smooth_step", path.c_str(), value);
        tl::store(y + at, smooth, at < n);
        // [one]
      }};
  const std::vector<float> y = run(kernel);
  for (int i = 0; i < count; ++i)
    CHECK(y[std::size_t(i)] == doctest::Approx(smooth_step(float(i) / count)));
}

TEST_CASE("the libraries of a kernel call each other and the C library's mathematics") {
  static constexpr tl::kernel kernel{
      "several", [](tl::ptr<const float> x, tl::ptr<float> y, tl::i32 n) {
        static const std::string first = library("shapes.bc"), second = library("more_shapes.bc");
        // [several]
        tl::extern_libs(first.c_str(), second.c_str()); // first calls second
        auto at = tl::arange<128>();
        auto value = tl::load(x + at, at < n);
        auto bent = tl::extern_elementwise<float>("bent", "", value, 3.0f);
        // [several]
        tl::store(y + at, bent + tl::extern_elementwise<float>("__nv_fabsf", "", value), at < n);
      }};
  const std::vector<float> y = run(kernel);
  for (int i = 0; i < count; ++i) {
    const float x = float(i) / count;
    CHECK(y[std::size_t(i)] == doctest::Approx(smooth_step(std::sin(x) / 3) + x));
  }
}
