// SPDX-License-Identifier: MIT
//
// Loops, branches and what they carry.

#include "sweep.hpp"

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

constexpr auto sum_of_range =
    tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 low, tl::i32 high, tl::i32 step) {
      tl::tensor total = tl::zeros<std::int32_t>();
      tl::tensor count = tl::zeros<std::int32_t>();
      for (auto i : tl::range(low, high, step)) {
        total += i;
        count += 1;
      }
      tl::store(out, total);
      tl::store(out + 1, count);
    }};

/// Bounds that are known, or become so where an argument is 1, and lie further apart than the
/// largest number.
constexpr auto far_apart = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 one) {
  tl::tensor up = tl::zeros<std::int32_t>(), down = up, found = up;
  for ([[maybe_unused]] auto i : tl::range(-2000000000, 2000000000, 1000000000))
    up += 1;
  for ([[maybe_unused]] auto i : tl::range(2000000000, -2000000000, -1000000000))
    down += 1;
  for ([[maybe_unused]] auto i : tl::range(one - 2147483647, one * 2147483000, one * 1000000000))
    found += 1;
  tl::store(out, up);
  tl::store(out + 1, down);
  tl::store(out + 2, found);
}};

constexpr auto count_down = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 high) {
  tl::tensor digits = tl::zeros<std::int32_t>();
  for (auto i : tl::range(high, 0, -2))
    digits = digits * 10 + i;
  tl::store(out, digits);
}};

constexpr auto nested = tl::kernel{[](tl::ptr<float> out, tl::i32 rows, tl::i32 columns) {
  auto at = tl::arange<16>();
  tl::tensor total = tl::zeros<float, 16>();
  tl::tensor last = tl::full<float, 16>(-1.0f);
  for (auto r : tl::range(0, rows)) {
    tl::tensor row = tl::zeros<float, 16>();
    for (auto c : tl::range(0, columns)) {
      row += tl::cast<float>(at * c);
      tl::if_(c == r, [&] { last = row; });
    }
    total += row * tl::cast<float>(r + 1);
  }
  tl::store(out + at, total);
  tl::store(out + 16 + at, last);
}};

constexpr auto swaps = tl::kernel{[](tl::ptr<float> x, tl::ptr<float> y, tl::i32 times) {
  auto at = tl::arange<32>();
  tl::tensor a = tl::load(x + at), b = tl::load(y + at);
  for ([[maybe_unused]] auto i : tl::range(0, times)) {
    tl::tensor t = a;
    a = b;
    b = t;
  }
  tl::store(x + at, a);
  tl::store(y + at, b);
}};

/// Masks of columns beside a number that is another one in each iteration.
constexpr auto compare_columns =
    tl::kernel{[](tl::ptr<const std::int32_t> numbers, tl::ptr<std::int32_t> out, tl::i32 count) {
      auto column = tl::arange<4096>();
      tl::tensor seen = tl::zeros<std::int32_t, 4096>();
      for (auto i : tl::range(0, count)) {
        tl::tensor number = tl::load(numbers + i);
        auto mask = tl::where(column <= number, 1, 0) + tl::where(column < number, 2, 0) +
                    tl::where(number < column, 4, 0) + tl::where(number <= column, 8, 0);
        seen = seen * 31 + mask;
      }
      tl::store(out + column, seen);
    }};

constexpr auto collatz = tl::kernel{[](tl::ptr<std::int32_t> x) {
  auto p = x + tl::program_id(0);
  tl::i32 n = tl::load(p);
  tl::i32 steps = 0;
  tl::while_([&] { return n > 1; },
             [&] {
               tl::if_(n % 2 == 0, [&] { n = n / 2; }, [&] { n = n * 3 + 1; });
               steps += 1;
             });
  tl::store(p, steps);
}};

constexpr auto early_return = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
  tl::return_if(tl::program_id(0) >= n);
  tl::store(x + tl::program_id(0), 1);
}};

constexpr auto value_of_if = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<8>();
  tl::tensor a = tl::load(x + at);
  auto z = tl::if_(tl::program_id(0) == 0, [&] { return a; }, [&] { return a * 10.0f; });
  tl::store(x + 8 + tl::program_id(0) * 8 + at, z);
}};

