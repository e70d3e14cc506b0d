// SPDX-License-Identifier: MIT
//
// Ranges, constants and program ids.

#include "sweep.hpp"

#include <algorithm>

namespace {

template <int Start, int End>
constexpr auto write_range = tl::kernel{[](tl::ptr<std::int32_t> out) {
  tl::store(out + tl::arange<Start, End>() - Start, tl::arange<Start, End>());
}};

template <int Start, int End> void check_range() {
  std::vector<std::int32_t> want;
  for (int i = Start; i < End; ++i)
    want.push_back(i);
  const tl::launch_options options = numeric::grid(1);
  for (tl::device dev : tl::testing::devices()) {
    tl::testing::guarded_buffer<std::int32_t> out(dev, End - Start);
    numeric::seen(write_range<Start, End>[options](out));
    CHECK(tl::testing::allclose(out, want));
    CHECK(out.intact());
  }
}

template <class T>
constexpr auto write_constants = tl::kernel{[](tl::ptr<T> out, tl::i32 value) {
  auto at = tl::arange<8>();
  tl::store(out + at, tl::zeros<T, 8>());
  tl::store(out + 8 + at, tl::full<T, 8>(3));
  tl::store(out + 16 + at, tl::full<T, 8>(value));
  tl::store(out + 24 + at, tl::zeros_like(tl::full<T, 8>(1)));
}};

constexpr auto write_ids = tl::kernel{[](tl::ptr<std::int32_t> out) {
  auto x = tl::program_id(0), y = tl::program_id(1), z = tl::program_id(2);
  auto nx = tl::num_programs(0), ny = tl::num_programs(1), nz = tl::num_programs(2);
  tl::tensor at = ((z * ny + y) * nx + x) * 2;
  tl::store(out + at, x + 10 * y + 100 * z);
  tl::store(out + at + 1, nx + 10 * ny + 100 * nz);
}};

} // namespace

TEST_CASE("a range counts from its start up to its end") {
  check_range<0, 1>();
  check_range<0, 128>();
  check_range<5, 21>();
  check_range<-8, 8>();
  check_range<0, 65536>();
}

TEST_CASE_TEMPLATE("constants fill every element", T, float, double, tl::float16, tl::bfloat16,
                   std::int8_t, std::int64_t, std::uint16_t) {
  std::vector<T> want;
  for (int value : {0, 3, 7, 0})
    want.insert(want.end(), 8, T(value));
  for (tl::device dev : tl::testing::devices()) {
    tl::testing::guarded_buffer<T> out(dev, 32);
    numeric::seen(write_constants<T>[numeric::grid(1)](out, 7));
    CHECK(tl::testing::allclose(out, want));
    CHECK(out.intact());
  }
}

TEST_CASE("each program knows its place in the grid and the grid's extents") {
  std::vector<std::int32_t> want;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x) {
        want.push_back(x + 10 * y + 100 * z);
        want.push_back(3 + 10 * 4 + 100 * 2);
      }
  for (tl::device dev : tl::testing::devices()) {
    tl::testing::guarded_buffer<std::int32_t> out(dev, want.size());
    numeric::seen(write_ids[numeric::grid(3, 4, 2)](out));
    CHECK(tl::testing::allclose(out, want));
    CHECK(out.intact());
  }
}
