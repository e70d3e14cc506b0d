// SPDX-License-Identifier: MIT
// Values that are made of several tensors: taken apart, made again, and of the same type after.
#include "trace.hpp"

#include <array>
#include <tuple>

namespace {

using traces::count;
using traces::has;
using traces::of;

constexpr auto at = [] { return tl::arange<64>(); };
using block = tl::tensor<float, tl::shape<64>>;

struct state {
  block top, total;
  tl::i32 rows;
};
template <class N, class M> struct moments {
  N count;
  M mean, squares;
};
template <class N, class M, class S>
moments(N, M, S) -> moments<tl::tensor_of<N>, tl::tensor_of<M>>;
template <class T> struct matrix {
  tl::ptr<T> base;
  tl::i32 stride;
};
struct nothing {};

TEST_CASE("the members of aggregates are counted in plain C++") {
  using tl::impl::members, tl::impl::type_list;
  CHECK(std::same_as<members<state>::types, type_list<block, block, tl::i32>>);
  CHECK(std::same_as<members<matrix<float>>::types, type_list<tl::ptr<float>, tl::i32>>);
  struct nested {
    state s;
    std::array<tl::f32, 2> pair;
    std::tuple<tl::i32, matrix<const float>> t;
  };
  CHECK(members<nested>::count == 3);
  CHECK(tl::impl::structure<nested>::leaves::size == 8);
  struct referring {
    tl::buffer<float> &x;
    const tl::buffer<float> &y;
    int n;
  };
  CHECK(members<referring>::count == 3);
  CHECK(!tl::impl::structure<referring>::is_valid);
  struct owning {
    tl::buffer<float> x;
    double y;
  };
  CHECK(members<owning>::count == 2);
  struct sixteen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
  };
  CHECK(members<sixteen>::count == 16);
  struct seventeen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
  };
  CHECK(!members<seventeen>::known);
  struct derived : state {
    int z;
  };
  CHECK(!members<derived>::known);
  struct with_array {
    int n[3];
    float *x;
  };
  CHECK(!members<with_array>::known);
  struct array_last {
    float *x;
    tl::i32 n[2];
  };
  CHECK(!members<array_last>::known);
  struct large_array {
    int n[100];
  };
  CHECK(!members<large_array>::known);
  struct descriptions {
    const tl::tensor_descriptor<float, 8, 16> &a;
    tl::tensor_descriptor<float, 8, 16> b;
    tl::buffer<float> c;
    std::array<int, 20> d;
  };
  CHECK(members<descriptions>::count == 4);
  struct constant {
    const int n;
    std::string text;
    std::pair<int, float> pair;
    sixteen nested;
    bool flags;
  };
  CHECK(members<constant>::count == 5);
  CHECK(!members<tl::f32>::known);
  CHECK(!members<tl::float16>::known);
  CHECK(!members<std::string>::known);
}

TEST_CASE("branches return structures of every kind, in one another") {
  constexpr auto kernel = tl::kernel{
      "kinds", [](tl::ptr<float> x, tl::i32 n) {
        tl::tensor v = tl::load(x + at());
        auto s = tl::if_(
            n > 0, [&] { return state{v, v * 2.0f, n}; }, [&] { return state{v + 1.0f, v, 7}; });
        CHECK(std::same_as<decltype(s), state>);
        auto m = tl::if_(
            n > 1, [&] { return moments{n, v * 1.5f, v}; }, [&] { return moments{n + 1, v, v}; });
        auto t = tl::if_(
            n > 2, [&] { return std::tuple(s, std::array<block, 2>{v, v * 3.0f}, 1); },
            [&] { return std::tuple(s, std::array<block, 2>{v, v + 3.0f}, n); });
        CHECK(std::same_as<decltype(t), std::tuple<state, std::array<block, 2>, tl::i32>>);
        auto [p, q] = tl::if_(
            n > 3, [&] { return std::pair(matrix<float>{x, n}, v); },
            [&] { return std::pair(matrix<float>{x + 1, 8}, v); });
        tl::store(p.base + at() * p.stride, s.top + s.total + s.rows + m.squares + m.count + q +
                                                std::get<1>(t)[1] + std::get<2>(t));
      }};
  const std::string text = of(kernel);
  CHECK(has(text, "-> (tensor<64xf32>, tensor<64xf32>, i32) {"));
  CHECK(has(text, "-> (i32, tensor<64xf32>, tensor<64xf32>) {"));
  CHECK(has(text, "-> (tensor<64xf32>, tensor<64xf32>, i32, tensor<64xf32>, tensor<64xf32>, i32)"));
  CHECK(has(text, "-> (!tt.ptr<f32>, i32, tensor<64xf32>) {"));
}

