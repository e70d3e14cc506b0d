// SPDX-License-Identifier: MIT
//
// Matrix product of float in full precision, GFLOP/s.

#include "kernels/matmul.hpp"
#include "../benchmarks.hpp"
#include "../peers.hpp"

void bench::matmul(report &r) {
  constexpr kernels::gemm_config config{128, 128, 64, 8};
  r.table("matrix product f32", "GFLOP/s", peer::has_matmul() ? "OpenBLAS" : "", better::higher);
  for (int n : {512, 1024, 2048}) {
    const std::size_t size = std::size_t(n) * n;
    auto host_a = random_values(size), host_b = random_values(size);
    std::vector<float> host_c(size, -1);
    tl::buffer<float> a(r.device, host_a), b(r.device, host_b), c(r.device, size);
    auto product = [&] {
      const int tiles = tl::cdiv(n, config.block_m) * tl::cdiv(n, config.block_n);
      kernels::matmul<float, config>[tl::grid(tiles)](a, b, c, n, n, n, n, n, n);
      wait(r.device);
    };
    const double gigaflops = 2e-9 * n * n * n;
    const std::string name = std::to_string(n) + "^3";
    if (!peer::has_matmul()) {
      r.add({name, gigaflops / median_seconds(product)});
      continue;
    }
    auto [ours, theirs] =
        in_turns(product, [&] { peer::matmul(host_a.data(), host_b.data(), host_c.data(), n); });
    r.add({name, gigaflops / ours, gigaflops / theirs, 1e-5 * n,
           largest_difference(c.to_vector(), host_c)});
  }
}
