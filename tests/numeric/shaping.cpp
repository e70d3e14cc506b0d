// SPDX-License-Identifier: MIT
//
// Operations that move elements and change none: each is checked against the index it must come
// from.

#include "sweep.hpp"

#include <algorithm>

using namespace numeric;

namespace {

template <class S> struct row_major;
template <int... D> struct row_major<tl::shape<D...>> {
  static auto offsets() { return tl::reshape<D...>(tl::arange<(D * ... * 1)>()); }
};

// Loads a block of S, applies the operation, and stores what comes out in row-major order.
template <class K, class T, class S>
inline constexpr auto move_kernel =
    tl::kernel{"move", [](tl::ptr<const T> x, tl::ptr<T> out, tl::i32) {
                 tl::tensor result = K{}(tl::load(x + row_major<S>::offsets()));
                 using R = typename decltype(result)::shape_type;
                 tl::store(out + row_major<R>::offsets(), result);
               }};

// `from` gives the source of each element of the result, by their row-major numbers.
template <class T, class S, class K, class From>
void check_move(const char *name, K, std::size_t results, From from) {
  test_case c;
  c.name = std::string(name) + ' ' + info_of<T>().name + ' ' + shape_text(S::extents, S::rank);
  c.ttir = move_kernel<K, T, S>.trace();
  c.result = &info_of<T>();
  c.results = results;
  c.extents = {0};
  std::vector<unsigned char> bytes(std::size_t(S::size) * sizeof(T));
  info_of<T>().fill(bytes.data(), std::size_t(S::size), {0, 0}, true);
  for (std::size_t i = 0; i < results; ++i) {
    const auto *element = bytes.data() + std::size_t(from(int(i))) * sizeof(T);
    c.wanted.insert(c.wanted.end(), element, element + sizeof(T));
  }
  c.inputs.push_back(std::move(bytes));
  run(c);
}

template <class S, class K, class From>
void check_moves(const char *name, K kernel, From from,
                 std::size_t results = std::size_t(S::size)) {
  check_move<float, S>(name, kernel, results, from);
  check_move<std::int8_t, S>(name, kernel, results, from);
  check_move<std::int64_t, S>(name, kernel, results, from);
  check_move<tl::bfloat16, S>(name, kernel, results, from);
  check_move<bool, S>(name, kernel, results, from);
}

} // namespace

TEST_CASE("a transposition swaps the last two axes") {
  check_moves<tl::shape<8, 32>>(
      "trans", [](auto x) { return tl::trans(x); }, [](int i) { return i % 8 * 32 + i / 8; });
  check_moves<tl::shape<64, 1>>(
      "trans", [](auto x) { return tl::trans(x); }, [](int i) { return i; });
}

TEST_CASE("a permutation reorders axes") {
  check_moves<tl::shape<2, 4, 8>>(
      "permute<2, 0, 1>", [](auto x) { return tl::permute<2, 0, 1>(x); },
      [](int i) { return i / 4 % 2 * 32 + i % 4 * 8 + i / 8; });
}

TEST_CASE("a reshape keeps the row-major order") {
  check_moves<tl::shape<8, 32>>(
      "reshape<4, 64>", [](auto x) { return tl::reshape<4, 64>(x); }, [](int i) { return i; });
  check_moves<tl::shape<4, 2, 8>>(
      "ravel", [](auto x) { return tl::ravel(x); }, [](int i) { return i; });
}

TEST_CASE("a broadcast repeats along axes of extent 1") {
  check_moves<tl::shape<8, 1>>(
      "broadcast_to<8, 16>", [](auto x) { return tl::broadcast_to<8, 16>(x); },
      [](int i) { return i / 16; }, 128);
  check_moves<tl::shape<1, 16>>(
      "broadcast_to<4, 16>", [](auto x) { return tl::broadcast_to<4, 16>(x); },
      [](int i) { return i % 16; }, 64);
}

TEST_CASE("an expansion adds an axis") {
  check_moves<tl::shape<16>>(
      "expand_dims<0>", [](auto x) { return tl::expand_dims<0>(x); }, [](int i) { return i; });
}

