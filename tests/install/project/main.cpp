// SPDX-License-Identifier: MIT
//
// A program of somebody else, who has an installed copy of tl and nothing more.

#include <tl/tl.hpp>

#include <cstdio>
#include <vector>

namespace {

constexpr auto twice = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
  auto at = tl::program_id(0) * 64 + tl::arange<64>();
  auto mask = at < n;
  tl::store(x + at, tl::load(x + at, mask) * 2.0f, mask);
}};

} // namespace

int main() {
  std::vector<float> host(100, 21.0f);
  tl::buffer<float> x(tl::device("cpu"), host);
  twice[tl::grid(2)](x, 100);
  for (float value : x.to_vector())
    if (value != 42.0f)
      return 1;
  std::printf("the answer is right\n");
}
