// SPDX-License-Identifier: MIT
#pragma once
// What the tests of the benchmarks' kernels share: random operands with their values as double, the
// devices and numbers of warps, and the comparison. References are plain loops in double.

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace reference {

/// Random values of T on the host.
template <class T> struct operand {
  std::vector<T> values;
  std::vector<double> exact;

  explicit operand(std::size_t count, tl::testing::interval range = {-1, 1})
      : operand(tl::testing::random_values<T>(count, range)) {}
  explicit operand(std::vector<T> given) : values(std::move(given)) {
    for (const T &value : values)
      exact.push_back(static_cast<double>(value));
  }
  double operator[](std::size_t i) const { return exact[i]; }
  tl::buffer<T> on(tl::device device) const { return tl::buffer<T>(device, values); }
};

/// Options for a launch of `grid` on the device with what the configuration says; on GPUs
/// TL_TEST_NUM_WARPS says how many warps.
template <class Config>
tl::launch_options on(tl::device device, tl::launch_grid grid, const Config &config) {
  tl::launch_options options;
  options.grid = grid;
  options.num_warps = config.num_warps;
  options.num_stages = config.num_stages;
  if constexpr (requires { config.num_ctas; })
    options.num_ctas = config.num_ctas;
  options.device = device;
  if (const char *warps = std::getenv("TL_TEST_NUM_WARPS"))
    options.num_warps = std::atoi(warps);
  return options;
}

/// The interpreter needs a second for a few millions of multiplications.
inline bool is_slow(tl::device device) { return device.name() == "interpreter"; }

/// Whether all of `got` is within `error` of the largest expected value, and nothing was written
/// outside.
template <class T>
void check_close(const tl::testing::guarded_buffer<T> &got, const std::vector<double> &want,
                 double error) {
  double largest = 0;
  for (const double value : want)
    largest = std::max(largest, std::abs(value));
  CHECK(tl::testing::allclose(got, want, {.rtol = error, .atol = error * largest}));
  CHECK(got.intact());
}

} // namespace reference
