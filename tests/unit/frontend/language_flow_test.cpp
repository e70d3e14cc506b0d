// SPDX-License-Identifier: MIT
// Loops, branches and exits, run on every device: the values that C++ would compute.
#include "devices.hpp"

#include <array>
#include <tuple>

namespace {

using on_devices::check;
using on_devices::holding;

std::vector<int> iota(int n, int first = 1) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i)
    v[i] = first + i;
  return v;
}

constexpr auto sum_over_steps =
    tl::kernel{[](tl::ptr<std::int32_t> out, tl::ptr<const std::int32_t> x, tl::i32 lo, tl::i32 hi,
                  tl::i32 step) {
      tl::i32 sum = 0, iterations = 0;
      for (auto i : tl::range(lo, hi, step)) {
        sum += tl::load(x + i);
        iterations += 1;
      }
      tl::store(out, sum);
      tl::store(out + 1, iterations);
    }};

TEST_CASE("a step whose sign is known only when running counts up, down, or not at all") {
  struct row {
    int lo, hi, step, sum, iterations;
  };
  for (row r :
       {row{88, -1, -8, 540, 12}, row{5, 10, -3, 0, 0}, row{0, 97, 1, 4753, 97},
        row{3, 4, 100, 4, 1}, row{0, 10, 0, 0, 0}, row{10, 0, 1, 0, 0}, row{0, 9, 4, 15, 3}}) {
    CAPTURE(r.step);
    check<int>({r.sum, r.iterations}, [&](tl::device dev, tl::buffer<int> &out) {
      sum_over_steps[tl::grid(1)](out, holding(dev, iota(97)), r.lo, r.hi, r.step);
    });
  }
}

template <int Step>
constexpr auto known_step = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 lo, tl::i32 hi) {
  tl::i32 sum = 0, last = -1;
  for (auto i : tl::range(lo, hi, Step)) {
    sum += i;
    last = i;
  }
  tl::store(out, sum);
  tl::store(out + 1, last);
}};

TEST_CASE("a negative step that C++ knows counts down to, not including, the bound") {
  check<int>({540 - 12, 0}, [](tl::device, auto &out) { known_step<-8>[1](out, 88, -1); });
  check<int>({0, -1}, [](tl::device, auto &out) { known_step<-3>[1](out, 5, 10); });
  check<int>({10 + 7 + 4, 4}, [](tl::device, auto &out) { known_step<-3>[1](out, 10, 1); });
  check<int>({0 + 3 + 6 + 9, 9}, [](tl::device, auto &out) { known_step<3>[1](out, 0, 10); });
}

/// Iterations and the sum of the loop variable, for bounds near the ends of the type.
enum class exit { none, early, skip };
template <class T, class S, exit Exit>
constexpr auto rounds_and_sum = tl::kernel{
    [](tl::ptr<std::int64_t> out, tl::tensor<T> lower, tl::tensor<T> upper, tl::tensor<T> given) {
      tl::i64 iterations = 0, sum = 0;
      const auto loop = [&](const auto &step) {
        for (auto i : tl::range(lower, upper, step)) {
          if (Exit == exit::early)
            tl::break_if(iterations == 1000);
          if (Exit == exit::skip)
            tl::continue_if(iterations == -1);
          iterations += 1;
          sum += tl::cast<std::int64_t>(i);
        }
      };
      if constexpr (S::value == 0)
        loop(given);
      else
        loop(T(S::value));
      tl::store(out, iterations);
      tl::store(out + 1, sum);
    }};

