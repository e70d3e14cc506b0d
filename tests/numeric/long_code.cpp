// SPDX-License-Identifier: MIT
//
// What is much code for an element is a routine that is called where a thread of a GPU has many
// elements, and a part of the kernel where it has few. Either way the numbers are the same.

#include "sweep.hpp"

#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr int elements = 32768; // 256 a thread of 4 warps

template <class F, class T, int Block>
constexpr auto applied = tl::kernel{[](tl::ptr<const T> x, tl::ptr<const T> y, tl::ptr<T> out) {
  auto at = tl::program_id(0) * Block + tl::arange<Block>();
  tl::store(out + at, tl::cast<T>(F{}(tl::load(x + at), tl::load(y + at))));
}};

template <class T, class F> void check_blocks(const char *name, F) {
  CAPTURE(name);
  std::mt19937_64 random{tl::testing::seed()};
  std::vector<T> x(elements), y(elements);
  for (int i = 0; i < elements; ++i)
    if constexpr (std::is_integral_v<T>) {
      x[i] = T(random());
      y[i] = T(random() >> (random() % 64));
    } else {
      x[i] = T(random() % 100000) / 1000;
      y[i] = T(random() % 1000) / 250;
    }
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> a(dev, x), b(dev, y), large(dev, elements), small(dev, elements);
    tl::launch_options one = numeric::grid(1), many = numeric::grid(elements / 512);
    one.num_warps = 4;
    numeric::seen(applied<F, T, elements>[one](a, b, large));
    numeric::seen(applied<F, T, 512>[many](a, b, small));
    const std::vector<T> got = large.to_vector(), wanted = small.to_vector();
    int different = 0;
    for (int i = 0; i < elements; ++i)
      different += std::memcmp(&got[i], &wanted[i], sizeof(T)) != 0;
    CHECK(different == 0);
  }
}

} // namespace

TEST_CASE("many elements a thread are computed as few are") {
  auto quotient = [](auto x, auto y) { return x / y; };
  auto rest = [](auto x, auto y) { return x % y; };
  check_blocks<std::int32_t>("quotient", quotient);
  check_blocks<std::int64_t>("quotient", quotient);
  check_blocks<std::int32_t>("rest", rest);
  check_blocks<std::uint64_t>("rest", rest);
  check_blocks<float>("sin", [](auto x, auto) { return tl::sin(x); });
  check_blocks<float>("pow", [](auto x, auto y) { return tl::libdevice::pow(x, y); });
  check_blocks<float>("fp8", [](auto x, auto) { return tl::cast<tl::float8e5>(x); });
  check_blocks<double>("quotient", quotient);
  check_blocks<double>("tanh", [](auto, auto y) { return tl::libdevice::tanh(y); });
}
