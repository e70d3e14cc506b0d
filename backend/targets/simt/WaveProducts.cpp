// SPDX-License-Identifier: MIT
//
// Matrix units of AMD, and the reads that feed them. With `side` rows and columns, s = lane % side
// and h = lane / side, and e for the elements that a lane holds of an operand,
//
// Instruction     First operand      Second operand        Result, register r
// --------------- ------------------ --------------------- ----------------------------------
// MFMA            row s, k = h, e    column s, k = h, e    column s, row r % 4 + 4 h + 4 H (r / 4)
// MFMA of f64     row s, k = h       column s, k = h       column s, row h + H r
// WMMA of gfx11   row s, k = e       column s, k = e       column s, row h + 2 r
// WMMA of gfx12   row s, k = h, e    column s, k = h, e    column s, row r + 8 h
//
// where H is the number of values of h. Elements.h has the arithmetic.
//
// MFMA with scales takes 32 elements a lane. Of 4 bits they are k = 32 h + e. Of 8 bits they come
// by 16 from two places, k = 16 h + e for e < 16, and 16 H + 16 h + e - 16 for the others. The
// exponent of a lane is that of k = 32 h to 32 h + 31, whichever lanes hold them.
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Block.h"
#include "targets/simt/Elements.h"

#include <array>
#include <cmath>
#include <cstring>

namespace tl::backend::simt {

namespace {

struct WaveProduct {
  MatrixShape shape;
  MatrixFamily family;
  const unsigned char *a, *b;
  unsigned char *c;
  uint32_t exponentA = 0, exponentB = 0;
};

/// Factors are as wide as sums: all of their values are exact there.
template <class Sum> void multiplyAll(Warp &warp) {
  const auto &first = warp.operand<WaveProduct>(0);
  const MatrixShape shape = first.shape;
  const unsigned side = shape.m, lanes = warp.lanes, groups = lanes / side;
  const bool wholeRows = first.family == MatrixFamily::wmmaOfWholeRows;
  const unsigned held = wholeRows ? shape.k : shape.k / groups;
  Sum a[32 * 64], b[64 * 32], c[32 * 32];
  const unsigned registers = side * side / lanes;
  auto rowOf = [&](unsigned r, unsigned h) {
    if (wholeRows)
      return h + 2 * r;
    if (first.family == MatrixFamily::wmma)
      return r + 8 * h;
    return shape.a == Element::f64 ? h + groups * r : r % 4 + 4 * h + 4 * groups * (r / 4);
  };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto &own = warp.operand<WaveProduct>(lane);
    const unsigned s = lane % side, h = lane / side;
    const unsigned k = wholeRows ? 0 : h * held;
    widen(&a[s * shape.k + k], 1, own.a, held, shape.a);
    widen(&b[k * side + s], side, own.b, held, shape.b);
    for (unsigned r = 0; r < registers; ++r)
      std::memcpy(&c[rowOf(r, h) * side + s], own.c + r * sizeof(Sum), sizeof(Sum));
  }
  multiply(c, a, b, side, side, shape.k);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned r = 0; r < registers; ++r)
      std::memcpy(warp.operand<WaveProduct>(lane).c + r * sizeof(Sum),
                  &c[rowOf(r, lane / side) * side + lane % side], sizeof(Sum));
}

void checkWhole(Warp &warp) {
  const uint64_t all = warp.lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << warp.lanes) - 1;
  if (warp.here != all)
    warp.block->fail(Block::running(),
                     Error(TL_RUNTIME_ERROR, "a matrix instruction lacks lanes of its warp, which "
                                             "have ended"));
}

// ---- With scales

constexpr unsigned group = 32; // elements that an exponent scales

double scaleOf(uint32_t exponent) {
  return exponent == 255 ? std::nan("") : std::ldexp(1.0, int(exponent) - 127);
}

