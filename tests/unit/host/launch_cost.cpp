// SPDX-License-Identifier: MIT
//
// What does the header side add to a launch? Prints nanoseconds per launch over a C API that
// returns at once. A measurement, not a test.
#include "fake_c_api.hpp"
#include "fake_kernel.hpp"

#include <tl/launch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

struct five_members {
  fake::ptr<const float> a, b;
  fake::ptr<float> c;
  fake::scalar<std::int32_t> n;
  fake::scalar<float> scale;
};
struct five_host_members {
  const tl::buffer<float> &a, &b;
  tl::buffer<float> &c;
  int n;
  float scale;
};

// The best of several runs, in nanoseconds per call.
template <class F> double cost(F launch) {
  double best = 1e9;
  for (int run = 0; run < 9; ++run) {
    constexpr int count = 200000;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i)
      launch(i);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / count);
  }
  return best;
}

} // namespace

int main() {
  fake::recording = false;
  using in = fake::ptr<const float>;
  using out = fake::ptr<float>;
  using i32 = fake::scalar<std::int32_t>;
  using f32 = fake::scalar<float>;
  constexpr fake::kernel<1> none;
  constexpr fake::kernel<2, in, in, out, i32, f32> five;
  constexpr fake::kernel<3, in, in, in, in, in, out, out, out, out, out, i32, i32, i32, i32, i32,
                         i32, i32, i32, f32, f32>
      twenty;
  constexpr fake::kernel<4, five_members> one_struct;
  const tl::device cpu("cpu");
  tl::buffer<float> a(cpu, 64), b(cpu, 64), c(cpu, 64), d(cpu, 64), e(cpu, 64), f(cpu, 64),
      g(cpu, 64);
  std::printf("0 arguments: %.1f ns\n", cost([&](int) { none[1](); }));
  std::printf("5 arguments: %.1f ns\n", cost([&](int i) { five[1](a, b, c, i, 0.5f); }));
  std::printf("a struct of 5 members: %.1f ns\n",
              cost([&](int i) { one_struct[1](five_host_members{a, b, c, i, 0.5f}); }));
  const auto all = [&](int i, auto &...out) {
    twenty[{.grid = {1}, .num_warps = 8}](a, b, a, b, a, out..., i, 2, 3, 4, 5, 6, 7, 8, 0.5f,
                                          0.25);
  };
  std::printf("20 arguments: %.1f ns\n", cost([&](int i) { all(i, c, d, e, f, g); }));
  std::printf("20 arguments, one buffer for all outputs: %.1f ns\n",
              cost([&](int i) { all(i, c, c, c, c, c); }));
}
