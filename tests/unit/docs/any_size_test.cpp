// SPDX-License-Identifier: MIT
//
// The code of docs/how_to/use_blocks_of_any_size.md.

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

// [unit_rows]
template <int Rows, int Size>
constexpr auto unit_rows = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto row = tl::program_id(0) * Rows + tl::arange<Rows>();
  auto at = row(tl::all, tl::newaxis) * Size + tl::arange<Size>()(tl::newaxis, tl::all);
  tl::tensor v = tl::load(x + at);
  tl::tensor length = tl::sqrt(tl::sum<1, tl::keep_dims>(v * v));
  tl::store(out + at, v / length);
}};
// [unit_rows]

} // namespace

TEST_CASE("docs: rows of 80 elements need no mask") {
  const auto host = tl::testing::random_values<float>(6 * 80, {1, 2});
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    tl::testing::guarded_buffer<float> out(dev, host.size());
    // [launch]
    unit_rows<3, 80>[tl::grid(2)](x, out);
    // [launch]
    std::vector<float> want = host;
    for (std::size_t row = 0; row < 6; ++row) {
      double squares = 0;
      for (std::size_t i = 0; i < 80; ++i)
        squares += double(host[row * 80 + i]) * host[row * 80 + i];
      for (std::size_t i = 0; i < 80; ++i)
        want[row * 80 + i] = float(host[row * 80 + i] / std::sqrt(squares));
    }
    CHECK(tl::testing::allclose(out, want, {.rtol = 1e-6}));
    CHECK(out.intact());
  }
}
