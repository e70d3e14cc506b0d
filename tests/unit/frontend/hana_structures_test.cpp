// SPDX-License-Identifier: MIT
// Types that Boost.Hana describes, as structures of tensors and as arguments of kernels.
#include "trace.hpp"

#include "../host/fake_c_api.hpp"

#include <tl/structures.hpp>

namespace {

namespace hana = boost::hana;
using namespace hana::literals;
using traces::has;
using traces::of;

constexpr auto at = [] { return tl::arange<64>(); };
constexpr auto x_key = BOOST_HANA_STRING("x");
constexpr auto n_key = BOOST_HANA_STRING("n");
constexpr auto out_key = BOOST_HANA_STRING("out");

struct vectors {
  BOOST_HANA_DEFINE_STRUCT(vectors, (tl::ptr<const float>, x), (tl::ptr<float>, out), (tl::i32, n));
};

/// No aggregate.
struct adapted {
  adapted() = default;
  adapted(tl::f32 a, tl::i32 n) : total(a), count(n) {}
  tl::f32 total;
  tl::i32 count;
};

/// More members than plain C++ takes apart.
struct large {
  BOOST_HANA_DEFINE_STRUCT(large, (tl::f32, a), (tl::f32, b), (tl::f32, c), (tl::f32, d),
                           (tl::f32, e), (tl::f32, f), (tl::f32, g), (tl::f32, h), (tl::f32, i),
                           (tl::f32, j), (tl::f32, k), (tl::f32, l), (tl::f32, m), (tl::f32, n),
                           (tl::f32, o), (tl::f32, p), (tl::f32, q), (tl::ptr<float>, out));
};

struct base {
  tl::i32 n;
};
struct derived : base {
  tl::ptr<float> out;
};

/// Two of three members, not as they are declared.
struct bounds {
  tl::ptr<float> out;
  tl::i32 first, last;
};
struct host_bounds {
  int last;
  float *out;
  int first;
};
/// With other unnamed members.
struct part_of_bounds {
  tl::i32 first, second;
  tl::ptr<float> out;
  tl::i32 last;
};
struct host_part {
  float *out;
  int last, first, second;
};
struct adapted_config {
  int rows, columns, depth;
};

} // namespace

BOOST_HANA_ADAPT_STRUCT(adapted, total, count);
BOOST_HANA_ADAPT_STRUCT(derived, n, out);
BOOST_HANA_ADAPT_STRUCT(bounds, last, first, out);
BOOST_HANA_ADAPT_STRUCT(host_bounds, first, last, out);
BOOST_HANA_ADAPT_STRUCT(part_of_bounds, last, out);
BOOST_HANA_ADAPT_STRUCT(host_part, out, last);
BOOST_HANA_ADAPT_STRUCT(adapted_config, columns, rows);

