// SPDX-License-Identifier: MIT
//
// Layouts of matrix instructions and of swizzled memory, computed once more the way the manuals say
// it: with divisions and remainders of lane and register numbers (PTX ISA, "Matrix Fragments" and
// "Shared memory swizzling"; the register tables of the CDNA3, RDNA3 and RDNA4 ISA manuals).
#include "layout/NamedLayouts.h"

#include <doctest/doctest.h>

using namespace tl::backend;

namespace {

struct Element {
  uint64_t row, column;
  bool operator==(const Element &) const = default;
};

Element at(const LinearLayout &layout, uint64_t reg, uint64_t lane, uint64_t warp) {
  Element element{};
  for (const auto &[name, value] :
       layout.apply({{"register", reg}, {"lane", lane}, {"warp", warp}}))
    (name == "dim0" ? element.row : element.column) = value;
  return element;
}

/// Compares all registers of all lanes of all warps with a formula.
template <class Formula> void follows(const LinearLayout &layout, Formula formula) {
  bool same = true;
  for (uint64_t warp = 0; warp < uint64_t(1) << layout.inBits("warp"); ++warp)
    for (uint64_t lane = 0; lane < uint64_t(1) << layout.inBits("lane"); ++lane)
      for (uint64_t reg = 0; reg < uint64_t(1) << layout.inBits("register"); ++reg)
        same &= at(layout, reg, lane, warp) == formula(reg, lane, warp);
  CHECK(same);
}

} // namespace

TEST_CASE("accumulators of mma.sync: two neighbours, then the row eight below, tile by tile") {
  // A 64x32 tensor on 2x2 warps: one 16x8 tile of each warp covers 32x16, so 2x2 tiles repeat.
  follows(mma2Accumulator({64, 32}, {2, 2}), [](uint64_t r, uint64_t lane, uint64_t warp) {
    uint64_t tile = r / 4;
    return Element{lane / 4 + 8 * (r / 2 % 2) + 16 * (warp / 2) + 32 * (tile / 2),
                   2 * (lane % 4) + r % 2 + 8 * (warp % 2) + 16 * (tile % 2)};
  });
}

TEST_CASE("operands of mma.sync in 8, 16, 32 and 64 bits") {
  for (unsigned bits : {8u, 16u, 32u}) {
    uint64_t packed = 32 / bits, k = 8 * packed; // of one instruction
    // A, m16 x k: registers of 32 bits go down eight rows, then along k.
    follows(mma2Operand({64, int64_t(2 * k)}, 0, bits, {2, 2}), [&](uint64_t r, uint64_t lane,
                                                                    uint64_t warp) {
      uint64_t word = r / packed % 4, tile = r / packed / 4;
      return Element{lane / 4 + 8 * (word % 2) + 16 * (warp / 2) + 32 * (tile / 2),
                     packed * (lane % 4) + r % packed + 4 * packed * (word / 2) + k * (tile % 2)};
    });
    // B, k x n8.
    follows(mma2Operand({int64_t(2 * k), 32}, 1, bits, {2, 2}),
            [&](uint64_t r, uint64_t lane, uint64_t warp) {
              uint64_t word = r / packed % 2, tile = r / packed / 2;
              return Element{packed * (lane % 4) + r % packed + 4 * packed * word + k * (tile % 2),
                             lane / 4 + 8 * (warp % 2) + 16 * (tile / 2)};
            });
  }
  follows(mma2Operand({8, 4}, 0, 64, {1, 1}),
          [](uint64_t, uint64_t lane, uint64_t) { return Element{lane / 4, lane % 4}; });
  follows(mma2Operand({4, 8}, 1, 64, {1, 1}),
          [](uint64_t, uint64_t lane, uint64_t) { return Element{lane % 4, lane / 4}; });
  follows(mma2Accumulator({8, 8}, {1, 1}, 64), [](uint64_t r, uint64_t lane, uint64_t) {
    return Element{lane / 4, 2 * (lane % 4) + r};
  });
}

TEST_CASE("accumulators and the register operand of wgmma") {
  // Two warpgroups along m and two along n, instructions of 64x32, 256x128 in all: 2x2 times.
  follows(wgmmaAccumulator({256, 128}, 32, {8, 2}), [](uint64_t r, uint64_t lane, uint64_t warp) {
    uint64_t within = r % 16, tile = r / 16;
    return Element{lane / 4 + 8 * (within / 2 % 2) + 16 * (warp % 8) + 128 * (tile / 2),
                   2 * (lane % 4) + within % 2 + 8 * (within / 4) + 32 * (warp / 8) +
                       64 * (tile % 2)};
  });
  follows(wgmmaOperand({128, 16}, 16, {8, 2}), [](uint64_t r, uint64_t lane, uint64_t warp) {
    return Element{lane / 4 + 8 * (r / 2 % 2) + 16 * (warp % 8),
                   2 * (lane % 4) + r % 2 + 8 * (r / 4)};
  });
}

