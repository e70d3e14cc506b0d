// SPDX-License-Identifier: MIT
//
// Matrix units of AMD. With `side` rows and columns, s = lane % side and h = lane / side, and e for
// the elements that a lane holds of an operand,
//
// Instruction     First operand      Second operand        Result, register r
// --------------- ------------------ --------------------- ----------------------------------
// MFMA            row s, k = h, e    column s, k = h, e    column s, row r % 4 + 4 h + 4 H (r / 4)
// MFMA of f64     row s, k = h       column s, k = h       column s, row h + H r
// WMMA of gfx11   row s, k = e       column s, k = e       column s, row h + 2 r
// WMMA of gfx12   row s, k = h, e    column s, k = h, e    column s, row r + 8 h
//
// where H is the number of values of h. Elements.h has the arithmetic.
#include "targets/simt/Block.h"
#include "targets/simt/Elements.h"

#include <cstring>

namespace tl::backend::simt {

namespace {

struct WaveProduct {
  MatrixShape shape;
  MatrixFamily family;
  const unsigned char *a, *b;
  unsigned char *c;
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

void multiplyInWave(Warp &warp) {
  const uint64_t all = warp.lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << warp.lanes) - 1;
  if (warp.here != all)
    warp.block->fail(Block::running(),
                     Error(TL_RUNTIME_ERROR, "a matrix instruction lacks lanes of its warp, which "
                                             "have ended"));
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

} // namespace

void addWaveProducts(SymbolList &list) {
  list.emplace_back("tl_simt_multiply_wave", reinterpret_cast<void *>(&callMultiplyWave));
}

} // namespace tl::backend::simt