TEST_CASE("an expansion adds several axes at once") {
  check_moves<tl::shape<4, 8>>(
      "expand_dims<0, -2>",
      [](auto x) {
        auto y = tl::expand_dims<0, -2>(x);
        static_assert(std::is_same_v<typename decltype(y)::shape_type, tl::shape<1, 4, 1, 8>>);
        return y;
      },
      [](int i) { return i; });
  check_moves<tl::shape<>>(
      "unsqueeze<0, 1>",
      [](auto x) {
        auto y = tl::unsqueeze<0, 1>(x);
        static_assert(std::is_same_v<typename decltype(y)::shape_type, tl::shape<1, 1>>);
        return y;
      },
      [](int i) { return i; });
}

TEST_CASE("a join interleaves along a new last axis, and a split undoes it") {
  check_moves<tl::shape<16>>(
      "join", [](auto x) { return tl::join(x, x); }, [](int i) { return i / 2; }, 32);
  check_moves<tl::shape<8, 2>>(
      "first of split",
      [](auto x) {
        auto [low, high] = tl::split(x);
        return low;
      },
      [](int i) { return 2 * i; }, 8);
  check_moves<tl::shape<4, 8, 2>>(
      "second of split",
      [](auto x) {
        auto [low, high] = tl::split(x);
        return high;
      },
      [](int i) { return 2 * i + 1; }, 32);
}

TEST_CASE("an interleaving alternates") {
  check_moves<tl::shape<4, 8>>(
      "interleave", [](auto x) { return tl::interleave(x, x); },
      [](int i) { return i / 16 * 8 + i % 16 / 2; }, 64);
}

TEST_CASE("a concatenation keeps the order") {
  check_moves<tl::shape<16>>(
      "cat", [](auto x) { return tl::cat(x, x); }, [](int i) { return i % 16; }, 32);
  check_moves<tl::shape<4, 8>>(
      "cat<0>", [](auto x) { return tl::cat<0>(x, x); }, [](int i) { return i % 32; }, 64);
  check_moves<tl::shape<4, 8>>(
      "cat<1>", [](auto x) { return tl::cat<1>(x, tl::flip<1>(x)); },
      [](int i) { return i / 16 * 8 + (i % 16 < 8 ? i % 16 : 15 - i % 16); }, 64);
  check_moves<tl::shape<2, 4, 8>>(
      "cat<-2>", [](auto x) { return tl::cat<-2>(x, x); },
      [](int i) { return i / 64 * 32 + i % 32; }, 128);
}

TEST_CASE("a view has the same elements in any order") {
  constexpr auto viewed = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
    auto at = tl::arange<64>();
    auto tile = tl::view<4, 16>(tl::load(x + at));
    tl::store(out + at, tl::sort(tl::reshape<64>(tl::trans(tile), {.can_reorder = true})));
  }};
  auto host = tl::testing::random_values<float>(64);
  auto want = host;
  std::sort(want.begin(), want.end());
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    tl::testing::guarded_buffer<float> out(dev, 64);
    seen(viewed[numeric::grid(1)](x, out));
    CHECK(tl::testing::allclose(out, want));
  }
}

TEST_CASE("a flip reverses an axis") {
  check_moves<tl::shape<4, 16>>(
      "flip<1>", [](auto x) { return tl::flip<1>(x); },
      [](int i) { return i / 16 * 16 + 15 - i % 16; });
}

TEST_CASE("a gather takes elements by index") {
  check_moves<tl::shape<16>>(
      "gather<0>", [](auto x) { return tl::gather<0>(x, (tl::arange<16>() * 5 + 3) % 16); },
      [](int i) { return (i * 5 + 3) % 16; });
  check_moves<tl::shape<8, 16>>(
      "gather<1>",
      [](auto x) {
        auto index = (tl::arange<16>() * 7 + 1) % 16;
        return tl::gather<1>(x, tl::broadcast_to<8, 16>(index(tl::newaxis, tl::all)));
      },
      [](int i) { return i / 16 * 16 + (i % 16 * 7 + 1) % 16; });
}