namespace {

TEST_CASE("branches return what Hana describes") {
  constexpr auto kernel = tl::kernel{
      "branches", [](tl::ptr<float> out, tl::i32 n) {
        tl::tensor x = tl::load(out + at());
        auto t = tl::if_(
            n > 0, [&] { return hana::make_tuple(x, hana::make_pair(n, 1.0f), hana::int_c<4>); },
            [&] { return hana::make_tuple(x + 1, hana::make_pair(7, n * 2.0f), hana::int_c<4>); });
        auto m = tl::if_(
            n > 1,
            [&] { return hana::make_map(hana::make_pair(x_key, x), hana::make_pair(n_key, n)); },
            [&] {
              return hana::make_map(hana::make_pair(x_key, x * 2), hana::make_pair(n_key, n));
            });
        auto a = tl::if_(n > 2, [&] { return adapted(1.0f, n); }, [&] { return adapted(2.0f, 3); });
        for (auto i : tl::range(0, n)) {
          m[x_key] += i;
          a.count += i;
        }
        static_assert(decltype(+t[2_c])::value == 4);
        tl::store(out + at(), t[0_c] + hana::first(t[1_c]) + hana::second(t[1_c]) + m[x_key] +
                                  m[n_key] + a.total + a.count);
      }};
  const std::string text = of(kernel);
  CHECK(has(text, "-> (tensor<64xf32>, i32, f32) {"));
  CHECK(has(text, "-> (tensor<64xf32>, i32) {"));
  CHECK(has(text, "-> (f32, i32) {"));
  CHECK(has(text, "-> (tensor<64xf32>, i32)  : i32 {"));
}

TEST_CASE("reductions take tuples and maps of Hana") {
  constexpr auto kernel =
      tl::kernel{"reductions", [](tl::ptr<float> out) {
                   tl::tensor x = tl::load(out + at());
                   auto t = tl::reduce<0>(hana::make_tuple(x, at()), [](auto a, auto b) {
                     return hana::make_tuple(a[0_c] + b[0_c], tl::maximum(a[1_c], b[1_c]));
                   });
                   auto m = tl::associative_scan<0>(
                       hana::make_map(hana::make_pair(x_key, x), hana::make_pair(n_key, at())),
                       [](auto a, auto b) {
                         return hana::make_map(hana::make_pair(x_key, a[x_key] * b[x_key]),
                                               hana::make_pair(n_key, a[n_key] | b[n_key]));
                       });
                   CHECK(std::same_as<std::remove_reference_t<decltype(t[1_c])>, tl::i32>);
                   tl::store(out + at(), m[x_key] + m[n_key] + t[0_c] + t[1_c]);
                 }};
  const std::string text = of(kernel);
  CHECK(has(text, "-> (f32, i32)"));
  CHECK(has(text, "-> (tensor<64xf32>, tensor<64xi32>)"));
}

TEST_CASE("a struct of any size or kind is a parameter") {
  constexpr auto kernel = tl::kernel{"large", [](large v, derived d, hana::tuple<tl::i32> t) {
                                       tl::store(v.out, v.a + v.q + t[0_c]);
                                       tl::store(d.out, d.n);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "%arg16: f32, %arg17: !tt.ptr<f32>, %arg18: i32, %arg19: !tt.ptr<f32>, "
                  "%arg20: i32)"));
}

TEST_CASE("a compile-time number of Hana is no parameter of the compiled kernel") {
  constexpr auto kernel =
      tl::kernel{"constant", [](hana::tuple<tl::ptr<float>, hana::int_<64>> v) {
                   auto i = tl::arange<std::remove_reference_t<decltype(v[1_c])>::value>();
                   tl::store(v[0_c] + i, 1.0f);
                 }};
  CHECK(has(of(kernel), "(%arg0: !tt.ptr<f32>) attributes"));
  tl::buffer<float> x(tl::device("cpu"), 64);
  kernel[1](hana::make_tuple(x.data(), hana::int_c<64>));
  CHECK(fake::last.arguments.size() == 1);
}

constexpr auto copy = tl::kernel{
    "copy", [](vectors v) { tl::store(v.out + at(), tl::load(v.x + at(), at() < v.n)); }};

/// The members in another order.
struct host_vectors {
  BOOST_HANA_DEFINE_STRUCT(host_vectors, (int, n), (float *, out), (const float *, x));
};

TEST_CASE("members are found by their names where both sides have names") {
  const tl::device cpu("cpu");
  tl::buffer<float> x(cpu, 64), out(cpu, 64);
  const auto check = [&] {
    REQUIRE(fake::last.arguments.size() == 3);
    CHECK(fake::argument<float *>(fake::last, 0) == x.data());
    CHECK(fake::argument<float *>(fake::last, 1) == out.data());
    CHECK(fake::argument<int>(fake::last, 2) == 5);
    fake::last = {};
  };
  copy[1](host_vectors{5, out.data(), x.data()});
  check();
  copy[1](hana::make_map(hana::make_pair(out_key, out.data()), hana::make_pair(n_key, 5),
                         hana::make_pair(x_key, x.data())));
  check();
  struct {
    tl::buffer<float> &x, &out;
    int n;
  } by_order{x, out, 5};
  copy[1](by_order);
  check();
  copy[1](std::forward_as_tuple(x, out, 5));
  check();
}

TEST_CASE(
    "the names of an adapted struct are those of its members in whatever order it names them") {
  const tl::device cpu("cpu");
  tl::buffer<float> out(cpu, 64);
  constexpr auto kernel =
      tl::kernel{"bounds", [](bounds b) { tl::store(b.out + b.first, tl::cast<float>(b.last)); }};
  CHECK(has(of(kernel), "(%arg0: !tt.ptr<f32>, %arg1: i32, %arg2: i32)"));
  const auto check = [&] {
    REQUIRE(fake::last.arguments.size() == 3);
    CHECK(fake::argument<float *>(fake::last, 0) == out.data());
    CHECK(fake::argument<int>(fake::last, 1) == 5);
    CHECK(fake::argument<int>(fake::last, 2) == 7);
    fake::last = {};
  };
  kernel[1](host_bounds{.last = 7, .out = out.data(), .first = 5});
  check();
  kernel[1](std::tuple(out.data(), 5, 7));
  check();
}

TEST_CASE("members without a name are in order among themselves") {
  tl::buffer<float> out(tl::device("cpu"), 64);
  constexpr auto kernel = tl::kernel{
      "part", [](part_of_bounds b) { tl::store(b.out + b.first, tl::cast<float>(b.last)); }};
  kernel[1](host_part{.out = out.data(), .last = 4, .first = 5, .second = 6});
  REQUIRE(fake::last.arguments.size() == 4);
  CHECK(fake::argument<int>(fake::last, 0) == 5);
  CHECK(fake::argument<int>(fake::last, 1) == 6);
  CHECK(fake::argument<float *>(fake::last, 2) == out.data());
  CHECK(fake::argument<int>(fake::last, 3) == 4);
}

TEST_CASE("what is wrong with a member is said by its name") {
  const tl::device cpu("cpu");
  tl::buffer<float> x(cpu, 64), out(cpu, 64);
  std::string message;
  try {
    copy[1](std::forward_as_tuple(x, out, std::int64_t(1) << 40));
  } catch (const tl::invalid_argument &e) {
    message = e.message();
  }
  CHECK(message ==
        "member n of argument 0 is 1099511627776, which its parameter of type tl::i32 cannot hold");
}

template <adapted_config C>
constexpr auto fill_adapted = tl::kernel{
    [](vectors v) { tl::store(v.out + tl::arange<C.rows>(), float(C.columns + C.depth)); }};

TEST_CASE("trials name the members of an adapted configuration that have names") {
  static auto tuned = tl::autotune<tl::combinations<adapted_config>(16, tl::one_of(4, 8), 2)>(
      []<adapted_config C> { return fill_adapted<C>; }, {.key = {}});
  tl::buffer<float> x(tl::device("cpu"), 64), out(tl::device("cpu"), 64);
  tuned[tl::grid(1)](std::forward_as_tuple(x, out, 5));
  REQUIRE(tuned.trials().size() == 2);
  CHECK(tuned.trials()[0].configuration == "{.rows = 16, .columns = 4, 2}");
}

TEST_CASE("a member of a member is named with the way to it") {
  struct inner {
    tl::i32 first;
    vectors last;
  };
  struct outer {
    std::pair<tl::i32, std::array<tl::i32, 2>> pair;
    inner in;
    hana::int_<3> constant;
    tl::i32 n;
  };
  constexpr auto kernel =
      tl::kernel{"nested", [](tl::i32, outer o) { tl::store(o.in.last.out + o.n, 1.0f); }};
  struct host_inner {
    std::int64_t first;
    std::tuple<const float *, float *, std::int64_t> last;
  };
  struct host_outer {
    std::pair<std::int64_t, std::array<std::int64_t, 2>> pair;
    host_inner in;
    hana::int_<3> constant;
    std::int64_t n;
  };
  const std::int64_t large = std::int64_t(1) << 40;
  const auto place = [&](host_outer o) {
    std::string message;
    try {
      kernel[{.grid = 1, .device = tl::device("cpu")}](0, o);
    } catch (const tl::invalid_argument &e) {
      message = e.message();
    }
    return message.substr(0, message.find(" is "));
  };
  CHECK(place({{large, {0, 0}}, {0, {}}, {}, 0}) == "member 0.0 of argument 1");
  CHECK(place({{0, {0, large}}, {0, {}}, {}, 0}) == "member 0.1.1 of argument 1");
  CHECK(place({{0, {0, 0}}, {large, {}}, {}, 0}) == "member 1.0 of argument 1");
  CHECK(place({{0, {0, 0}}, {0, {nullptr, nullptr, large}}, {}, 0}) ==
        "member 1.1.n of argument 1");
  CHECK(place({{0, {0, 0}}, {0, {}}, {}, large}) == "member 3 of argument 1");
}

struct block_config {
  BOOST_HANA_DEFINE_STRUCT(block_config, (int, rows), (unsigned char, columns), (bool, fast));
};
template <block_config C>
constexpr auto fill =
    tl::kernel{[](vectors v) { tl::store(v.out + tl::arange<C.rows>(), float(C.columns)); }};

TEST_CASE("trials of named configurations say the names, of the key too") {
  static auto tuned = tl::autotune<tl::combinations<block_config>(tl::one_of(16, 32), 8, true)>(
      []<block_config C> { return fill<C>; }, {.key = tl::args<0>});
  tl::buffer<float> x(tl::device("cpu"), 64), out(tl::device("cpu"), 64);
  tuned[tl::grid(1)](std::forward_as_tuple(x, out, 5));
  REQUIRE(tuned.trials().size() == 2);
  CHECK(tuned.trials()[0].configuration == "{.rows = 16, .columns = 8, .fast = true}");
  CHECK(tuned.trials()[1].configuration == "{.rows = 32, .columns = 8, .fast = true}");
  CHECK(tuned.trials()[0].key == "member n of argument 0 = 5");
}

} // namespace
