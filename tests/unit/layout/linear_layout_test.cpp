// SPDX-License-Identifier: MIT
//
// The algebra of LinearLayout: the worked example of its header, and properties on random layouts.
#include "layout/LinearLayout.h"

#include <doctest/doctest.h>
#include <random>

using namespace tl::backend;

namespace {

/// Lane l holds row l of a 4x4 tensor: the example of LinearLayout.h.
LinearLayout rowPerLane() {
  return LinearLayout::identity("register", "dim1", 2) * LinearLayout::identity("lane", "dim0", 2);
}

/// A random map of the given bits, over two inputs and two outputs.
LinearLayout randomLayout(std::mt19937_64 &random, unsigned inA, unsigned inB, unsigned outA,
                          unsigned outB) {
  uint64_t mask = (uint64_t(1) << (outA + outB)) - 1;
  auto images = [&](unsigned bits) {
    std::vector<uint64_t> result;
    for (unsigned bit = 0; bit < bits; ++bit)
      result.push_back(random() & mask);
    return result;
  };
  return LinearLayout({{"register", images(inA)}, {"lane", images(inB)}},
                      {{"dim1", outA}, {"dim0", outB}});
}

LinearLayout randomBijection(std::mt19937_64 &random, unsigned inA, unsigned inB) {
  for (;;) {
    LinearLayout layout = randomLayout(random, inA, inB, inB, inA);
    if (layout.isBijective())
      return layout;
  }
}

uint64_t coordinate(const LinearLayout::Index &index, const std::string &name) {
  for (const auto &[dim, value] : index)
    if (dim == name)
      return value;
  FAIL("no dimension ", name);
  return 0;
}

} // namespace

TEST_CASE("the worked example of the header holds") {
  LinearLayout layout = rowPerLane();
  auto at = layout.apply({{"register", 3}, {"lane", 2}});
  CHECK(coordinate(at, "dim0") == 2);
  CHECK(coordinate(at, "dim1") == 3);
  CHECK(layout.toString() == "register: (0,1) (0,2); lane: (1,0) (2,0)");

  LinearLayout swizzled({{"offset", {1, 2, 4 | 1, 8 | 2}}}, {{"dim1", 2}, {"dim0", 2}});
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 4; ++column) {
      auto element = swizzled.apply({{"offset", 4 * row + column}});
      CHECK(coordinate(element, "dim0") == row);
      CHECK(coordinate(element, "dim1") == (column ^ row));
    }
}

TEST_CASE("a product puts the second layout above the first") {
  LinearLayout two = LinearLayout::identity("register", "dim0", 1) *
                     LinearLayout::identity("lane", "dim0", 2) *
                     LinearLayout::identity("register", "dim0", 1);
  CHECK(two.toString() == "register: (1) (8); lane: (2) (4)");
  CHECK(LinearLayout() * two == two);
  CHECK(two * LinearLayout() == two);
}

TEST_CASE("zeros broadcast and are found as free bits") {
  LinearLayout layout =
      LinearLayout::identity("register", "dim0", 2) * LinearLayout::zeros("lane", "dim0", 3);
  CHECK_FALSE(layout.isInjective());
  CHECK(layout.isSurjective());
  auto free = layout.freeBits();
  REQUIRE(free.size() == 2);
  CHECK(free[0] == std::pair<std::string, uint64_t>("register", 0));
  CHECK(free[1] == std::pair<std::string, uint64_t>("lane", 7));
  CHECK_FALSE(layout.invert());
  auto back = layout.rightInverse();
  REQUIRE(back);
  CHECK(back->sublayoutIsZero({"dim0"}, {"lane"}));
}

TEST_CASE("apply is linear, and compose is apply after apply") {
  std::mt19937_64 random(1);
  for (int iteration = 0; iteration < 200; ++iteration) {
    LinearLayout f = randomLayout(random, random() % 4, random() % 4, 3, 2);
    LinearLayout g({{"dim0", {random() & 15, random() & 15}},
                    {"dim1", {random() & 15, random() & 15, random() & 15}}},
                   {{"x", 4}});
    LinearLayout composed = f.compose(g);
    for (uint64_t a = 0; a < uint64_t(1) << f.inBits(); ++a) {
      uint64_t b = random() & ((uint64_t(1) << f.inBits()) - 1);
      CHECK(f.apply(a ^ b) == (f.apply(a) ^ f.apply(b)));
      uint64_t middle = f.apply(a); // dim1 low, dim0 high
      CHECK(composed.apply(a) == g.apply((middle >> 3) | (middle & 7) << 2));
    }
  }
}

TEST_CASE("the inverse of a bijection undoes it on both sides") {
  std::mt19937_64 random(2);
  for (int iteration = 0; iteration < 200; ++iteration) {
    LinearLayout f = randomBijection(random, random() % 4, 1 + random() % 4);
    auto back = f.invert();
    REQUIRE(back);
    for (uint64_t a = 0; a < uint64_t(1) << f.inBits(); ++a)
      CHECK(back->apply(f.apply(a)) == a);
    auto again = back->invert();
    REQUIRE(again);
    CHECK(*again == f);
  }
}

TEST_CASE("a right inverse of a surjection finds a holder of each element") {
  std::mt19937_64 random(3);
  int surjections = 0;
  while (surjections < 100) {
    LinearLayout f = randomLayout(random, 4, 3, 2, 3);
    auto back = f.rightInverse();
    CHECK(back.has_value() == f.isSurjective());
    if (!back)
      continue;
    ++surjections;
    for (uint64_t element = 0; element < 32; ++element)
      CHECK(f.apply(back->apply(element)) == element);
  }
}

TEST_CASE("a conversion finds where the other layout holds the element") {
  std::mt19937_64 random(4);
  for (int iteration = 0; iteration < 100; ++iteration) {
    LinearLayout from = randomBijection(random, 3, 3), to = randomBijection(random, 3, 3);
    auto sources = to.convertTo(from);
    REQUIRE(sources);
    for (uint64_t place = 0; place < 64; ++place)
      CHECK(from.apply(sources->apply(place)) == to.apply(place));
  }
}

TEST_CASE("division undoes a product and refuses what is no multiple") {
  LinearLayout tile = rowPerLane();
  LinearLayout repeat =
      LinearLayout::identity("register", "dim1", 1) * LinearLayout::identity("warp", "dim0", 2);
  auto quotient = (tile * repeat).divideLeft(tile);
  REQUIRE(quotient);
  CHECK(quotient->equivalent(repeat));
  CHECK_FALSE(tile.divideLeft(tile * repeat));
  LinearLayout transposed =
      LinearLayout::identity("register", "dim0", 2) * LinearLayout::identity("lane", "dim1", 2);
  CHECK_FALSE((tile * repeat).divideLeft(transposed));
}

TEST_CASE("reordering and splitting the outputs keeps the elements") {
  LinearLayout layout = rowPerLane();
  LinearLayout turned = layout.permuteOuts({1, 0});
  CHECK(turned.equivalent(layout));
  CHECK(turned != layout);
  // As a list of 16: the flattened coordinate is row * 4 + column.
  LinearLayout flat = layout.reshapeOuts({{"dim0", 4}});
  CHECK(flat.apply({{"register", 3}, {"lane", 2}}).front().second == 11);
  CHECK(layout.renameOut("dim0", "rows").hasOut("rows"));
  CHECK(layout.dropOut("dim0").sublayoutIsZero({"lane"}, {"dim1"}));
  CHECK(layout.dropOut("dim1").withoutZeroBits("register").inBits("register") == 0);
}
