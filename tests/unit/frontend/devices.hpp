// SPDX-License-Identifier: MIT
#pragma once
// Runs a kernel on every device of this machine and returns what it stored.

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace on_devices {

/// Calls `launch(device, out)` for each device and checks out's elements against `expected`.
template <class T, class Launch> void check(const std::vector<T> &expected, Launch launch) {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> out(dev, std::vector<T>(expected.size(), T(-77)));
    launch(dev, out);
    const std::vector<T> got = out.to_vector();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      if constexpr (std::is_integral_v<T>)
        CHECK(got[i] == expected[i]);
      else if (expected[i] != expected[i])
        CHECK(got[i] != got[i]);
      else
        CHECK(got[i] == expected[i]);
    }
  }
}

/// A buffer with these values.
template <class T> tl::buffer<T> holding(tl::device dev, std::vector<T> values) {
  return tl::buffer<T>(dev, values);
}

} // namespace on_devices
