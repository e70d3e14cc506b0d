// SPDX-License-Identifier: MIT
//
// Operators: arithmetic, comparisons, bits, and the selections among them.

#include "host.hpp"
#include "sweep.hpp"

#include <bit>

using namespace numeric;

namespace {

/// Products whose rounding shows if they are fused with the sum after them.
constexpr auto rounded_products =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<const float> products,
                  tl::ptr<float> rest, tl::ptr<float> roots) {
      auto at = tl::arange<256>();
      auto a = tl::load(x + at), b = tl::load(y + at);
      tl::store(rest + at, a * b - tl::load(products + at));
      auto v = tl::div_rn(tl::full<float, 256>(-0.25f), b);
      tl::store(roots + at, tl::sqrt(v * b + 0.25f));
    }};

/// Divisors and amounts of shifts that compilers have code of their own for.
template <class T> std::vector<T> known_numbers() {
  std::vector<T> all{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  for (int number : {0, 1, -1, 2, -2, 3, -3, 7, 8, -23, 31, 32, 63, 64, -64, 69, -100})
    all.push_back(T(number));
  return all;
}

template <class T> using bits_of = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Numbers that simplifications of sums, products and comparisons look for.
template <class T> std::vector<T> known_floats() {
  using limits = std::numeric_limits<T>;
  return {T(0),
          T(-0.0),
          T(1),
          T(-1),
          T(2),
          T(0.5),
          limits::infinity(),
          -limits::infinity(),
          limits::quiet_NaN(),
          limits::max(),
          limits::denorm_min()};
}

/// What the kernel of the row makes of a float: all results in one number, every NaN as 7.
template <class T> std::int64_t known_floats_hash(T a) {
  std::uint64_t all = a == a;
  const auto ask = [&](std::int64_t one) { all = all * 31 + std::uint64_t(one); };
  const auto add = [&](T one) {
    ask(one != one ? 7 : std::int64_t(std::bit_cast<bits_of<T>>(one)));
  };
  for (T k : known_floats<T>()) {
    add(a + k), add(a - k), add(k - a), add(a * k);
    add(a == 0 ? a + k : host::minimum(a, k));
    add(a == 0 ? a - k : host::maximum(k, a));
    ask(a < k), ask(a <= k), ask(a == k), ask(a != k), ask(a > k), ask(a >= k);
  }
  add(a - a), add(a + a), add(-a), add(a);
  ask(a < a), ask(a <= a), ask(a != a);
  return std::int64_t(all);
}

} // namespace

TEST_CASE("a sum of integers wraps, of floats is rounded once") {
  sweep(numbers, elementwise<2>(
                     "add", [](auto a, auto b) { return a + b; },
                     [](auto a, auto b) { return host::add(a, b); }));
}

TEST_CASE("a difference of integers wraps, of floats is rounded once") {
  sweep(numbers, elementwise<2>(
                     "sub", [](auto a, auto b) { return a - b; },
                     [](auto a, auto b) { return host::sub(a, b); }));
}

TEST_CASE("a product of integers wraps, of floats is rounded once") {
  sweep(numbers, elementwise<2>(
                     "mul", [](auto a, auto b) { return a * b; },
                     [](auto a, auto b) { return host::mul(a, b); }));
}

TEST_CASE("a quotient of integers truncates and never traps, of floats is within 2 ULP") {
  constexpr tolerance two_ulps{.ulps = 2.5}; // of the exact quotient, and the reference is rounded
  sweep(numbers,
        elementwise<2>(
            "div", [](auto a, auto b) { return a / b; },
            [](auto a, auto b) { return host::quotient(a, b); }, {{}, two_ulps, two_ulps}));
}

TEST_CASE("an approximate quotient is within 2 ULP") {
  constexpr tolerance two_ulps{.ulps = 2.5};
  sweep(types<float>{},
        elementwise<2>(
            "fdiv", [](auto a, auto b) { return tl::fdiv(a, b, {.approximate = true}); },
            [](auto a, auto b) { return host::quotient(a, b); }, {{}, two_ulps, two_ulps}));
}

