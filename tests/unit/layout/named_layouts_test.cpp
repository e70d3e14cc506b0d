// SPDX-License-Identifier: MIT
//
// The named layouts against what the instruction manuals say of them, and the queries on them.
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include <doctest/doctest.h>

using namespace tl::backend;

namespace {

uint64_t at(const LinearLayout &layout, const LinearLayout::Index &index, unsigned axis) {
  for (const auto &[name, value] : layout.apply(index))
    if (name == dimName(axis))
      return value;
  FAIL("no axis ", axis);
  return 0;
}

} // namespace

TEST_CASE("a blocked layout distributes registers, then lanes, then warps, then repeats") {
  LinearLayout layout = blockedLayout({16, 64}, {{1, 4}, {4, 8}, {2, 1}, {1, 0}});
  CHECK(at(layout, {{"register", 3}}, 1) == 3);
  CHECK(at(layout, {{"lane", 1}}, 1) == 4);
  CHECK(at(layout, {{"lane", 8}}, 0) == 1);
  CHECK(at(layout, {{"warp", 1}}, 0) == 4);
  CHECK(at(layout, {{"register", 4}}, 1) == 32); // the shape is wider than the tile
  CHECK(at(layout, {{"register", 8}}, 0) == 8);
  CHECK(layout.isBijective());
  CHECK(contiguousRegisters(layout) == 4);
}

TEST_CASE("a blocked layout larger than the shape holds elements more than once") {
  LinearLayout layout = blockedLayout({32}, {{4}, {32}, {4}, {0}});
  CHECK(layout.isSurjective());
  CHECK(layout.inBits("register") == 2);
  CHECK(at(layout, {{"lane", 8}}, 0) == 0);
  CHECK(at(layout, {{"warp", 3}}, 0) == 0);
}

TEST_CASE("a product by multiply-adds is a grid of rows and columns in each thread") {
  auto counts = [](const Shape &shape, unsigned warps) {
    const LinearLayout layout = productLayout(shape, 32, warps);
    unsigned rows = 1, columns = 1;
    for (unsigned bit = 0; bit < layout.inBits("register"); ++bit) {
      rows *= layout.image("register", bit, "dim0") ? 2 : 1;
      columns *= layout.image("register", bit, "dim1") ? 2 : 1;
    }
    return std::pair(rows, columns);
  };
  using Grid = std::pair<unsigned, unsigned>;
  CHECK(counts({128, 128}, 4) == Grid{8, 16});
  CHECK(counts({128, 128}, 8) == Grid{8, 8});
  CHECK(counts({64, 64}, 4) == Grid{4, 8});
  CHECK(counts({16, 16}, 1) == Grid{4, 2});
  CHECK(counts({16, 256}, 4) == Grid{4, 8});
  CHECK(counts({256, 16}, 4) == Grid{8, 4});
  CHECK(counts({2, 2}, 4) == Grid{1, 1});
  // A row lies in one warp, a thread has four neighbours of it, and every second of 16 lanes the
  // next ones; the lanes between have the next rows.
  const LinearLayout square = productLayout({128, 128}, 32, 4);
  for (const auto &in : square.ins())
    if (in.name == "warp")
      for (unsigned bit = 0; bit < in.images.size(); ++bit)
        CHECK(square.image("warp", bit, "dim1") == 0);
  CHECK(square.image("register", 0, "dim1") == 1);
  CHECK(square.image("register", 1, "dim1") == 2);
  CHECK(square.image("lane", 0, "dim0") == 4);
  CHECK(square.image("lane", 0, "dim1") == 0);
  for (unsigned bit = 1; bit < 4; ++bit) {
    CHECK(square.image("lane", bit, "dim0") == 0);
    CHECK(square.image("lane", bit, "dim1") == 2u << bit);
  }
  CHECK(square.image("lane", 4, "dim0") == 8);
  // The products of a batch go to warps of their own.
  const LinearLayout batch = productLayout({4, 32, 32}, 32, 4);
  CHECK(batch.image("warp", 0, "dim0") == 1);
  CHECK(batch.image("warp", 1, "dim0") == 2);
}