TEST_CASE("accumulators and operands of MFMA on 64 lanes") {
  follows(mfmaAccumulator({32, 32}, 32, {1, 1}), [](uint64_t r, uint64_t lane, uint64_t) {
    return Element{r % 4 + 4 * (lane / 32) + 8 * (r / 4), lane % 32};
  });
  follows(mfmaAccumulator({16, 16}, 16, {1, 1}), [](uint64_t r, uint64_t lane, uint64_t) {
    return Element{r + 4 * (lane / 16), lane % 16};
  });
  for (uint64_t side : {16u, 32u})
    for (uint64_t width : {4u, 8u}) {
      uint64_t k = width * (64 / side);
      follows(
          mfmaOperand({int64_t(side), int64_t(2 * k)}, 0, unsigned(side), unsigned(width), {1, 1}),
          [&](uint64_t r, uint64_t lane, uint64_t) {
            return Element{lane % side, r % width + width * (lane / side) + k * (r / width)};
          });
      follows(
          mfmaOperand({int64_t(2 * k), int64_t(side)}, 1, unsigned(side), unsigned(width), {1, 1}),
          [&](uint64_t r, uint64_t lane, uint64_t) {
            return Element{r % width + width * (lane / side) + k * (r / width), lane % side};
          });
    }
}

TEST_CASE("accumulators and operands of WMMA of both versions") {
  follows(wmmaAccumulator({16, 16}, 1, {1, 1}), [](uint64_t r, uint64_t lane, uint64_t) {
    return Element{2 * r + lane / 16, lane % 16};
  });
  follows(wmmaAccumulator({16, 16}, 2, {1, 1}), [](uint64_t r, uint64_t lane, uint64_t) {
    return Element{r + 8 * (lane / 16), lane % 16};
  });
  follows(wmmaOperand({16, 16}, 0, 1, 16, {1, 1}),
          [](uint64_t r, uint64_t lane, uint64_t) { return Element{lane % 16, r}; });
  follows(wmmaOperand({16, 16}, 1, 1, 16, {1, 1}),
          [](uint64_t r, uint64_t lane, uint64_t) { return Element{r, lane % 16}; });
  follows(wmmaOperand({16, 16}, 0, 2, 8, {1, 1}), [](uint64_t r, uint64_t lane, uint64_t) {
    return Element{lane % 16, r + 8 * (lane / 16)};
  });
}

TEST_CASE("swizzles of the hardware exchange bits 4 to 6 of an address by bits 7 to 9") {
  for (unsigned bits : {8u, 16u, 32u})
    for (unsigned bytes : {0u, 32u, 64u, 128u})
      for (int64_t rows : {1, 2, 8, 64}) {
        int64_t panel = std::max(16u, bytes) * 8 / bits, columns = 2 * panel;
        LinearLayout layout = hardwareSwizzledShared({rows, columns}, {1, 0}, bits, bytes);
        REQUIRE(layout.isBijective());
        bool same = true;
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t column = 0; column < columns; ++column) {
            int64_t address =
                (column / panel * rows * panel + row * panel + column % panel) * bits / 8;
            address ^= bytes == 0 ? 0 : (address / 128 % (bytes / 16)) * 16;
            auto found = layout.apply({{"offset", uint64_t(address * 8 / bits)}});
            for (const auto &[name, value] : found)
              same &= int64_t(value) == (name == "dim0" ? row : column);
          }
        CAPTURE(bits);
        CAPTURE(bytes);
        CAPTURE(rows);
        CHECK(same);
      }
}

TEST_CASE("swizzles of software exchange groups of a row by its phase") {
  for (int64_t vector : {1, 4, 8})
    for (int64_t perPhase : {1, 2})
      for (int64_t phases : {1, 4, 8}) {
        LinearLayout layout = swizzledShared(
            {32, 64}, {1, 0}, {unsigned(vector), unsigned(perPhase), unsigned(phases)});
        bool same = true;
        for (int64_t row = 0; row < 32; ++row)
          for (int64_t column = 0; column < 64; ++column) {
            int64_t group = column / vector ^ row / perPhase % phases;
            uint64_t offset = uint64_t(row * 64 + group * vector + column % vector);
            for (const auto &[name, value] : layout.apply({{"offset", offset}}))
              same &= int64_t(value) == (name == "dim0" ? row : column);
          }
        CHECK(same);
      }
}