constexpr auto unrolled = tl::kernel{[](tl::ptr<std::int32_t> x) {
  tl::i32 total = 0;
  tl::static_for<4>([&](auto i) { total += 1 << i; });
  for (int i = 0; i < 3; ++i)
    total += 100;
  tl::store(x, total);
}};

/// A table of indices is read in a loop with some iterations in flight; stores depend on what it
/// says.
template <int Stages>
constexpr auto scattered_by_table = tl::kernel{
    [](tl::ptr<const std::int32_t> table, tl::ptr<std::int32_t> out, tl::i32 n, tl::i32 flag) {
      for (auto i : tl::range(0, n, 1, {.num_stages = Stages})) {
        auto place = tl::load(table + i + tl::arange<1>());
        tl::if_(flag == 1, [&] { tl::store(out + place, i + 1); });
      }
    }};

template <int Stages> void check_scattered_by_table() {
  for (int flag : {1, 0})
    for (tl::device dev : tl::testing::devices()) {
      INFO(Stages << " stages, flag " << flag);
      std::vector<std::int32_t> places(17), want(17, -1);
      for (int i = 0; i < 17; ++i) {
        places[std::size_t(i)] = i;
        if (flag == 1)
          want[std::size_t(i)] = i + 1;
      }
      tl::buffer<std::int32_t> table(dev, places), out(dev, std::vector<std::int32_t>(17, -1));
      numeric::seen(scattered_by_table<Stages>[numeric::grid(1)](table, out, 17, flag));
      CHECK(allclose(out, want));
    }
}

/// Rows of 48 columns in tiles of 4 x 64; what does not exist is 3.
template <int Stages>
constexpr auto sum_of_rows =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 rows, tl::i32 columns) {
      auto at = tl::arange<64>();
      tl::tensor sum = tl::zeros<float, 64>();
      for (auto i : tl::range(0, rows, 4, {.num_stages = Stages})) {
        auto row = (i + tl::arange<4>())(tl::all, tl::newaxis);
        auto column = at(tl::newaxis, tl::all);
        auto exists = (row < rows) & (column < columns);
        sum += tl::sum<0>(tl::load(x + row * columns + column, exists, 3.0f));
      }
      tl::store(out + at, sum);
    }};

/// Each iteration reads what the one before has written.
template <int Stages>
constexpr auto row_after_row = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
  auto at = tl::arange<256>();
  for (auto i : tl::range(0, n, 1, {.num_stages = Stages}))
    tl::store(x + (i + 1) * 256 + at, tl::load(x + i * 256 + at) + 1.0f);
}};

template <int Stages> void check_rows() {
  constexpr int columns = 48;
  for (tl::device dev : tl::testing::devices())
    for (int rows : {0, 1, 4, 7, 8, 13, 32}) {
      INFO(Stages << " stages, " << rows << " rows");
      std::vector<float> host(32 * columns), want(64, 3.0f * float((rows + 3) / 4 * 4));
      for (std::size_t i = 0; i < host.size(); ++i)
        host[i] = float(i % 19) - 7.0f;
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
          want[std::size_t(c)] += host[std::size_t(r * columns + c)] - 3.0f;
      tl::buffer<float> x(dev, host);
      guarded_buffer<float> out(dev, 64);
      numeric::seen(sum_of_rows<Stages>[numeric::grid(1)](x, out, rows, columns));
      CHECK(allclose(out, want));

      std::vector<float> steps(std::size_t(rows + 1) * 256);
      tl::buffer<float> y(dev, steps);
      for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i] = float(i / 256);
      numeric::seen(row_after_row<Stages>[numeric::grid(1)](y, rows));
      CHECK(allclose(y, steps));
    }
}

