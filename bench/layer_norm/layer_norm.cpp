// SPDX-License-Identifier: MIT
//
// Layer normalisation forward of float, GB/s of bytes read and written.

#include "kernels/layer_norm.hpp"
#include "../benchmarks.hpp"
#include "../peers.hpp"

namespace {

template <int Block> void measure(bench::report &r, int n) {
  const int rows = 4096;
  constexpr float eps = 1e-5f;
  const std::size_t size = std::size_t(rows) * n;
  auto host_x = bench::random_values(size), host_w = bench::random_values(n);
  auto host_b = bench::random_values(n);
  std::vector<float> host_y(size, -1), host_mean(rows), host_rstd(rows);
  tl::buffer<float> x(r.device, host_x), w(r.device, host_w), b(r.device, host_b);
  tl::buffer<float> y(r.device, size), mean(r.device, rows), rstd(r.device, rows);
  auto [ours, peer] = bench::in_turns(
      [&] {
        kernels::layer_norm<Block>[tl::grid(rows)](x, w, b, y, mean, rstd, n, eps);
        bench::wait(r.device);
      },
      [&] {
        bench::peer::layer_norm(host_x.data(), host_w.data(), host_b.data(), host_y.data(),
                                host_mean.data(), host_rstd.data(), rows, n, eps);
      });
  double gigabytes = 8e-9 * double(size);
  r.add({std::to_string(rows) + " x " + std::to_string(n), gigabytes / ours, gigabytes / peer, 1e-4,
         bench::largest_difference(y.to_vector(), host_y)});
}

} // namespace

void bench::layer_norm(report &r) {
  r.table("layer norm f32", "GB/s", "plain C++", better::higher);
  measure<256>(r, 256);
  measure<1024>(r, 781);
  measure<1024>(r, 1024);
  measure<4096>(r, 4096);
  measure<8192>(r, 8192);
}
