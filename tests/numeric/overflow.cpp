// SPDX-License-Identifier: MIT
//
// What debug builds of a kernel do about results that their type does not hold.

#include "sweep.hpp"

#include <limits>

namespace {

enum class operation { add, sub, mul };

template <operation O, class X, class Y> auto by_operator(const X &x, const Y &y) {
  if constexpr (O == operation::add)
    return x + y;
  else if constexpr (O == operation::sub)
    return x - y;
  else
    return x * y;
}
template <operation O, class X, class Y>
auto by_function(const X &x, const Y &y, tl::overflow_options options) {
  if constexpr (O == operation::add)
    return tl::add(x, y, options);
  else if constexpr (O == operation::sub)
    return tl::sub(x, y, options);
  else
    return tl::mul(x, y, options);
}

/// Both forms, and one that may wrap, of blocks x and y.
template <class T, operation O>
constexpr auto compute =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<const T> y, tl::ptr<T> out, tl::i32 form) {
      auto at = tl::arange<16>();
      auto a = tl::load(x + at), b = tl::load(y + at);
      tl::if_(form == 0, [&] { tl::store(out + at, by_operator<O>(a, b)); });
      tl::if_(form == 1, [&] { tl::store(out + at, by_function<O>(a, b, {})); });
      tl::if_(form == 2,
              [&] { tl::store(out + at, by_function<O>(a, b, {.sanitize_overflow = false})); });
    }};

template <class T, operation O> bool overflows(T a, T b, T &result) {
  return O == operation::add   ? __builtin_add_overflow(a, b, &result)
         : O == operation::sub ? __builtin_sub_overflow(a, b, &result)
                               : __builtin_mul_overflow(a, b, &result);
}

/// Pairs around the limits, one at a time beside pairs of ones.
template <class T, operation O> void check(const char *what) {
  constexpr T lowest = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
  const T root = T(T(1) << (sizeof(T) * 4 - 1)); // the square is half of the range
  const T values[] = {0,    1,       T(-1), 2, lowest, T(lowest + 1), largest, T(largest - 1),
                      root, T(-root)};
  for (tl::device dev : tl::testing::devices()) {
    tl::launch_options checked = numeric::grid(1);
    checked.debug = true;
    auto unchecked = checked;
    unchecked.sanitize_overflow = false;
    CAPTURE(dev.name());
    for (T a : values)
      for (T b : values) {
        if (dev.name() != "interpreter" && a != lowest && b != largest && b != 2)
          continue; // a launch each
        CAPTURE(std::int64_t(a));
        CAPTURE(std::int64_t(b));
        std::vector<T> left(16, T(1)), right(16, T(1));
        left[5] = a;
        right[5] = b;
        T result{};
        const bool wraps = overflows<T, O>(a, b, result) && std::is_signed_v<T>;
        tl::buffer<T> x(dev, left), y(dev, right), out(dev, 16);
        const auto runs = [&](const tl::launch_options &options, int form) {
          try {
            compute<T, O>[options](x, y, out, form);
            tl::stream::default_of(dev).synchronize();
          } catch (const tl::runtime_error &error) {
            CHECK(std::string(error.what()).find(what) != std::string::npos);
            CHECK(std::string(error.what()).find("overflow.cpp") != std::string::npos);
            return false;
          }
          CHECK(out.to_vector()[5] == result);
          return true;
        };
        CHECK(runs(checked, 0) == !wraps);
        CHECK(runs(checked, 2));
        if (wraps) {
          CHECK_FALSE(runs(checked, 1));
          CHECK(runs(unchecked, 0));
          CHECK(runs(numeric::grid(1), 0));
        }
      }
  }
}

} // namespace

TEST_CASE("a debug build refuses sums, differences and products that do not fit") {
  check<std::int32_t, operation::add>("the sum of two i32 does not fit");
  check<std::int32_t, operation::sub>("the difference of two i32 does not fit");
  check<std::int32_t, operation::mul>("the product of two i32 does not fit");
  check<std::int64_t, operation::add>("the sum of two i64 does not fit");
  check<std::int64_t, operation::sub>("the difference of two i64 does not fit");
  check<std::int64_t, operation::mul>("the product of two i64 does not fit");
  check<std::int8_t, operation::mul>("the product of two i8 does not fit");
}

TEST_CASE("a debug build lets unsigned integers wrap") {
  check<std::uint32_t, operation::add>("");
  check<std::uint32_t, operation::mul>("");
}