/// What the last iteration leaves, or what was there before if there is none.
constexpr auto overwritten = tl::kernel{[](tl::ptr<float> out, tl::i32 n) {
  tl::tensor d = tl::full<float, 8, 8>(12.0f), numerator = tl::full<float, 8, 8>(1.0f), last = d;
  for ([[maybe_unused]] auto i : tl::range(0, n))
    last = tl::div_rn(numerator, d);
  tl::store(out + tl::arange<8>()(tl::all, tl::newaxis) * 8 + tl::arange<8>()(tl::newaxis, tl::all),
            last);
}};

constexpr auto flattened = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 end) {
  tl::i32 iterations = 0;
  for ([[maybe_unused]] auto i : tl::range(0, 4, 1, {.flatten = true}))
    for ([[maybe_unused]] auto j : tl::range(5, end))
      iterations += 1;
  tl::store(out, iterations);
}};

constexpr auto while_integer = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 n) {
  tl::i32 left = tl::program_id(0), count = 0, up = 0;
  tl::while_([&] { return left; },
             [&] {
               left -= 1;
               count += 1;
             });
  tl::while_([&] { return up < n; }, [&] { up += 1; });
  tl::store(out + tl::program_id(0) * 2, count);
  tl::store(out + tl::program_id(0) * 2 + 1, up);
}};

} // namespace

TEST_CASE("a loop over a range does what a C++ loop does") {
  struct bounds {
    int low, high, step;
  };
  for (auto [low, high, step] : {bounds{0, 10, 1},
                                 {3, 20, 4},
                                 {0, 0, 1},
                                 {5, 3, 2},
                                 {-7, 8, 3},
                                 {0, 1, 100},
                                 {0, 1000, 7}}) {
    int total = 0, count = 0;
    for (int i = low; i < high; i += step) {
      total += i;
      ++count;
    }
    for (tl::device dev : tl::testing::devices()) {
      INFO("from " << low << " to " << high << " by " << step);
      guarded_buffer<std::int32_t> out(dev, 2);
      numeric::seen(sum_of_range[numeric::grid(1)](out, low, high, step));
      CHECK(allclose(out, std::vector<std::int32_t>{total, count}));
    }
  }
}

TEST_CASE("a loop between numbers that are far apart has its iterations") {
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<std::int32_t> out(dev, 3);
    numeric::seen(far_apart[numeric::grid(1)](out, 1));
    CHECK(allclose(out, std::vector<std::int32_t>{4, 4, 5}));
  }
}

TEST_CASE("a negative constant step counts down") {
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<std::int32_t> out(dev, 1);
    numeric::seen(count_down[numeric::grid(1)](out, 8));
    CHECK(allclose(out, std::vector<std::int32_t>{8642}));
  }
}

TEST_CASE("loops and branches nest, and inner assignments are carried outwards") {
  const int rows = 5, columns = 7;
  std::vector<float> want(32);
  for (int i = 0; i < 16; ++i) {
    float total = 0, last = -1;
    for (int r = 0; r < rows; ++r) {
      float row = 0;
      for (int c = 0; c < columns; ++c) {
        row += float(i * c);
        if (c == r)
          last = row;
      }
      total += row * float(r + 1);
    }
    want[std::size_t(i)] = total;
    want[std::size_t(16 + i)] = last;
  }
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<float> out(dev, 32);
    numeric::seen(nested[numeric::grid(1)](out, rows, columns));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("two carried tensors that are swapped stay apart") {
  const auto first = tl::testing::random_values<float>(32);
  const auto second = tl::testing::random_values<float>(32);
  for (int times : {0, 1, 2, 7})
    for (tl::device dev : tl::testing::devices()) {
      tl::buffer<float> x(dev, first), y(dev, second);
      numeric::seen(swaps[numeric::grid(1)](x, y, times));
      CHECK(allclose(x, times % 2 ? second : first));
      CHECK(allclose(y, times % 2 ? first : second));
    }
}

TEST_CASE(
    "columns are compared with numbers of any size, which change from iteration to iteration") {
  const std::int32_t least = INT32_MIN, largest = INT32_MAX;
  const std::vector<std::int32_t> numbers{
      0,    1,     7,       8,           100,           4095,         4096,
      -1,   -2,    -4095,   least,       least + 1,     least + 4096, 3,
      4097, 65536, largest, largest - 1, largest - 4096};
  std::vector<std::int32_t> want(4096);
  for (std::int32_t column = 0; column < 4096; ++column) {
    std::uint32_t seen = 0;
    for (std::int32_t number : numbers)
      seen = seen * 31 + unsigned(column <= number) + unsigned(column < number) * 2 +
             unsigned(number < column) * 4 + unsigned(number <= column) * 8;
    want[std::size_t(column)] = std::int32_t(seen);
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, numbers);
    guarded_buffer<std::int32_t> out(dev, 4096);
    numeric::seen(compare_columns[numeric::grid(1)](x, out, int(numbers.size())));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("a while loop runs until its condition fails") {
  const std::vector<std::int32_t> starts{1, 2, 3, 6, 7, 27, 97, 0};
  std::vector<std::int32_t> want;
  for (std::int32_t n : starts) {
    std::int32_t steps = 0;
    for (; n > 1; ++steps)
      n = n % 2 == 0 ? n / 2 : n * 3 + 1;
    want.push_back(steps);
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, starts);
    numeric::seen(collatz[numeric::grid(starts.size())](x));
    CHECK(allclose(x, want));
  }
}

TEST_CASE("a program that returns early stores nothing") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, std::vector<std::int32_t>(8, 0));
    numeric::seen(early_return[numeric::grid(8)](x, 3));
    CHECK(allclose(x, std::vector<std::int32_t>{1, 1, 1, 0, 0, 0, 0, 0}));
  }
}