TEST_CASE("what a branch returns is made of variables") {
  constexpr auto kernel = tl::kernel{"variables", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::tensor v = tl::load(x + at());
                                       auto m = tl::if_(
                                           n > 1, [&] { return moments{n, v * 1.5f, v}; },
                                           [&] { return moments{n, v, v}; });
                                       CHECK(std::same_as<decltype(m), moments<tl::i32, block>>);
                                       for (auto i : tl::range(0, n)) {
                                         m.mean += i;
                                         m = moments{m.count + 1, m.mean, m.mean};
                                       }
                                       tl::store(x + at(), m.mean + m.squares + m.count);
                                     }};
  CHECK(has(of(kernel), "-> (i32, tensor<64xf32>, tensor<64xf32>)  : i32 {"));
}

TEST_CASE("compile-time numbers and empty members of a structure stay as they are") {
  constexpr auto kernel = tl::kernel{
      "constants", [](tl::ptr<float> x, tl::i32 n) {
        constexpr std::integral_constant<int, 4> four;
        auto [v, f, e] = tl::if_(
            n > 0, [&] { return std::tuple(tl::load(x), four, nothing()); },
            [&] { return std::tuple(tl::f32(1), four, nothing()); });
        static_assert(decltype(f)::value == 4 && std::is_empty_v<decltype(e)>);
        auto alone =
            tl::if_(n > 0, [&] { return four; }, [&] { return std::integral_constant<int, 5>(); });
        tl::store(x + alone, v * f);
      }};
  CHECK(has(of(kernel), "-> (f32) {"));
  CHECK(has(of(kernel), "-> (i32) {"));
}

TEST_CASE("descriptors are leaves of structures") {
  using tile = tl::descriptor<float, 8, 16>;
  struct matrices {
    tile in, out;
  };
  constexpr auto kernel = tl::kernel{
      "descriptors", [](tile x, tile y, tl::i32 n) {
        auto m = tl::if_(n > 0, [&] { return matrices{x, y}; }, [&] { return matrices{y, x}; });
        for (auto i : tl::range(0, n)) {
          m.out.store({i, 0}, m.in.load({i, 0}));
          std::swap(m.in, m.out);
        }
      }};
  CHECK(count(of(kernel), "-> (!tt.tensordesc<8x16xf32>, !tt.tensordesc<8x16xf32>)") == 2);
}

TEST_CASE("reductions and scans combine structures, and give the same kind") {
  constexpr auto kernel = tl::kernel{
      "combine", [](tl::ptr<float> x) {
        tl::tensor v = tl::load(x + at());
        auto both = [](auto a, auto b) {
          return moments{a.count + b.count, a.mean + b.mean, tl::maximum(a.squares, b.squares)};
        };
        auto m = tl::reduce<0>(moments{at(), v * 2.0f, v + 1.0f}, both);
        CHECK(std::same_as<decltype(m), moments<tl::i32, tl::f32>>);
        auto kept = tl::reduce<0, tl::keep_dims>(moments{at(), v, v}, both);
        CHECK(std::same_as<decltype(kept.count), tl::tensor<std::int32_t, tl::shape<1>>>);
        auto s = tl::associative_scan<0>(moments{at(), v, v}, both);
        CHECK(std::same_as<decltype(s), moments<tl::tensor<std::int32_t, tl::shape<64>>, block>>);
        auto [low, high] = tl::reduce<0>(std::array<block, 2>{v, v * 3.0f}, [](auto a, auto b) {
          return std::array{tl::minimum(a[0], b[0]), tl::maximum(a[1], b[1])};
        });
        auto p = tl::reduce<0>(std::pair(v, at()), [](auto a, auto i, auto b, auto j) {
          return std::pair(a + b, i | j); // one by one
        });
        CHECK(std::same_as<decltype(p), std::pair<tl::f32, tl::i32>>);
        auto [one] = tl::reduce<0>(std::tuple(v), [](auto a, auto b) { return std::tuple(a * b); });
        auto nested = tl::reduce<0>(std::tuple(moments{at(), v, v}, v), [&](auto a, auto b) {
          auto [m1, v1] = a;
          auto [m2, v2] = b;
          return std::tuple(moments{m1.count + m2.count, m1.mean, m2.squares}, v1 + v2);
        });
        tl::store(x + at(), s.mean + kept.mean + m.mean + low + high + p.first + one);
        tl::store(x, std::get<0>(nested).squares + std::get<1>(nested));
      }};
  const std::string text = of(kernel);
  CHECK(count(text, "\"tt.reduce\"") == 6);
  CHECK(count(text, "-> (i32, f32, f32)") == 2);
  CHECK(has(text, "-> (i32, f32, f32, f32)"));
  CHECK(count(text, "-> (tensor<64xi32>, tensor<64xf32>, tensor<64xf32>)") == 1);
}