template <class T, T Step> void check_bounds(T lower, T upper, T given = 1) {
  using step = std::integral_constant<T, Step>;
  CAPTURE(+lower);
  CAPTURE(+upper);
  const std::int64_t by = Step == 0 ? given : Step;
  std::int64_t iterations = 0, sum = 0;
  if (by != 0)
    for (std::int64_t i = lower; by > 0 ? i < upper : i > upper; i += by) {
      ++iterations;
      sum += i;
    }
  REQUIRE(iterations <= 1000);
  const std::vector<std::int64_t> expected{iterations, sum};
  check<std::int64_t>(expected, [&](tl::device, auto &out) {
    rounds_and_sum<T, step, exit::none>[1](out, lower, upper, given);
  });
  check<std::int64_t>(expected, [&](tl::device, auto &out) {
    rounds_and_sum<T, step, exit::early>[1](out, lower, upper, given);
  });
  check<std::int64_t>(expected, [&](tl::device, auto &out) {
    rounds_and_sum<T, step, exit::skip>[1](out, lower, upper, given);
  });
}

TEST_CASE("a loop ends where it should although its next value would wrap") {
  constexpr int most = 2147483647, least = -most - 1;
  check_bounds<std::int32_t, 100>(most - 247, most);
  check_bounds<std::int32_t, 1>(most - 3, most);
  check_bounds<std::int32_t, -3>(most, most - 10);
  check_bounds<std::int32_t, -3>(least + 10, least);
  check_bounds<std::int32_t, most>(least, most);
  check_bounds<std::int32_t, least>(most, least);
  check_bounds<std::int32_t, -1>(5, 5);
  for (int step : {most, least, 1 << 28, -(1 << 28), 0, 1, -1}) {
    check_bounds<std::int32_t, 0>(step > 1 ? least : most - 3, step < -1 ? least : most, step);
    check_bounds<std::int32_t, 0>(most, most - 3, step < -1 ? -2 : step);
  }
  check_bounds<std::int8_t, 0>(-100, 100, 1); // more iterations than the type's largest number
  check_bounds<std::int8_t, 0>(100, -100, -1);
  check_bounds<std::int8_t, 50>(-128, 127);
}

constexpr auto known_unsigned = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 one) {
  int at = 0;
  const auto count = [&](auto lower, auto upper, auto step) {
    tl::i32 iterations = 0;
    for ([[maybe_unused]] auto i : tl::range(lower, upper, step))
      iterations += one;
    tl::store(out + at++, iterations);
  };
  count(tl::u8(0), tl::u8(250), std::uint8_t(100));
  count(tl::u8(0), tl::u8(250), std::uint8_t(1));
  count(tl::u8(0), tl::u8(250), std::uint8_t(200));
  count(tl::u32(0), tl::u32(4294967295u), 1u << 30);
  count(tl::u32(4294967290u), tl::u32(4294967295u), 3000000000u);
}};

TEST_CASE("loops over unsigned numbers cover the upper half of the type") {
  check_bounds<std::uint8_t, 100>(0, 250);
  check_bounds<std::uint8_t, 1>(0, 255);
  check_bounds<std::uint8_t, 200>(10, 255);
  check_bounds<std::uint8_t, 0>(3, 255, 126);
  check_bounds<std::uint8_t, 0>(3, 255, 0);
  check_bounds<std::uint32_t, 100>(2147483000u, 2147484000u);
  check_bounds<std::uint32_t, 0>(0, 4294967295u, 1u << 31);
  check_bounds<std::uint32_t, 1>(7, 3);
  check<int>({3, 250, 2, 4, 1}, [](tl::device, auto &out) { known_unsigned[1](out, 1); });
}

constexpr auto flattened = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 ub) {
  tl::i32 acc = 0;
  for ([[maybe_unused]] auto i : tl::range(0, 4, 1, {.flatten = true}))
    for ([[maybe_unused]] auto j : tl::range(5, ub))
      acc += 1;
  tl::store(out, acc);
}};

TEST_CASE("an inner loop that is empty runs not once") {
  for (auto [ub, expected] : {std::pair(3, 0), std::pair(5, 0), std::pair(6, 4), std::pair(8, 12)})
    check<int>({expected}, [&](tl::device, auto &out) { flattened[1](out, ub); });
}