TEST_CASE("a branch gives a value") {
  std::vector<float> host(24, 0.0f), want(24);
  for (int i = 0; i < 8; ++i) {
    host[std::size_t(i)] = want[std::size_t(i)] = want[std::size_t(8 + i)] = float(i);
    want[std::size_t(16 + i)] = 10.0f * float(i);
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    numeric::seen(value_of_if[numeric::grid(2)](x));
    CHECK(allclose(x, want));
  }
}

TEST_CASE("static_for and a plain for are unrolled") {
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<std::int32_t> out(dev, 1);
    numeric::seen(unrolled[numeric::grid(1)](out));
    CHECK(allclose(out, std::vector<std::int32_t>{15 + 300}));
  }
}

TEST_CASE("a table that is read ahead says where each iteration stores") {
  check_scattered_by_table<1>();
  check_scattered_by_table<2>();
  check_scattered_by_table<3>();
  check_scattered_by_table<4>();
}

TEST_CASE("a loop without products that has stages finds what it would find without") {
  check_rows<1>();
  check_rows<2>();
  check_rows<3>();
  check_rows<5>();
}

TEST_CASE("a tensor that each iteration overwrites depends on whether there was one") {
  for (int n : {0, 1, 2, 3})
    for (tl::device dev : tl::testing::devices()) {
      INFO(n << " rounds");
      guarded_buffer<float> out(dev, 64);
      numeric::seen(overwritten[numeric::grid(1)](out, n));
      CHECK(allclose(out, std::vector<float>(64, n == 0 ? 12.0f : 1.0f / 12.0f)));
    }
}

TEST_CASE("an inner loop without iterations runs not once, flattened or not") {
  for (auto [end, want] : {std::pair(3, 0), {5, 0}, {6, 4}, {8, 12}})
    for (tl::device dev : tl::testing::devices()) {
      INFO("from 5 to " << end);
      guarded_buffer<std::int32_t> out(dev, 1);
      numeric::seen(flattened[numeric::grid(1)](out, end));
      CHECK(allclose(out, std::vector<std::int32_t>{want}));
    }
}

TEST_CASE("an integer is a condition, and a condition may be false at once") {
  for (int n : {0, 3})
    for (tl::device dev : tl::testing::devices()) {
      std::vector<std::int32_t> want;
      for (int program = 0; program < 10; ++program)
        want.insert(want.end(), {program, n});
      guarded_buffer<std::int32_t> out(dev, 20);
      numeric::seen(while_integer[numeric::grid(10)](out, n));
      CHECK(allclose(out, want));
    }
}
