// SPDX-License-Identifier: MIT
//
// Reductions of whole blocks, with axes kept and with a type of the result.

#include "sweep.hpp"

#include <algorithm>
#include <numeric>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

auto places() {
  return tl::arange<4>()(tl::all, tl::newaxis) * 16 + tl::arange<16>()(tl::newaxis, tl::all);
}

template <class X> void check_one_element() {
  static_assert(std::is_same_v<typename X::shape_type, tl::shape<1, 1>>);
}

constexpr auto whole_integers =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out) {
      tl::tensor v = tl::load(x + places());
      tl::store(out, tl::sum(v));
      auto kept = tl::sum<tl::keep_dims>(v);
      check_one_element<decltype(kept)>();
      tl::store(out + 1 + tl::zeros_like(kept), kept);
      tl::store(out + 2, tl::max(v));
      tl::store(out + 3, tl::squeeze<0>(tl::squeeze<0>(tl::min<tl::keep_dims>(v))));
      tl::store(out + 4, tl::xor_sum(v));
      tl::store(out + 5, tl::sum<0>(tl::ravel(tl::reduce_or<tl::keep_dims>(v))));
      tl::store(out + 6, tl::argmax(v));
      auto [low, at] = tl::min_with_index<tl::keep_dims>(v);
      check_one_element<decltype(low)>();
      tl::store(out + 7 + tl::zeros_like(at), low);
      tl::store(out + 8 + tl::zeros_like(at), at);
      tl::store(out + 9, tl::argmin(v, {.tie_break_left = true}));
      auto [sum, largest] = tl::reduce(std::tuple(v, v), [](auto a, auto b, auto c, auto d) {
        return std::tuple(a + c, tl::maximum(b, d));
      });
      tl::store(out + 10, sum);
      tl::store(out + 11, largest);
      auto xors = tl::reduce<tl::keep_dims>(v, [](auto a, auto b) { return a ^ b; });
      check_one_element<decltype(xors)>();
      tl::store(out + 12 + tl::zeros_like(at), xors);
      tl::store(out + 13, tl::cast<std::int32_t>(tl::sum<std::int64_t>(v) >> 16));
      auto wide = tl::sum<std::int64_t, tl::keep_dims>(v);
      check_one_element<decltype(wide)>();
      tl::store(out + 14 + tl::zeros_like(at), tl::cast<std::int32_t>(wide >> 16));
    }};

} // namespace

TEST_CASE("a whole block is reduced to one element") {
  auto host = tl::testing::random_values<std::int32_t>(64, {-1000000000, 1000000000});
  host[9] = host[40] = 1000000001; // the first of equals is meant
  host[50] = host[61] = -1000000001;
  const std::int64_t sum = std::accumulate(host.begin(), host.end(), std::int64_t(0));
  std::int32_t exclusive = 0, either = 0;
  for (std::int32_t value : host)
    exclusive ^= value, either |= value;
  const auto low = std::int32_t(sum), high = std::int32_t(sum >> 16);
  const std::vector<std::int32_t> want{low,    low,        1000000001,  -1000000001, exclusive,
                                       either, 9,          -1000000001, 50,          50,
                                       low,    1000000001, exclusive,   high,        high};
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, host);
    guarded_buffer<std::int32_t> out(dev, want.size());
    numeric::seen(whole_integers[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}
