// SPDX-License-Identifier: MIT
//
// Kernels that call functions of libraries of their own, on this host's processor.
// TL_TEST_LIBRARIES is the folder with shapes.bc and more_shapes.bc, compiled from the sources
// here.

#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string library(const char *name) {
  const char *folder = std::getenv("TL_TEST_LIBRARIES");
  REQUIRE_MESSAGE(folder, "TL_TEST_LIBRARIES is not set");
  return std::string(folder) + "/" + name;
}

constexpr int count = 100;

/// y of the kernel, of x from 0 to 1.
template <class Kernel> std::vector<float> run(const Kernel &kernel, tl::device device) {
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i)
    values[std::size_t(i)] = float(i) / count;
  tl::buffer<float> x(device, values), y(device, count);
  kernel[tl::grid(1)](x, y, count);
  return y.to_vector();
}

float smooth_step(float x) { return x * x * (3 - 2 * x); }

/// Of the library in a subfolder, "" for this host's processor.
template <bool ForNvidia>
constexpr tl::kernel step{"step", [](tl::ptr<const float> x, tl::ptr<float> y, tl::i32 n) {
                            static const std::string path =
                                library(ForNvidia ? "nvidia/shapes.bc" : "shapes.bc");
                            const char *shapes = path.c_str();
                            // [call]
                            auto at = tl::arange<128>();
                            auto value = tl::load(x + at, at < n);
                            auto stepped =
                                tl::extern_elementwise<float>("smooth_step", shapes, value);
                            // [call]
                            tl::store(y + at, stepped, at < n);
                          }};

template <bool ForNvidia> void check_step(tl::device device) {
  const std::vector<float> y = run(step<ForNvidia>, device);
  for (int i = 0; i < count; ++i)
    CHECK(y[std::size_t(i)] == doctest::Approx(smooth_step(float(i) / count)));
}

} // namespace

TEST_CASE("a function of a library is called for each element") {
  check_step<false>(tl::device("cpu"));
}

TEST_CASE("a function of a library for GPUs is called for each element") {
  for (tl::device device : tl::devices())
    if (device.name() == "cuda:0")
      return check_step<true>(device);
  std::printf("[SKIP] there is no GPU cuda:0\n");
}

TEST_CASE("the libraries of a kernel call each other and the C library's mathematics") {
  static constexpr tl::kernel kernel{
      "several", [](tl::ptr<const float> x, tl::ptr<float> y, tl::i32 n) {
        static const std::string first = library("shapes.bc"), second = library("more_shapes.bc");
        const char *shapes = first.c_str(), *more_shapes = second.c_str();
        auto at = tl::arange<128>();
        auto value = tl::load(x + at, at < n);
        // [libraries]
        tl::extern_libs(shapes, more_shapes);
        auto bent = tl::extern_elementwise<float>("bent", "", value, 3.0f);
        // [libraries]
        tl::store(y + at, bent + tl::extern_elementwise<float>("__nv_fabsf", "", value), at < n);
      }};
  const std::vector<float> y = run(kernel, tl::device("cpu"));
  for (int i = 0; i < count; ++i) {
    const float x = float(i) / count;
    CHECK(y[std::size_t(i)] == doctest::Approx(smooth_step(std::sin(x) / 3) + x));
  }
}
