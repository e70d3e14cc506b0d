// SPDX-License-Identifier: MIT
#pragma once
// What does a launch through tl cost beside the driver's own call? The same kernel of five
// arguments, launched by the driver's function, by tl_launch and by kernel[grid](…), in turns, on
// one stream. Only C++, the headers of tl and the driver are needed.

#include "driver.hpp"

#include <tl/tl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace launch_cost {

/// Nanoseconds of the host for one launch: the median of several iterations.
struct costs {
  double raw;   ///< the driver's own, of a kernel that was loaded by hand
  double c_api; ///< tl_launch
  double tl;    ///< kernel[grid](arguments…)
};

inline constexpr auto scaled_add = tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> y,
                                                 tl::ptr<float> out, tl::i32 n, tl::f32 scale) {
  auto offsets = tl::program_id(0) * 128 + tl::arange<128>();
  auto mask = offsets < n;
  tl::store(out + offsets, tl::load(x + offsets, mask) + scale * tl::load(y + offsets, mask), mask);
}};

/// Measures on a GPU. Launches go out in batches small enough not to fill the driver's queue, and
/// the GPU catches up between them.
inline costs measure(tl::device dev, int iterations = 200, int batch = 100) {
  const int n = 128;
  tl::buffer<float> x(dev, n), y(dev, n), out(dev, n);
  x.fill(1);
  y.fill(2);
  void *native = driver().create_stream();
  const tl::stream stream = tl::stream::wrap(dev, native);
  auto kernel = scaled_add.compile(dev, x, y, out, n, 0.5f);
  tl_kernel *handle = kernel.handle();
  const char *image = nullptr;
  std::size_t size = 0;
  for (const char *stage : driver_names::stages)
    if (!image && tl_kernel_stage(handle, stage, &image, &size) != TL_OK)
      image = nullptr;
  void *function = driver().load(image, tl_kernel_symbol(handle));
  const auto launch = driver().launch();
  const auto threads = static_cast<unsigned>(tl_kernel_get(handle, TL_KERNEL_THREADS));
  const auto shared = static_cast<unsigned>(tl_kernel_get(handle, TL_KERNEL_SHARED_BYTES));

  void *px = x.data(), *py = y.data(), *pout = out.data();
  std::int32_t count = n;
  float scale = 0.5f;
  void *arguments[] = {&px, &py, &pout, &count, &scale};
  const auto time = [&](auto once) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i)
      once();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    stream.synchronize();
    return spent.count() / batch;
  };
  std::vector<double> raw, c_api, tl_;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    raw.push_back(time(
        [&] { launch(function, 1, 1, 1, threads, 1, 1, shared, native, arguments, nullptr); }));
    c_api.push_back(time([&] { tl_launch(handle, stream.handle(), 1, 1, 1, arguments, 5); }));
    tl_.push_back(
        time([&] { scaled_add[{.grid = {1}, .stream = stream}](x, y, out, count, scale); }));
  }
  const auto median = [](std::vector<double> &v) {
    std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
    return v[v.size() / 2];
  };
  return {median(raw), median(c_api), median(tl_)};
}

} // namespace launch_cost