TEST_CASE("a slice forgets its axis") {
  LinearLayout parent = blockedLayout({16, 64}, {{1, 4}, {4, 8}, {2, 1}, {1, 0}});
  LinearLayout rows = sliceLayout(parent, 1);
  CHECK(rows.outBits("dim0") == 4);
  CHECK(rows.inBits("register") == 1);
  CHECK(at(rows, {{"lane", 8}}, 0) == 1);
  CHECK(at(rows, {{"lane", 7}}, 0) == 0);
  LinearLayout columns = sliceLayout(parent, 0);
  CHECK(columns.outBits("dim0") == 6);
  CHECK(at(columns, {{"lane", 1}}, 0) == 4);
}

TEST_CASE("mma accumulators and operands follow the PTX fragment tables") {
  // m16n8: lane = 4 * group + thread; c0,c1 at (group, 2 thread + 0..1), c2,c3 eight rows below.
  LinearLayout c = mma2Accumulator({16, 8}, {1, 1});
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < 4; ++r) {
      CHECK(at(c, {{"register", r}, {"lane", lane}}, 0) == lane / 4 + 8 * (r / 2));
      CHECK(at(c, {{"register", r}, {"lane", lane}}, 1) == 2 * (lane % 4) + r % 2);
    }
  // A of m16n8k16 in 16 bits: a0,a1 (g, 2t), a2,a3 (g+8, 2t), a4,a5 (g, 2t+8), a6,a7 (g+8, 2t+8).
  LinearLayout a = mma2Operand({16, 16}, 0, 16, {1, 1});
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < 8; ++r) {
      CHECK(at(a, {{"register", r}, {"lane", lane}}, 0) == lane / 4 + 8 * (r / 2 % 2));
      CHECK(at(a, {{"register", r}, {"lane", lane}}, 1) == 2 * (lane % 4) + r % 2 + 8 * (r / 4));
    }
  // B: b0,b1 (2t, g), b2,b3 (2t+8, g).
  LinearLayout b = mma2Operand({16, 8}, 1, 16, {1, 1});
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < 4; ++r) {
      CHECK(at(b, {{"register", r}, {"lane", lane}}, 0) == 2 * (lane % 4) + r % 2 + 8 * (r / 2));
      CHECK(at(b, {{"register", r}, {"lane", lane}}, 1) == lane / 4);
    }
  // Warps along n share A.
  LinearLayout shared = mma2Operand({32, 16}, 0, 16, {2, 2});
  CHECK(at(shared, {{"warp", 1}}, 0) == 0);
  CHECK(at(shared, {{"warp", 2}}, 0) == 16);
}

TEST_CASE("wgmma stacks four warps along m") {
  LinearLayout c = wgmmaAccumulator({128, 64}, 64, {8, 1});
  CHECK(c.isBijective());
  CHECK(at(c, {{"warp", 1}}, 0) == 16);
  CHECK(at(c, {{"warp", 4}}, 0) == 64);
  CHECK(at(c, {{"register", 2}}, 0) == 8);
  CHECK(at(c, {{"register", 4}}, 1) == 8);
}

TEST_CASE("mfma and wmma accumulators follow the CDNA3 and RDNA3 tables") {
  LinearLayout c = mfmaAccumulator({32, 32}, 32, {1, 1});
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < 16; ++r) {
      CHECK(at(c, {{"register", r}, {"lane", lane}}, 1) == lane % 32);
      CHECK(at(c, {{"register", r}, {"lane", lane}}, 0) == r % 4 + 4 * (lane / 32) + 8 * (r / 4));
    }
  LinearLayout w = wmmaAccumulator({16, 16}, 1, {1, 1});
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < 8; ++r) {
      CHECK(at(w, {{"register", r}, {"lane", lane}}, 1) == lane % 16);
      CHECK(at(w, {{"register", r}, {"lane", lane}}, 0) == 2 * r + lane / 16);
    }
}

