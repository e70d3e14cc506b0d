// SPDX-License-Identifier: MIT
//
// Softmax of the rows of a float matrix, GB/s of bytes read and written.

#include "kernels/softmax.hpp"
#include "../benchmarks.hpp"
#include "../peers.hpp"

namespace {

template <int Block> void measure(bench::report &r, int cols) {
  const int rows = 4096;
  auto host = bench::random_values(std::size_t(rows) * cols, -8, 8);
  std::vector<float> host_out(host.size(), -1);
  tl::buffer<float> in(r.device, host), out(r.device, host.size());
  auto [ours, peer] = bench::in_turns(
      [&] {
        kernels::softmax<float, Block>[tl::grid(rows)](out, in, cols, cols);
        bench::wait(r.device);
      },
      [&] { bench::peer::softmax(host.data(), host_out.data(), rows, cols); });
  double gigabytes = 8e-9 * double(host.size());
  r.add({std::to_string(rows) + " x " + std::to_string(cols), gigabytes / ours, gigabytes / peer,
         1e-6, bench::largest_difference(out.to_vector(), host_out)});
}

} // namespace

void bench::softmax(report &r) {
  r.table("softmax f32", "GB/s", "plain C++", better::higher);
  measure<256>(r, 256);
  measure<512>(r, 512);
  measure<1024>(r, 781);
  measure<1024>(r, 1024);
  measure<2048>(r, 2048);
  measure<4096>(r, 4096);
  measure<8192>(r, 8192);
}
