// SPDX-License-Identifier: MIT
//
// Conversions through shared memory are free of bank conflicts on both sides, for the pairs of
// layouts that kernels have and for random ones.
#include "layout/Exchange.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <set>

using namespace tl::backend;

namespace {

struct Exchange {
  LinearLayout shared;
  SharedAccess writes, reads;
  unsigned writeConflicts, readConflicts;
};

Exchange exchange(const LinearLayout &from, const LinearLayout &to, unsigned bytes) {
  Exchange made{exchangeLayout(from, to, bytes), {}, {}, 0, 0};
  made.writes = sharedAccess(from, made.shared, bytes);
  made.reads = sharedAccess(to, made.shared, bytes);
  made.writeConflicts = bankConflicts(from, made.shared, bytes, made.writes);
  made.readConflicts = bankConflicts(to, made.shared, bytes, made.reads);
  return made;
}

} // namespace

TEST_CASE("a transposition has no bank conflicts, whatever the tile, the warps and the element") {
  for (unsigned bytes : {1, 2, 4, 8})
    for (Shape shape : {Shape{32, 32}, {64, 64}, {128, 32}, {32, 128}, {64, 128}, {128, 128}})
      for (unsigned warps : {1, 2, 4, 8}) {
        unsigned wide = 16 / bytes;
        LinearLayout rows = distributedLayout(shape, {1, 0}, {wide}, 32, warps);
        LinearLayout columns = distributedLayout(shape, {0, 1}, {wide}, 32, warps);
        Exchange made = exchange(rows, columns, bytes);
        INFO("bytes ", bytes, ", shape ", shape[0], "x", shape[1], ", warps ", warps);
        CHECK(made.shared.isBijective());
        CHECK(made.writeConflicts == 1);
        CHECK(made.readConflicts == 1);
        // Words at least on one side, whatever the element.
        CHECK(std::max(made.writes.elements, made.reads.elements) * bytes >= 4);
      }
}

TEST_CASE("rows become operands of matrix instructions without bank conflicts") {
  for (unsigned bits : {8, 16, 32})
    for (unsigned index : {0, 1})
      for (unsigned warps : {4, 8}) {
        Shape shape = index == 0 ? Shape{128, 64} : Shape{64, 128};
        std::vector<unsigned> split = {warps / 2, 2};
        LinearLayout rows = distributedLayout(shape, {1, 0}, {128 / bits}, 32, warps);
        Exchange made = exchange(rows, mma2Operand(shape, index, bits, split), bits / 8);
        INFO("bits ", bits, ", operand ", index, ", warps ", warps);
        CHECK(made.writeConflicts == 1);
        CHECK(made.readConflicts == 1);
      }
}

TEST_CASE("half a warp reads what it multiplies in one pass") {
  for (unsigned warps : {4, 8})
    for (unsigned index : {0, 1})
      for (bool rowsFirst : {false, true}) {
        const Shape shape = index == 0 ? Shape{128, 16} : Shape{16, 128};
        const LinearLayout from =
            distributedLayout(shape, {rowsFirst ? 0u : 1u, rowsFirst ? 1u : 0u}, {4}, 32, warps);
        const LinearLayout to = productOperand(productLayout({128, 128}, 32, warps), index, 16);
        const Exchange made = exchange(from, to, 4);
        CHECK(made.writeConflicts == 1);
        REQUIRE(made.reads.elements == 4);
        // Pieces of 16 bytes that 16 lanes read, by the banks where they begin.
        const LinearLayout offsets = sharedOffsets(to, made.shared);
        std::map<uint64_t, std::set<uint64_t>> pieces;
        for (unsigned lane = 0; lane < 16; ++lane) {
          uint64_t offset = 0;
          for (unsigned bit = 0; bit < 4; ++bit)
            if (lane >> bit & 1)
              offset ^= offsets.image("lane", bit, "offset");
          pieces[offset % 32].insert(offset);
        }
        INFO("warps ", warps, ", operand ", index, ", rows first ", rowsFirst);
        for (const auto &[bank, offsetsOfBank] : pieces)
          CHECK(offsetsOfBank.size() == 1);
      }
}

TEST_CASE("accumulators become rows without bank conflicts") {
  for (unsigned bytes : {2, 4}) {
    Shape shape = {128, 128};
    LinearLayout rows = distributedLayout(shape, {1, 0}, {16 / bytes}, 32, 4);
    Exchange made = exchange(mma2Accumulator(shape, {2, 2}), rows, bytes);
    CHECK(made.writeConflicts == 1);
    CHECK(made.readConflicts == 1);
    CHECK(made.reads.elements * bytes >= 8);
  }
}

TEST_CASE("the same neighbours in registers on both sides move together on both sides") {
  Shape shape = {64, 64};
  LinearLayout few = distributedLayout(shape, {1, 0}, {4}, 32, 4);
  LinearLayout other = blockedLayout(shape, {{1, 4}, {32, 1}, {1, 4}, {1, 0}});
  Exchange made = exchange(few, other, 4);
  CHECK(made.writes.elements == 4);
  CHECK(made.reads.elements == 4);
  CHECK(made.writeConflicts == 1);
  CHECK(made.readConflicts == 1);
}

TEST_CASE("random layouts exchange without bank conflicts") {
  unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  std::mt19937 random(seed);
  for (unsigned iteration = 0; iteration < 500; ++iteration) {
    // The bits of 64 x 64, distributed at random over registers, lanes and warps.
    auto distribute = [&] {
      std::vector<uint64_t> images;
      for (unsigned bit = 0; bit < 12; ++bit)
        images.push_back(uint64_t(1) << bit);
      std::shuffle(images.begin(), images.end(), random);
      auto part = [&](unsigned from, unsigned to) {
        return std::vector<uint64_t>(images.begin() + from, images.begin() + to);
      };
      return LinearLayout(
          {{"register", part(0, 5)}, {"lane", part(5, 10)}, {"warp", part(10, 12)}, {"block", {}}},
          {{"dim1", 6}, {"dim0", 6}});
    };
    unsigned bytes = 1u << random() % 4;
    Exchange made = exchange(distribute(), distribute(), bytes);
    CHECK(made.shared.isBijective());
    CHECK(made.writeConflicts == 1);
    CHECK(made.readConflicts == 1);
  }
}

TEST_CASE("small tensors and copies find offsets too") {
  for (unsigned bytes : {1, 2, 4, 8})
    for (Shape shape : {Shape{2, 2}, {16, 1}, {1, 16}, {8, 8}}) {
      LinearLayout rows = distributedLayout(shape, {1, 0}, {2}, 32, 4);
      LinearLayout columns = distributedLayout(shape, {0, 1}, {4}, 32, 4);
      CHECK(exchange(rows, columns, bytes).shared.isBijective());
    }
}

TEST_CASE("the order in which axes are listed does not matter") {
  LinearLayout rows = distributedLayout({64, 64}, {1, 0}, {4}, 32, 4);
  LinearLayout columns = distributedLayout({64, 64}, {0, 1}, {4}, 32, 4).permuteOuts({1, 0});
  Exchange made = exchange(rows, columns, 4);
  CHECK(made.shared.isBijective());
  CHECK(made.writeConflicts == 1);
  CHECK(made.readConflicts == 1);
}
