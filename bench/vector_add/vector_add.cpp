// SPDX-License-Identifier: MIT
//
// Vector add of float, GB/s of bytes read and written.

#include "kernels/vector_add.hpp"
#include "../benchmarks.hpp"
#include "../peers.hpp"

void bench::vector_add(report &r) {
  r.table("vector add f32", "GB/s", "plain C++", better::higher);
  for (int n = 4096; n <= 1 << 26; n *= 4) {
    auto host_x = random_values(n), host_y = random_values(n);
    std::vector<float> host_out(n, -1);
    tl::buffer<float> x(r.device, host_x), y(r.device, host_y), out(r.device, n);
    auto [ours, peer] = in_turns(
        [&] {
          kernels::add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);
          wait(r.device);
        },
        [&] { peer::vector_add(host_x.data(), host_y.data(), host_out.data(), n); });
    double gigabytes = 12e-9 * n;
    r.add({std::to_string(n), gigabytes / ours, gigabytes / peer, 1e-30,
           largest_difference(out.to_vector(), host_out)});
  }
}
