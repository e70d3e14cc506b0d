// SPDX-License-Identifier: MIT
//
// An expression has one value, wherever a kernel uses it and in however many loops a device
// computes it: what is compared with its own maximum is never above it, and hits it in every row.
// Random kernels are in tests/fuzz/one_value.cpp; meson runs both for processors of several vector
// widths.

#include "sweep.hpp"

#include <cstring>

namespace {

/// A scaled and shifted row, its distance from its maximum, and the root of that.
template <class T>
constexpr auto distances = tl::kernel{[](tl::ptr<const T> q, tl::ptr<const T> bias,
                                         tl::ptr<T> scaled, tl::ptr<T> out, tl::ptr<T> roots) {
  auto at = tl::program_id(0) * 256 + tl::arange<256>();
  auto s = tl::load(q + at) * T(0.0884);
  auto x = s + tl::load(bias + tl::arange<256>());
  auto d = tl::max<0>(x) - x;
  tl::store(scaled + at, s);
  tl::store(out + at, d);
  tl::store(roots + at, tl::sqrt(d));
}};

/// The same where nothing but sums uses the product, and with a product that stands on the right.
template <class T>
constexpr auto inner_distances =
    tl::kernel{[](tl::ptr<const T> q, tl::ptr<const T> bias, tl::ptr<T> scaled, tl::ptr<T> out,
                  tl::ptr<T> roots) {
      auto at = tl::program_id(0) * 256 + tl::arange<256>();
      auto b = tl::load(bias + tl::arange<256>());
      auto x = b - tl::load(q + at) * T(0.0884);
      auto d = tl::max<0>(x) - x;
      tl::store(scaled + at, x);
      tl::store(out + at, d);
      tl::store(roots + at, tl::sqrt(d));
    }};

/// A difference from the maximum of a product, written out twice.
template <class T>
constexpr auto product_distances =
    tl::kernel{[](tl::ptr<const T> q, tl::ptr<const T> bias, tl::ptr<T> scaled, tl::ptr<T> out,
                  tl::ptr<T> roots) {
      auto at = tl::program_id(0) * 256 + tl::arange<256>();
      auto v = tl::load(q + at);
      auto b = tl::load(bias + tl::arange<256>());
      auto d = tl::max<0>(v * b) - v * b;
      tl::store(scaled + at, v * b);
      tl::store(out + at, d);
      tl::store(roots + at, tl::sqrt(d));
    }};

/// Probabilities of which the largest is 1 before they are normalised, its index, and the quotients
/// read back in another order.
template <class T>
constexpr auto probabilities =
    tl::kernel{[](tl::ptr<const T> q, tl::ptr<const T> bias, tl::ptr<T> exponentials,
                  tl::ptr<T> ratios, tl::ptr<T> again, tl::ptr<std::int32_t> hits) {
      auto at = tl::program_id(0) * 256 + tl::arange<256>();
      auto x = tl::load(q + at) * T(0.125) + tl::load(bias + tl::arange<256>());
      auto e = tl::exp(x - tl::max<0>(x));
      auto p = e / tl::sum<0>(e);
      tl::store(exponentials + at, e);
      tl::store(ratios + at, p);
      // One element after the other: a scan that keeps each.
      tl::store(again + at, tl::associative_scan<0>(p, [](auto, auto b) { return b; }));
      auto best = tl::argmax<0>(x);
      tl::store(hits + tl::program_id(0),
                tl::sum<0>(tl::where((tl::arange<256>() == best) & (x == tl::max<0>(x)), 1, 0)));
    }};

constexpr int rows = 1000;

template <class T> struct inputs {
  std::vector<T> q = tl::testing::random_values<T>(std::size_t(rows) * 256, {-30, 30});
  std::vector<T> bias = tl::testing::random_values<T>(256, {-1, 1});
};

/// No distance is below 0, each row has a 0, and each root is that of its distance.
template <class T, class Kernel> void check_distances(const Kernel &kernel) {
  const inputs<T> in;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> q(dev, in.q), bias(dev, in.bias);
    tl::testing::guarded_buffer<T> scaled(dev, in.q.size()), out(dev, in.q.size()),
        roots(dev, in.q.size());
    kernel[numeric::grid(rows)](q, bias, scaled, out, roots);
    const std::vector<T> d = out.to_vector(), r = roots.to_vector();
    int below = 0, wrong = 0, without = 0;
    for (int row = 0; row < rows; ++row) {
      bool zero = false;
      for (int i = 0; i < 256; ++i) {
        const std::size_t at = std::size_t(row) * 256 + std::size_t(i);
        const double distance = double(d[at]), root = double(r[at]);
        below += !(distance >= 0);
        wrong += !(root >= 0) || (distance == 0) != (root == 0);
        zero |= distance == 0;
      }
      without += !zero;
    }
    CHECK(below == 0);
    CHECK(wrong == 0);
    CHECK(without == 0);
  }
}

template <class T> void check_probabilities() {
  const inputs<T> in;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> q(dev, in.q), bias(dev, in.bias);
    tl::testing::guarded_buffer<T> exponentials(dev, in.q.size()), ratios(dev, in.q.size()),
        again(dev, in.q.size());
    tl::testing::guarded_buffer<std::int32_t> hits(dev, rows);
    probabilities<T>[numeric::grid(rows)](q, bias, exponentials, ratios, again, hits);
    const std::vector<T> e = exponentials.to_vector(), p = ratios.to_vector(),
                         s = again.to_vector();
    const std::vector<std::int32_t> h = hits.to_vector();
    int above = 0, without = 0, missed = 0;
    for (int row = 0; row < rows; ++row) {
      bool one = false;
      for (int i = 0; i < 256; ++i) {
        const std::size_t at = std::size_t(row) * 256 + std::size_t(i);
        above += !(e[at] <= 1);
        one |= e[at] == 1;
      }
      without += !one;
      missed += h[std::size_t(row)] != 1;
    }
    CHECK(above == 0);
    CHECK(without == 0);
    CHECK(missed == 0);
    CHECK(std::memcmp(p.data(), s.data(), p.size() * sizeof(T)) == 0);
  }
}

} // namespace

TEST_CASE("one value: a row is nowhere above its maximum and reaches it") {
  check_distances<float>(distances<float>);
  check_distances<double>(distances<double>);
  check_distances<tl::float16>(distances<tl::float16>);
  check_distances<float>(inner_distances<float>);
  check_distances<double>(inner_distances<double>);
  check_distances<float>(product_distances<float>);
  check_distances<double>(product_distances<double>);
  check_distances<tl::bfloat16>(product_distances<tl::bfloat16>);
}

TEST_CASE("one value: exponentials of a row reach 1, and its maximum is found where it is") {
  check_probabilities<float>();
  check_probabilities<double>();
}
