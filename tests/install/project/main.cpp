// SPDX-License-Identifier: MIT
//
// A program of somebody else, who has an installed copy of tl and nothing more. The documentation
// shows it.

// [program]
#include <tl/tl.hpp>

#include <cstdio>
#include <vector>

namespace {

template <int Block>
constexpr auto add =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
      auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
      auto mask = offsets < n;
      tl::store(out + offsets, tl::load(x + offsets, mask) + tl::load(y + offsets, mask), mask);
    }};

} // namespace

int main() {
  // [launch]
  tl::device dev = tl::device::best(); // or by name: tl::device dev("cpu");
  const int n = 1000;
  std::vector<float> host_x(n, 40.0f), host_y(n, 2.0f);
  tl::buffer<float> x(dev, host_x), y(dev, host_y), out(dev, n);
  add<256>[tl::grid(tl::cdiv(n, 256))](x, y, out, n);
  std::vector<float> sums = out.to_vector(); // waits for the kernel
  // [launch]
  for (float sum : sums)
    if (sum != 42.0f)
      return 1;
  std::printf("the answer is right\n");
}
// [program]