constexpr auto step_less_one = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 step, tl::u32 to) {
  tl::i32 iterations = 0;
  for ([[maybe_unused]] auto i : tl::range(0, 10, step - 1))
    iterations += 1;
  for ([[maybe_unused]] auto i : tl::range(0u, to, tl::cast<std::uint32_t>(step) - 1u))
    iterations += 100;
  tl::store(out, iterations);
}};

TEST_CASE(
    "a step that is 0 by specialisation gives no iterations, as one known only when running") {
  for (auto [step, expected] : {std::pair(1, 0), std::pair(2, 1010), std::pair(3, 505)})
    check<int>({expected},
               [&](tl::device, auto &out) { step_less_one[1](out, step, std::uint32_t(10)); });
}

constexpr auto overwritten = tl::kernel{[](tl::ptr<float> out, tl::i32 n) {
  tl::f32 d = 12;
  tl::tensor result = d;
  tl::f32 numerator = 1;
  for ([[maybe_unused]] auto i : tl::range(0, n))
    result = numerator / d;
  tl::store(out, result);
}};

TEST_CASE("a carried value that is overwritten depends on whether the loop ran") {
  for (int n : {0, 1, 2, 3})
    check<float>({n == 0 ? 12.0f : 1.0f / 12.0f},
                 [&](tl::device, auto &out) { overwritten[1](out, n); });
}

constexpr auto whiles = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 n) {
  tl::i32 i = n, count = 0;
  tl::while_([&] { return i; },
             [&] {
               i -= 1;
               count += 1;
             });
  tl::i32 up = 0;
  tl::while_([&] { return up < n; }, [&] { up += 2; });
  tl::i32 tested = 0;
  tl::while_(
      [&] {
        tested += 1; // the condition may assign too
        return tested < 4;
      },
      [&] { count += 10; });
  tl::store(out, count);
  tl::store(out + 1, up);
  tl::store(out + 2, tested);
}};

TEST_CASE("while loops on integers, that never start, and whose condition assigns") {
  for (int n : {0, 3, 8})
    check<int>({n + 30, (n + 1) / 2 * 2, 4}, [&](tl::device, auto &out) { whiles[1](out, n); });
}

constexpr auto exits =
    tl::kernel{[](tl::ptr<std::int32_t> out, tl::ptr<const std::int32_t> x, tl::i32 n) {
      auto pid = tl::program_id(0);
      tl::return_if(pid == 2);
      tl::i32 sum = 0, seen = 0;
      for (auto i : tl::range(0, n)) {
        tl::continue_if(i % 3 == 1);
        auto v = tl::load(x + i);
        seen += 1;
        tl::break_if(v > 5 + pid);
        sum += v;
        tl::continue_if(v == 4);
        sum += 100;
      }
      tl::store(out + pid * 2, sum);
      tl::store(out + pid * 2 + 1, seen);
    }};

TEST_CASE("return_if, break_if and continue_if are C++'s return, break and continue") {
  const auto x = iota(12);
  std::vector<int> expected;
  for (int pid = 0; pid < 4; ++pid) {
    int sum = 0, seen = 0;
    for (int i = 0; i < 12; ++i) {
      if (i % 3 == 1)
        continue;
      ++seen;
      if (x[i] > 5 + pid)
        break;
      sum += x[i];
      if (x[i] == 4)
        continue;
      sum += 100;
    }
    expected.insert(expected.end(), {pid == 2 ? -77 : sum, pid == 2 ? -77 : seen});
  }
  check<int>(expected, [&](tl::device dev, auto &out) { exits[4](out, holding(dev, x), 12); });
}

constexpr auto fibonacci = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 n) {
  std::array<tl::i32, 2> pair{0, 1};
  for ([[maybe_unused]] auto i : tl::range(0, n)) {
    tl::i32 next = pair[0] + pair[1];
    pair[0] = pair[1];
    pair[1] = next;
    tl::if_(pair[0] > 1000, [&] { std::swap(pair[0], pair[1]); });
  }
  tl::store(out, pair[0]);
}};