TEST_CASE("maps take and return structures") {
  constexpr auto kernel = tl::kernel{
      "maps", [](tl::ptr<float> x) {
        tl::tensor v = tl::load(x + at());
        auto m = tl::map_elementwise(
            [](auto a, tl::f32 b, auto two) {
              return moments{a.count, a.mean * b, a.squares + two};
            },
            moments{at(), v, 1.0f}, v, 2);
        CHECK(std::same_as<decltype(m), moments<tl::tensor<std::int32_t, tl::shape<64>>, block>>);
        auto scalar =
            tl::map_elementwise([](auto a) { return std::array<tl::f32, 2>{a, a * 2}; }, 3.0f);
        tl::store(x + at(), m.mean + m.squares + m.count + scalar[1]);
      }};
  CHECK(has(of(kernel), "-> (tensor<64xi32>, tensor<64xf32>, tensor<64xf32>)"));
}

struct vectors {
  tl::ptr<const float> x, y;
  tl::ptr<float> out;
  tl::i32 n;
};

TEST_CASE("a kernel that takes a struct is the one that takes its members") {
  constexpr auto members = tl::kernel{
      "sum", [](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
        tl::store(out + at(), tl::load(x + at(), at() < n) + tl::load(y + at(), at() < n));
      }};
  constexpr auto whole = tl::kernel{"sum", [](vectors v) {
                                      tl::store(v.out + at(), tl::load(v.x + at(), at() < v.n) +
                                                                  tl::load(v.y + at(), at() < v.n));
                                    }};
  CHECK(of(whole) == of(members));
}

TEST_CASE("struct parameters nest, hold descriptors and constants, and stand among others") {
  struct everything {
    vectors v;
    std::array<tl::i32, 2> extents;
    std::pair<tl::descriptor<float, 8, 16>, tl::f16> p;
    std::integral_constant<int, 64> block;
  };
  constexpr auto kernel =
      tl::kernel{"nested", [](tl::i64 first, everything e, const std::tuple<tl::u8> &last) {
                   auto i = tl::arange<e.block()>();
                   tl::store(e.v.out + i, tl::load(e.v.x + i) + first + e.extents[1] + e.v.n);
                   e.p.first.store({tl::cast<std::int32_t>(std::get<0>(last)), 0}, 1.0f);
                   e.v.n += 1; // a variable as any other
                 }};
  const std::string text = of(kernel);
  CHECK(has(text, "(%arg0: i64, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<f32>, %arg3: !tt.ptr<f32>, "
                  "%arg4: i32, %arg5: i32, %arg6: i32, %arg7: !tt.ptr<f32> {tt.divisibility = 16 "
                  ": i32}, %arg8: i32, "
                  "%arg9: i32, %arg10: i64 {tt.divisibility = 4 : i32}, %arg11: i64, %arg12: f16, "
                  "%arg13: i8)"));
}

TEST_CASE("a loop carries the members of a struct parameter that it changes") {
  constexpr auto kernel = tl::kernel{"carried", [](vectors v) {
                                       for ([[maybe_unused]] auto i : tl::range(0, v.n)) {
                                         tl::store(v.out, tl::load(v.x));
                                         v.x += 1;
                                         v.out += 2;
                                       }
                                     }};
  CHECK(has(of(kernel), "-> (!tt.ptr<f32>, !tt.ptr<f32>)"));
}

} // namespace