TEST_CASE("the 128-byte swizzle exchanges 16-byte pieces by the row") {
  // 64 rows of 128 halves: two panels of 64 columns.
  LinearLayout layout = hardwareSwizzledShared({64, 128}, {1, 0}, 16, 128);
  CHECK(layout.isBijective());
  auto back = *layout.invert();
  for (unsigned row : {0u, 1u, 7u, 8u, 13u, 63u})
    for (unsigned column : {0u, 8u, 17u, 63u, 64u, 127u}) {
      uint64_t byte = 0;
      for (const auto &[name, value] : back.apply({{"dim0", row}, {"dim1", column}}))
        if (name == "offset")
          byte = value * 2;
      uint64_t panel = column / 64 * (64 * 128), inRow = column % 64 * 2;
      CHECK(byte == panel + row * 128 + ((inRow / 16 ^ row % 8) * 16 + inRow % 16));
    }
}

TEST_CASE("swizzled tiles are read by columns without conflicts and plain ones are not") {
  // A warp reads 16-byte pieces of 8 rows: the pattern of ldmatrix on a 64-half-wide tile.
  Blocked rows{{1, 8}, {32, 1}, {1, 1}, {1, 0}};
  LinearLayout distributed = blockedLayout({32, 64}, rows);
  LinearLayout plain = rowMajorShared({32, 64}, {1, 0});
  LinearLayout swizzled = hardwareSwizzledShared({32, 64}, {1, 0}, 16, 128);
  SharedAccess access = sharedAccess(distributed, plain, 2);
  CHECK(access.elements == 8);
  CHECK(bankConflicts(distributed, plain, 2, access) == 8);
  access = sharedAccess(distributed, swizzled, 2);
  CHECK(access.elements == 8);
  CHECK(bankConflicts(distributed, swizzled, 2, access) == 1);
}

TEST_CASE("movement tells registers from lanes from warps") {
  Blocked wide{{1, 4}, {4, 8}, {4, 1}, {1, 0}}, narrow{{1, 4}, {8, 4}, {4, 1}, {1, 0}};
  LinearLayout a = blockedLayout({16, 64}, wide);
  CHECK(movement(a, a) == Movement::None);
  CHECK(movement(a, blockedLayout({16, 64}, {{4, 1}, {1, 32}, {4, 1}, {0, 1}})) == Movement::Lanes);
  CHECK(movement(a, blockedLayout({16, 64}, narrow)) == Movement::Warps);
  CHECK(movement(
            blockedLayout({16, 16}, {{2, 2}, {8, 4}, {1, 2}, {1, 0}}),
            blockedLayout({16, 16}, {{2, 2}, {8, 4}, {1, 2}, {1, 0}}).permuteIns({0, 1, 2, 3})) ==
        Movement::None);
  LinearLayout turned = blockedLayout({64}, {{2}, {32}, {1}, {0}});
  LinearLayout::InDim registers = turned.ins()[0];
  CHECK(movement(turned, blockedLayout({64}, {{1}, {32}, {1}, {0}})) == Movement::Lanes);
}

TEST_CASE(
    "ldmatrix fits operand layouts on row-major tiles, transposed ones on the other operand") {
  LinearLayout a = mma2Operand({16, 16}, 0, 16, {1, 1});
  LinearLayout tile = rowMajorShared({16, 16}, {1, 0});
  CHECK(matrixAccessFits(a, tile, 2, false));
  CHECK_FALSE(matrixAccessFits(a, tile, 2, true));
  LinearLayout b = mma2Operand({16, 16}, 1, 16, {1, 1});
  CHECK_FALSE(matrixAccessFits(b, tile, 2, false));
  CHECK(matrixAccessFits(b, tile, 2, true));
  LinearLayout wide = mma2Operand({16, 64}, 0, 16, {1, 1});
  CHECK(matrixAccessFits(wide, hardwareSwizzledShared({16, 64}, {1, 0}, 16, 128), 2, false));
}