TEST_CASE("variables in arrays carry, and swap") {
  check<int>({55}, [](tl::device, auto &out) { fibonacci[1](out, 10); });
}

constexpr auto branches = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 n) {
  tl::i32 a = 1, b = 2, first;
  tl::if_(
      n > 0,
      [&] {
        a = 10;
        first = 5;
      },
      [&] {
        b = a + 20;
        first = 6;
      });
  auto [p, q] = tl::if_(n > 1, [&] { return std::pair(a, b); }, [&] { return std::pair(b, a); });
  tl::if_(n == 2, [&] { tl::if_(p > 0, [&] { q += 1000; }); });
  tl::store(out, p);
  tl::store(out + 1, q);
  tl::store(out + 2, first);
}};

TEST_CASE("branches carry assignments and return values") {
  check<int>({21, 1, 6}, [](tl::device, auto &out) { branches[1](out, 0); });
  check<int>({2, 10, 5}, [](tl::device, auto &out) { branches[1](out, 1); });
  check<int>({10, 1002, 5}, [](tl::device, auto &out) { branches[1](out, 2); });
}

constexpr auto branch_exits =
    tl::kernel{[](tl::ptr<std::int32_t> out, tl::ptr<const std::int32_t> x, tl::i32 n) {
      auto pid = tl::program_id(0);
      tl::i32 sum = 0, seen = 0;
      for (auto i : tl::range(0, n)) {
        auto v = tl::load(x + i);
        tl::if_(
            v % 2 == 0,
            [&] {
              sum += 1;
              tl::if_(v > 4, [&] {
                tl::continue_if(v == 6 + pid);
                sum += 10;
                tl::break_if(v > 7 + pid);
                sum += 100;
              });
              sum += 1000;
            },
            [&] {
              tl::continue_if(v == 3);
              sum += 10000;
            });
        seen += 1;
        tl::break_if(seen == 8);
        sum += 100000;
      }
      tl::store(out + pid * 2, sum);
      tl::store(out + pid * 2 + 1, seen);
    }};

TEST_CASE("break_if and continue_if leave loops from within branches") {
  const auto x = iota(14);
  std::vector<int> expected;
  for (int pid = 0; pid < 6; ++pid) {
    int sum = 0, seen = 0;
    for (int i = 0; i < 14; ++i) {
      const int v = x[i];
      if (v % 2 == 0) {
        sum += 1;
        if (v > 4) {
          if (v == 6 + pid)
            continue;
          sum += 10;
          if (v > 7 + pid)
            break;
          sum += 100;
        }
        sum += 1000;
      } else {
        if (v == 3)
          continue;
        sum += 10000;
      }
      seen += 1;
      if (seen == 8)
        break;
      sum += 100000;
    }
    expected.insert(expected.end(), {sum, seen});
  }
  check<int>(expected,
             [&](tl::device dev, auto &out) { branch_exits[6](out, holding(dev, x), 14); });
}

constexpr auto while_exits =
    tl::kernel{[](tl::ptr<std::int32_t> out, tl::ptr<const std::int32_t> x, tl::i32 n) {
      auto pid = tl::program_id(0);
      tl::i32 i = 0, sum = 0, tested = 0;
      tl::while_(
          [&] {
            tested += 1;
            return tl::load(x + i) < 12; // past the end of x after the last iteration
          },
          [&] {
            i += 1;
            tl::continue_if(i == 3);
            sum += i;
            tl::if_(i > 4 + pid, [&] {
              tl::break_if(i % 2 == 0);
              sum += 100;
            });
            tl::break_if(i == n);
            sum += 1000;
          });
      tl::store(out + pid * 3, i);
      tl::store(out + pid * 3 + 1, sum);
      tl::store(out + pid * 3 + 2, tested);
    }};

