// SPDX-License-Identifier: MIT
//
// Integers of few bits as floats of 16 bits, which GPUs make of their bits: fields of words
// wherever they lie, their differences, and narrow types. All of it is exact.

#include "sweep.hpp"

#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr int elements = 1024; // 8 a thread of 4 warps

template <class F, class T, class R>
constexpr auto converted = tl::kernel{[](tl::ptr<const T> x, tl::ptr<const T> y, tl::ptr<R> out) {
  auto at = tl::arange<elements>();
  tl::store(out + at, tl::cast<R>(F{}(tl::load(x + at), tl::load(y + at))));
}};

/// F gives an integer for both a tensor and a number.
template <class T, class R, class F> void check(const char *name, F f) {
  CAPTURE(name);
  std::mt19937_64 random{tl::testing::seed()};
  std::vector<T> x(elements), y(elements);
  for (int i = 0; i < elements; ++i) {
    x[i] = T(random());
    y[i] = T(random());
  }
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> a(dev, x), b(dev, y);
    tl::buffer<R> out(dev, elements);
    tl::launch_options one = numeric::grid(1);
    one.num_warps = 4;
    numeric::seen(converted<F, T, R>[one](a, b, out));
    const std::vector<R> got = out.to_vector();
    int different = 0;
    for (int i = 0; i < elements; ++i) {
      const R wanted = R(float(f(x[i], y[i])));
      different += std::memcmp(&got[i], &wanted, sizeof(R)) != 0;
    }
    CHECK(different == 0);
  }
}

template <int Shift, int Mask, class R> void check_field() {
  CAPTURE(Shift);
  CAPTURE(Mask);
  check<std::int32_t, R>("field", [](auto x, auto) { return (x >> Shift) & Mask; });
  check<std::int32_t, R>(
      "difference", [](auto x, auto y) { return ((x >> Shift) & Mask) - ((y >> Shift) & Mask); });
  check<std::int32_t, R>("less a number", [](auto x, auto) { return ((x >> Shift) & Mask) - 3; });
  check<std::uint32_t, R>("unsigned", [](auto x, auto) { return (x >> Shift) & unsigned(Mask); });
}

template <class R, int Mask, int... Shifts>
void check_fields(std::integer_sequence<int, Shifts...>) {
  (check_field<Shifts, Mask, R>(), ...);
}

template <class R> void check_all() {
  check_fields<R, 15>(std::integer_sequence<int, 0, 3, 4, 7, 8, 12, 14, 16, 20, 24, 28>{});
  check_fields<R, 1>(std::integer_sequence<int, 0, 15, 31>{});
  check_fields<R, 255>(std::integer_sequence<int, 0, 8, 11, 24>{});
  check<std::int8_t, R>("signed bytes", [](auto x, auto) { return x; });
  check<std::uint8_t, R>("bytes", [](auto x, auto) { return x; });
  check<std::uint8_t, R>("halves of bytes", [](auto x, auto) { return x >> 4; });
  check<std::int64_t, R>("long fields", [](auto x, auto) { return (x >> 40) & 15; });
  check<std::int32_t, R>("fields of two words", [](auto x, auto y) { return ((x ^ y) >> 9) & 63; });
  check<std::int32_t, R>("a constant less", [](auto x, auto) { return 15 - (x & 15); });
}

} // namespace

TEST_CASE("integers of few bits become floats exactly") {
  check_all<tl::float16>();
  check_all<tl::bfloat16>();
  check_fields<tl::float16, 1023>(std::integer_sequence<int, 0, 6, 20, 22>{});
  check_fields<tl::float16, 2047>(std::integer_sequence<int, 0, 16>{});
}
