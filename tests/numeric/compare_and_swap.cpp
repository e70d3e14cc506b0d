// SPDX-License-Identifier: MIT
//
// tl::atomic_cas of blocks: where the mask is true each lane takes its slot if that is free.

#include "sweep.hpp"

namespace {

using tl::testing::allclose;

/// Even lanes below n put their number plus 1 into their slot if it holds 0.
template <class T>
constexpr auto claim = tl::kernel{[](tl::ptr<T> slots, tl::ptr<T> found, tl::i32 n) {
  auto at = tl::program_id(0) * 64 + tl::arange<64>();
  auto mask = (at < n) & (at % 2 == 0);
  auto value = tl::cast<T>(at + 1);
  tl::store(found + at, tl::atomic_cas(slots + at, T(0), value, mask), mask);
}};

/// All lanes want the same slot: one of those whose mask is true gets it.
constexpr auto elect = tl::kernel{[](tl::ptr<std::int32_t> slot, tl::ptr<std::int32_t> winners) {
  auto at = tl::arange<128>();
  auto mask = at >= 100;
  auto seen = tl::atomic_cas(slot + at * 0, -1, at, mask, {.sem = tl::sem::relaxed});
  tl::atomic_add(winners, tl::sum(tl::cast<std::int32_t>(mask & (seen == -1))));
}};

/// A scalar under a scalar mask.
constexpr auto one_of = tl::kernel{[](tl::ptr<std::int32_t> slot, tl::i32 chosen) {
  auto me = tl::program_id(0);
  tl::atomic_cas(slot, -1, me, me == chosen);
}};

} // namespace

TEST_CASE_TEMPLATE("a compare and swap touches the lanes alone whose mask is true", T, std::int16_t,
                   std::int32_t, std::uint64_t, float, double, tl::float16) {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    for (int n : {1, 63, 100, 128}) {
      std::vector<T> start(std::size_t(n), T(0)), slots, found;
      for (std::size_t i = 0; i < start.size(); i += 3)
        start[i] = T(7);
      for (std::size_t i = 0; i < start.size(); ++i) {
        const bool takes = i % 2 == 0 && float(start[i]) == 0;
        slots.push_back(takes ? T(int(i) + 1) : start[i]);
        found.push_back(i % 2 == 0 ? start[i] : T(9));
      }
      tl::buffer<T> memory(dev, start); // the interpreter reports accesses past it
      tl::buffer<T> out(dev, std::vector<T>(128, T(9)));
      numeric::seen(claim<T>[numeric::grid(2)](memory, out, n));
      found.resize(128, T(9));
      CHECK(allclose(memory, slots));
      CHECK(allclose(out, found));
    }
  }
}

TEST_CASE("of lanes that want one slot one gets it, and none whose mask is false") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<std::int32_t> slot(dev, std::vector<std::int32_t>{-1});
    tl::buffer<std::int32_t> winners(dev, std::vector<std::int32_t>{0});
    numeric::seen(elect[numeric::grid(1)](slot, winners));
    CHECK(winners.to_vector()[0] == 1);
    CHECK(slot.to_vector()[0] >= 100);
  }
}

TEST_CASE("a scalar compare and swap has a scalar mask") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<std::int32_t> slot(dev, std::vector<std::int32_t>{-1});
    numeric::seen(one_of[numeric::grid(16)](slot, 11));
    CHECK(slot.to_vector()[0] == 11);
  }
}