void multiplyScaled(Warp &warp) {
  checkWhole(warp);
  const MatrixShape shape = warp.operand<WaveProduct>(0).shape;
  const unsigned side = shape.m, lanes = warp.lanes, groups = lanes / side;
  const unsigned registers = side * side / lanes;
  double a[32 * 64], b[32 * 64], scalesA[64], scalesB[64]; // rows, and columns, of all k
  auto place = [&](unsigned h, unsigned e, Element element) {
    if (element == Element::e2m1)
      return group * h + e;
    return 16 * h + e % 16 + (e < 16 ? 0 : 16 * groups);
  };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto &own = warp.operand<WaveProduct>(lane);
    const unsigned s = lane % side, h = lane / side;
    scalesA[s * groups + h] = scaleOf(own.exponentA);
    scalesB[s * groups + h] = scaleOf(own.exponentB);
    float ownA[group], ownB[group];
    widen(ownA, 1, own.a, group, shape.a);
    widen(ownB, 1, own.b, group, shape.b);
    for (unsigned e = 0; e < group; ++e) {
      a[s * shape.k + place(h, e, shape.a)] = ownA[e];
      b[s * shape.k + place(h, e, shape.b)] = ownB[e];
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned r = 0; r < registers; ++r) {
      const unsigned h = lane / side, row = r % 4 + 4 * h + 4 * groups * (r / 4);
      unsigned char *to = warp.operand<WaveProduct>(lane).c + r * sizeof(float);
      float sum;
      std::memcpy(&sum, to, sizeof sum);
      for (unsigned k = 0; k < shape.k; ++k)
        sum = float(double(sum) + double(a[row * shape.k + k]) * b[lane % side * shape.k + k] *
                                      scalesA[row * groups + k / group] *
                                      scalesB[lane % side * groups + k / group]);
      std::memcpy(to, &sum, sizeof sum);
    }
}

void callMultiplyScaled(Thread *thread, uint64_t shape, const unsigned char *a,
                        const unsigned char *b, unsigned char *c, uint32_t exponentA,
                        uint32_t exponentB) {
  WaveProduct product{MatrixShape::of(shape), MatrixFamily::mfma, a, b, c, exponentA, exponentB};
  thread->block->meet(*thread, &multiplyScaled, &product);
}

void multiplyInWave(Warp &warp) {
  checkWhole(warp);
  switch (warp.operand<WaveProduct>(0).shape.a) {
  case Element::f64:
    return multiplyAll<double>(warp);
  case Element::s8:
    return multiplyAll<int32_t>(warp);
  default:
    return multiplyAll<float>(warp);
  }
}

void callMultiplyWave(Thread *thread, uint64_t shape, uint32_t family, const unsigned char *a,
                      const unsigned char *b, unsigned char *c) {
  WaveProduct product{MatrixShape::of(shape), MatrixFamily(family), a, b, c};
  thread->block->meet(*thread, &multiplyInWave, &product);
}

// ---- Reads of LDS that transpose

struct Column {
  uint64_t address; // of a piece of 8 bytes
  unsigned char *to;
  uint32_t elementBytes;
};

/// The pieces of 16 lanes, one after the other, are rows of 16 elements; each of these lanes gets a
/// column.
void readColumns(Warp &warp) {
  constexpr unsigned pieceBytes = 8, columns = 16;
  checkWhole(warp);
  const unsigned bytes = warp.operand<Column>(0).elementBytes;
  std::array<uint32_t, 64> addresses{};
  for (unsigned first = 0; first < warp.lanes; first += columns) {
    unsigned char rows[columns * pieceBytes];
    for (unsigned lane = first; lane < first + columns; ++lane) {
      const uint64_t address = warp.operand<Column>(lane).address;
      addresses[lane] = uint32_t(address);
      noteAccess(warp.block->thread(warp.number * warp.lanes + lane), address, pieceBytes, 3,
                 AccessKind::read);
      std::memcpy(&rows[(lane - first) * pieceBytes], reinterpret_cast<const void *>(address),
                  pieceBytes);
    }
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned row = 0; row < pieceBytes / bytes; ++row)
        std::memcpy(warp.operand<Column>(first + column).to + row * bytes,
                    &rows[(row * columns + column) * bytes], bytes);
  }
  if (BankConflicts *banks = warp.block->bankConflicts())
    banks->count(Block::running().site, addresses, warp.here, pieceBytes, AccessKind::read);
}

void callReadColumns(Thread *thread, uint64_t address, unsigned char *to, uint32_t elementBytes) {
  Column column{address, to, elementBytes};
  thread->block->meet(*thread, &readColumns, &column);
}

} // namespace

void addWaveProducts(SymbolList &list) {
  list.emplace_back("tl_simt_multiply_scaled", reinterpret_cast<void *>(&callMultiplyScaled));
  list.emplace_back("tl_simt_multiply_wave", reinterpret_cast<void *>(&callMultiplyWave));
  list.emplace_back("tl_simt_read_columns", reinterpret_cast<void *>(&callReadColumns));
}

} // namespace tl::backend::simt
