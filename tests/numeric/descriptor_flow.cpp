// SPDX-License-Identifier: MIT
//
// Descriptors as variables: what loops and branches assign to them, and what branches return.

#include "sweep.hpp"

#include <array>
#include <numeric>
#include <tuple>
#include <utility>

namespace {

using tile = tl::descriptor<float, 4, 8>;
constexpr std::size_t elements = 4 * 8;

/// Tensors that are distinguished by extents, strides and padding, too.
struct tensors {
  tl::buffer<float> first, second, out;
  std::vector<float> a, b; // their tiles at {0, 0}

  tensors(tl::device dev, std::size_t tiles)
      : first(dev, numbers(4 * 16, 1)), second(dev, numbers(8 * 8, 1000)),
        out(dev, std::vector<float>(tiles * elements, -1.0f)) {
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 8; ++j) {
        a.push_back(i < 3 ? float(1 + 16 * i + j) : 0.0f);
        b.push_back(j < 5 ? float(1000 + 8 * i + j) : 0.0f);
      }
  }
  tl::tensor_descriptor<float, 4, 8> at_first() { return {first, {3, 16}}; }
  tl::tensor_descriptor<float, 4, 8> at_second() { return {second, {8, 5}, {8, 1}}; }

  static std::vector<float> numbers(std::size_t n, float from) {
    std::vector<float> v(n);
    std::iota(v.begin(), v.end(), from);
    return v;
  }
};

/// Runs a kernel that stores tiles one after another; `which` names each expected one.
template <class K> void check(const K &kernel, int n, const std::string &which) {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    CAPTURE(n);
    tensors t(dev, which.size());
    std::vector<float> want;
    for (char c : which) {
      const std::vector<float> &from = c == 'a' ? t.a : t.b;
      want.insert(want.end(), from.begin(), from.end());
    }
    numeric::seen(kernel[numeric::grid(1)](t.at_first(), t.at_second(), t.out, n));
    CHECK(tl::testing::allclose(t.out, want));
  }
}

void put(const tl::ptr<float> &out, const tl::i32 &place, const tile &from) {
  auto to = tl::make_tensor_descriptor<4, 8>(out + place * int(elements), {4, 8}, {8, 1});
  to.store({0, 0}, from.load({0, 0}));
}

constexpr auto swapped_in_range = tl::kernel{[](tile d, tile e, tl::ptr<float> out, tl::i32 n) {
  for (auto i : tl::range(0, n)) {
    put(out, i, d);
    std::swap(d, e);
  }
  put(out, n, d);
}};

constexpr auto turned_in_while = tl::kernel{[](tile d, tile e, tl::ptr<float> out, tl::i32 n) {
  std::array<tile, 2> both{d, e};
  tl::i32 i = 0;
  tl::while_([&] { return i < n; },
             [&] {
               put(out, i, both[0]);
               std::tie(both[0], both[1]) = std::tuple(both[1], both[0]);
               i += 1;
             });
  put(out, i, both[0]);
}};

constexpr auto assigned_in_branch = tl::kernel{[](tile d, tile e, tl::ptr<float> out, tl::i32 n) {
  tile before = d, chosen;
  tl::if_(n > 0, [&] { d = e; });
  tl::if_(n > 1, [&] { chosen = before; }, [&] { chosen = e; });
  put(out, 0, d);
  put(out, 1, before);
  put(out, 2, chosen);
}};

constexpr auto returned_by_branch = tl::kernel{[](tile d, tile e, tl::ptr<float> out, tl::i32 n) {
  auto one = tl::if_(n > 0, [&] { return d; }, [&] { return e; });
  auto [x, y] = tl::if_(n > 1, [&] { return std::pair(d, e); }, [&] { return std::pair(e, d); });
  auto [z, place] = tl::if_(
      n > 2, [&] { return std::tuple(x, n * 0 + 3); }, [&] { return std::tuple(y, n * 0 + 3); });
  put(out, 0, one);
  put(out, 1, x);
  put(out, 2, y);
  put(out, place, z);
}};

constexpr auto left_early = tl::kernel{[](tile d, tile e, tl::ptr<float> out, tl::i32 n) {
  for (auto i : tl::range(0, 100)) {
    put(out, i, d);
    tl::break_if(i == n);
    tl::continue_if(i == 1);
    d = e;
  }
  put(out, n + 1, d);
}};

/// The descriptors are made in the kernel and lead to what is written, with NaN outside of one.
constexpr auto written_through =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n) {
      auto from = tl::make_tensor_descriptor<4, 8>(x, {4, 4}, {8, 1});
      auto padded =
          tl::make_tensor_descriptor<4, 8>(x, {4, 4}, {8, 1}, {.padding = tl::padding::nan});
      auto to = tl::make_tensor_descriptor<4, 8>(out, {4, 8}, {8, 1});
      auto other = tl::make_tensor_descriptor<4, 8>(out + int(elements), {4, 8}, {8, 1});
      for ([[maybe_unused]] auto i : tl::range(0, n)) {
        std::swap(from, padded);
        std::swap(to, other);
        to.store({0, 0}, from.load({0, 0}));
      }
    }};

} // namespace

TEST_CASE("a loop over tl::range carries descriptors that are swapped in it") {
  check(swapped_in_range, 0, "a");
  check(swapped_in_range, 1, "ab");
  check(swapped_in_range, 5, "ababab");
}

TEST_CASE("tl::while_ carries descriptors in arrays and tuples") {
  check(turned_in_while, 0, "a");
  check(turned_in_while, 4, "ababa");
}

TEST_CASE("tl::if_ chooses the descriptor that is assigned in it") {
  check(assigned_in_branch, 0, "aab");
  check(assigned_in_branch, 1, "bab");
  check(assigned_in_branch, 2, "baa");
}

TEST_CASE("tl::if_ returns descriptors") {
  check(returned_by_branch, 0, "bbaa");
  check(returned_by_branch, 1, "abaa");
  check(returned_by_branch, 2, "aabb");
  check(returned_by_branch, 3, "aaba");
}

TEST_CASE("what a loop has assigned to a descriptor stays when it is left early") {
  check(left_early, 0, "aa");
  check(left_early, 1, "abb");
  check(left_early, 3, "abbbb");
}

TEST_CASE("tiles are written through descriptors that a loop carries, each with its padding") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, tensors::numbers(elements, 1)),
        out(dev, std::vector<float>(2 * elements, -1.0f));
    numeric::seen(written_through[numeric::grid(1)](x, out, 2));
    std::vector<float> want; // the first iteration writes the second tile
    for (float outside : {0.0f, nan})
      for (std::size_t i = 0; i < elements; ++i)
        want.push_back(i % 8 < 4 ? float(1 + i) : outside);
    CHECK(tl::testing::allclose(out, want, {.equal_nan = true}));
  }
}