TEST_CASE("a remainder has the dividend's sign and never traps") {
  sweep(numbers, elementwise<2>(
                     "rem", [](auto a, auto b) { return a % b; },
                     [](auto a, auto b) { return host::remainder(a, b); }));
}

TEST_CASE("a quotient and the remainder of the same are right beside each other") {
  sweep(integers, elementwise<2>(
                      "div_rem",
                      [](auto a, auto b) {
                        auto rest = a % b;
                        return a / b ^ rest;
                      },
                      [](auto a, auto b) {
                        return decltype(a)(host::quotient(a, b) ^ host::remainder(a, b));
                      }));
}

TEST_CASE("a negative keeps the sign of zero") {
  sweep(floats, elementwise<1>("neg", [](auto a) { return -a; }, [](auto a) { return -a; }));
  sweep(integers,
        elementwise<1>(
            "neg", [](auto a) { return -a; }, [](auto a) { return host::sub(decltype(a)(0), a); }));
}

TEST_CASE("comparisons order numbers, and a NaN only differs") {
  sweep(numbers,
        elementwise<2>(
            "lt", [](auto a, auto b) { return a < b; }, [](auto a, auto b) { return a < b; }));
  sweep(numbers,
        elementwise<2>(
            "le", [](auto a, auto b) { return a <= b; }, [](auto a, auto b) { return a <= b; }));
  sweep(numbers,
        elementwise<2>(
            "gt", [](auto a, auto b) { return a > b; }, [](auto a, auto b) { return a > b; }));
  sweep(numbers,
        elementwise<2>(
            "ge", [](auto a, auto b) { return a >= b; }, [](auto a, auto b) { return a >= b; }));
  sweep(numbers,
        elementwise<2>(
            "eq", [](auto a, auto b) { return a == b; }, [](auto a, auto b) { return a == b; }));
  sweep(numbers,
        elementwise<2>(
            "ne", [](auto a, auto b) { return a != b; }, [](auto a, auto b) { return a != b; }));
}

TEST_CASE("bits are combined one by one") {
  using T = decltype(integers);
  sweep(T{}, elementwise<2>(
                 "and", [](auto a, auto b) { return a & b; },
                 [](auto a, auto b) { return decltype(a)(a & b); }));
  sweep(T{}, elementwise<2>(
                 "or", [](auto a, auto b) { return a | b; },
                 [](auto a, auto b) { return decltype(a)(a | b); }));
  sweep(T{}, elementwise<2>(
                 "xor", [](auto a, auto b) { return a ^ b; },
                 [](auto a, auto b) { return decltype(a)(a ^ b); }));
  sweep(T{},
        elementwise<1>("not", [](auto a) { return ~a; }, [](auto a) { return decltype(a)(~a); }));
}

TEST_CASE("bool tensors are combined by & | ^ and !") {
  sweep(types<bool>{},
        elementwise<2>(
            "and", [](auto a, auto b) { return a & b; }, [](bool a, bool b) { return a && b; }));
  sweep(types<bool>{},
        elementwise<2>(
            "or", [](auto a, auto b) { return a | b; }, [](bool a, bool b) { return a || b; }));
  sweep(types<bool>{},
        elementwise<2>(
            "xor", [](auto a, auto b) { return a ^ b; }, [](bool a, bool b) { return a != b; }));
  sweep(types<bool>{}, elementwise<1>("not", [](auto a) { return !a; }, [](bool a) { return !a; }));
}

TEST_CASE("a shift by the width or more leaves nothing but the sign") {
  sweep(integers, elementwise<2>(
                      "shl", [](auto a, auto b) { return a << b; },
                      [](auto a, auto b) { return host::shift_left(a, b); }));
  sweep(integers, elementwise<2>(
                      "shr", [](auto a, auto b) { return a >> b; },
                      [](auto a, auto b) { return host::shift_right(a, b); }));
  sweep(integers, elementwise<2>(
                      "shl by less than the width", [](auto a, auto b) { return a << (b & 7); },
                      [](auto a, auto b) { return host::shift_left(a, decltype(b)(b & 7)); }));
}

