// SPDX-License-Identifier: MIT
// Host memory where device memory belongs.
// expect: a tl::ptr parameter takes a tl::buffer, a pointer to device memory, or nullptr
#include <tl/tl.hpp>

#include <vector>

constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> out, [[maybe_unused]] tl::ptr<const float> in,
                  [[maybe_unused]] tl::i32 n) {}};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
  std::vector<float> host(16);
#ifdef WRONG
  kernel[1](x, host, 16);
#else
  kernel[1](x, tl::buffer<float>(x.device(), host), 16);
#endif
}