TEST_CASE("break_if and continue_if leave while loops") {
  for (int n : {1, 2, 7, 12}) {
    CAPTURE(n);
    const auto x = iota(12, 0);
    std::vector<int> expected;
    for (int pid = 0; pid < 9; ++pid) {
      int i = 0, sum = 0, tested = 0;
      while (++tested, x.at(i) < 12) {
        i += 1;
        if (i == 3)
          continue;
        sum += i;
        if (i > 4 + pid) {
          if (i % 2 == 0)
            break;
          sum += 100;
        }
        if (i == n)
          break;
        sum += 1000;
      }
      expected.insert(expected.end(), {i, sum, tested});
    }
    check<int>(expected,
               [&](tl::device dev, auto &out) { while_exits[9](out, holding(dev, x), n); });
  }
}

constexpr auto returns = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 n) {
  auto pid = tl::program_id(0);
  out += pid * 4;
  tl::i32 sum = 0;
  for (auto i : tl::range(0, n)) {
    for (auto j : tl::range(0, i)) {
      sum += j + 1;
      tl::store(out, sum);
      tl::return_if((i == pid) & (j == 2));
      tl::if_(sum > 30 * pid, [&] {
        tl::store(out + 1, sum);
        tl::return_if(pid % 2 == 1);
        sum += 1;
      });
    }
    tl::store(out + 2, i);
  }
  tl::if_(pid > 6, [&] {
    tl::i32 k = 0;
    tl::while_([&] { return k < 5; },
               [&] {
                 k += 1;
                 tl::store(out + 1, k);
                 tl::return_if(k == pid - 5);
               });
    tl::store(out + 2, 1000);
  });
  tl::store(out + 3, sum);
}};

TEST_CASE("return_if ends the program from within loops and branches") {
  const int n = 6;
  std::vector<int> expected;
  for (int pid = 0; pid < 12; ++pid) {
    std::array<int, 4> o{-77, -77, -77, -77};
    [&] {
      int sum = 0;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
          sum += j + 1;
          o[0] = sum;
          if (i == pid && j == 2)
            return;
          if (sum > 30 * pid) {
            o[1] = sum;
            if (pid % 2 == 1)
              return;
            sum += 1;
          }
        }
        o[2] = i;
      }
      if (pid > 6) {
        int k = 0;
        while (k < 5) {
          k += 1;
          o[1] = k;
          if (k == pid - 5)
            return;
        }
        o[2] = 1000;
      }
      o[3] = sum;
    }();
    expected.insert(expected.end(), o.begin(), o.end());
  }
  check<int>(expected, [&](tl::device, auto &out) { returns[12](out, n); });
}

constexpr auto chosen_tiles =
    tl::kernel{[](tl::descriptor<std::int32_t, 4, 4> x, tl::descriptor<std::int32_t, 4, 4> y,
                  tl::ptr<std::int32_t> out, tl::i32 n) {
      tl::i32 sum = 0;
      for (auto i : tl::range(0, n)) {
        sum = sum * 10 + tl::sum(x.load({0, 0})) / 16;
        tl::if_(i % 3 != 1, [&] { std::swap(x, y); });
        tl::break_if(i == 5);
      }
      auto last = tl::if_(n > 3, [&] { return x; }, [&] { return y; });
      tl::store(out, sum);
      tl::store(out + 1, tl::sum(last.load({0, 0})));
    }};

TEST_CASE("descriptors are swapped in branches, carried by loops that are left, and chosen") {
  for (int n : {1, 4, 9}) {
    int x = 1, y = 2, sum = 0;
    for (int i = 0; i < n; ++i) {
      sum = sum * 10 + x;
      if (i % 3 != 1)
        std::swap(x, y);
      if (i == 5)
        break;
    }
    check<int>({sum, 16 * (n > 3 ? x : y)}, [&](tl::device dev, auto &out) {
      auto ones = holding(dev, std::vector<int>(16, 1));
      auto twos = holding(dev, std::vector<int>(16, 2));
      chosen_tiles[1](tl::tensor_descriptor<int, 4, 4>(ones, {4, 4}),
                      tl::tensor_descriptor<int, 4, 4>(twos, {4, 4}), out, n);
    });
  }
}

} // namespace