TEST_CASE("quotients, rests and shifts by, of and among known numbers are those of loaded ones") {
  const auto row = elementwise<1>(
      "by known numbers",
      [](auto a) {
        using T = typename decltype(a)::element_type;
        tl::tensor all = a;
        const auto add = [&](const auto &one) { all = all * T(31) + one; };
        for (T known : known_numbers<T>()) {
          add(a / known), add(a % known), add(a << known), add(a >> known);
          add(known / a), add(known % a), add(known << a), add(known >> a);
        }
        add(a / a), add(a % a), add(a << a), add(a >> a), add(a - a), add(a ^ a);
        return all;
      },
      []<class T>(T a) {
        T all = a;
        const auto add = [&](T one) { all = host::add(host::mul(all, T(31)), one); };
        const auto pair = [&](T x, T y) {
          add(host::quotient(x, y)), add(host::remainder(x, y));
          add(host::shift_left(x, y)), add(host::shift_right(x, y));
        };
        for (T known : known_numbers<T>())
          pair(a, known), pair(known, a);
        pair(a, a), add(0), add(0);
        return all;
      });
  sweep(integers, row);
}

TEST_CASE("floats beside known numbers keep zeros, infinities and NaN apart") {
  const auto row = elementwise<1>(
      "beside known numbers",
      [](auto a) {
        using T = typename decltype(a)::element_type;
        tl::tensor all = tl::cast<std::int64_t>(a == a);
        const auto add = [&](const auto &one) {
          all = all * 31 + tl::cast<std::int64_t>(
                               tl::where(one != one, 7, tl::bitcast<bits_of<T>>(tl::cast<T>(one))));
        };
        const auto ask = [&](const auto &one) { all = all * 31 + tl::cast<std::int64_t>(one); };
        for (T known : known_floats<T>()) {
          const auto k = tl::full<T>(known);
          add(a + k), add(a - k), add(k - a), add(a * k);
          add(tl::where(a == 0, a + k, tl::minimum(a, k)));
          add(tl::where(a == 0, a - k, tl::maximum(k, a)));
          ask(a < k), ask(a <= k), ask(a == k), ask(a != k), ask(a > k), ask(a >= k);
        }
        add(a - a), add(a + a), add(-a), add(tl::minimum(a, a));
        ask(a < a), ask(a <= a), ask(a != a);
        return all;
      },
      []<class W>(W a) { return known_floats_hash(a); });
  sweep(types<float, double>{}, row);
}

TEST_CASE("where takes the first where the condition holds") {
  sweep(numbers, elementwise<3>(
                     "where", [](auto a, auto b, auto c) { return tl::where(a < b, b, c); },
                     [](auto a, auto b, auto c) { return a < b ? b : c; }));
}

TEST_CASE("several operations fuse and stay right") {
  sweep(types<float, std::int32_t, std::uint8_t>{}, elementwise<3>(
                                                        "fused",
                                                        [](auto a, auto b, auto c) {
                                                          auto s = tl::where(a > b, a, c);
                                                          return tl::where(s == c, b - a, s);
                                                        },
                                                        [](auto a, auto b, auto c) {
                                                          auto s = a > b ? a : c;
                                                          return s == c ? host::sub(b, a) : s;
                                                        }));
}

TEST_CASE("a product and a sum are rounded one after the other where the launch asks for it") {
  const auto a = tl::testing::random_values<float>(256, {0.5, 2});
  // Divisors for which (-0.25 / b) b rounds to -0.25.
  std::vector<float> b{0.75f}, products;
  while (b.size() < a.size())
    if (const float c = tl::testing::random_values<float>(1, {0.5, 2})[0];
        host::mul(-0.25f / c, c) == -0.25f)
      b.push_back(c);
  for (std::size_t i = 0; i < a.size(); ++i)
    products.push_back(host::mul(a[i], b[i]));
  const std::vector<float> zeros(a.size(), 0.0f);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, a), y(dev, b), z(dev, products);
    tl::testing::guarded_buffer<float> rest(dev, a.size()), roots(dev, a.size());
    tl::launch_options options = numeric::grid(1);
    options.fp_fusion = false;
    numeric::seen(rounded_products[options](x, y, z, rest, roots));
    CHECK(tl::testing::allclose(rest, zeros));
    CHECK(tl::testing::allclose(roots, zeros));
  }
}
