// SPDX-License-Identifier: MIT
//
// Votes and matrix units of AMD. Which elements a lane has, for tiles of `side` rows and columns
// and `lanes` lanes, is said by placeOfFactor and rowOfSum. Products are exact, sums are of f32
// (f64 of f64, whole numbers of i8) one after another in the order of k: how hardware rounds sums
// in between is not documented.
#include "targets/simt/Block.h"
#include "targets/simt/Functions.h"

#include "tl/dtype.hpp"

#include <cstring>
#include <vector>

namespace tl::backend::simt {

namespace {

struct Vote {
  bool value;
  uint64_t all;
};

void vote(Warp &warp) {
  uint64_t all = 0;
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (warp.here >> lane & 1)
      all |= uint64_t(warp.operand<Vote>(lane).value) << lane;
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (warp.here >> lane & 1)
      warp.operand<Vote>(lane).all = all;
}

uint64_t callBallot(Thread *thread, uint32_t value) {
  Vote own{value != 0, 0};
  thread->block->meet(*thread, &vote, &own);
  return own.all;
}

// ---- Products

struct AmdProduct {
  AmdShape shape;
  uint32_t *words; // the first operand, the second, the sums
};

unsigned bytesOf(Element element) {
  switch (element) {
  case Element::f64:
    return 8;
  case Element::f32:
    return 4;
  case Element::f16:
  case Element::bf16:
    return 2;
  default:
    return 1;
  }
}

template <class Factor, class Stored> Factor readAs(const unsigned char *bytes) {
  Stored stored;
  std::memcpy(&stored, bytes, sizeof stored);
  return Factor(stored);
}

template <class Factor> Factor valueAt(Element element, bool fnuz, const unsigned char *bytes) {
  switch (element) {
  case Element::f64:
    return readAs<Factor, double>(bytes);
  case Element::f32:
    return readAs<Factor, float>(bytes);
  case Element::f16:
    return Factor(float(readAs<float16, float16>(bytes)));
  case Element::bf16:
    return Factor(float(readAs<bfloat16, bfloat16>(bytes)));
  case Element::e4m3:
    return Factor(fnuz ? float(float8e4b8::from_bits(*bytes))
                       : float(float8e4nv::from_bits(*bytes)));
  case Element::e5m2:
    return Factor(fnuz ? float(float8e5b16::from_bits(*bytes))
                       : float(float8e5::from_bits(*bytes)));
  default:
    return readAs<Factor, int8_t>(bytes);
  }
}

/// The row of an element of the sums that a lane has, whose column is the lane's.
unsigned rowOfSum(const AmdShape &shape, unsigned lanes, unsigned lane, unsigned reg) {
  if (shape.isWmma) {
    // In the first version, whose lanes all have all of k, rows alternate between halves.
    const bool isFirst = shape.words * 4 / bytesOf(shape.element) == shape.k;
    return isFirst ? 2 * reg + lane / 16 : 8 * (lane / 16) + reg;
  }
  const unsigned group = lane / shape.m, groups = lanes / shape.m;
  if (shape.element == Element::f64)
    return groups * reg + group;
  return 4 * groups * (reg / 4) + 4 * group + reg % 4;
}

template <class Sum> void multiplyAmd(Warp &warp, const AmdShape &shape) {
  const unsigned lanes = warp.lanes, bytes = bytesOf(shape.element),
                 ofLane = shape.words * 4 / bytes, groups = shape.k / ofLane;
  std::vector<Sum> a(shape.m * shape.k), b(shape.k * shape.n), c(shape.m * shape.n);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto *words = warp.operand<AmdProduct>(lane).words;
    for (unsigned i = 0; i < ofLane; ++i) {
      const unsigned across = lane % shape.m, k = lane / shape.m % groups * ofLane + i;
      auto at = [&](unsigned first) {
        return valueAt<Sum>(shape.element, shape.fnuz,
                            reinterpret_cast<const unsigned char *>(words + first) + i * bytes);
      };
      const Sum left = at(0), right = at(shape.words);
      // Lanes that have the same must agree.
      if (shape.isWmma && groups == 1 && lane >= 16 &&
          (std::memcmp(&a[across * shape.k + k], &left, sizeof left) != 0 ||
           std::memcmp(&b[k * shape.n + across], &right, sizeof right) != 0))
        warp.block->fail(warp.block->thread(warp.number * lanes + lane),
                         Error(TL_RUNTIME_ERROR,
                               "the halves of a wave have other operands of a matrix instruction"));
      a[across * shape.k + k] = left;
      b[k * shape.n + across] = right;
    }
  }
  const unsigned sums = shape.m * shape.n / lanes;
  auto place = [&](unsigned lane, unsigned reg) {
    return warp.operand<AmdProduct>(lane).words + 2 * shape.words + reg * (sizeof(Sum) / 4);
  };
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned reg = 0; reg < sums; ++reg) {
      const unsigned row = rowOfSum(shape, lanes, lane, reg), column = lane % shape.n;
      Sum sum;
      std::memcpy(&sum, place(lane, reg), sizeof sum);
      for (unsigned k = 0; k < shape.k; ++k)
        if constexpr (sizeof(Sum) == 8)
          sum = __builtin_fma(a[row * shape.k + k], b[k * shape.n + column], sum);
        else
          sum += a[row * shape.k + k] * b[k * shape.n + column];
      std::memcpy(place(lane, reg), &sum, sizeof sum);
    }
}

void multiplyInWave(Warp &warp) {
  const uint64_t all = warp.lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << warp.lanes) - 1;
  if (warp.here != all)
    warp.block->fail(Block::running(),
                     Error(TL_RUNTIME_ERROR, "a matrix instruction lacks lanes of its warp, which "
                                             "have ended"));
  const AmdShape shape = warp.operand<AmdProduct>(0).shape;
  if (shape.element == Element::f64)
    multiplyAmd<double>(warp, shape);
  else if (shape.element == Element::s8)
    multiplyAmd<int32_t>(warp, shape);
  else
    multiplyAmd<float>(warp, shape);
}

void callMultiplyAmd(Thread *thread, uint64_t shape, uint32_t *words) {
  AmdProduct product{AmdShape::of(shape), words};
  thread->block->meet(*thread, &multiplyInWave, &product);
}

} // namespace

void addAmdFunctions(SymbolList &list) {
  list.emplace_back("tl_simt_ballot", reinterpret_cast<void *>(&callBallot));
  list.emplace_back("tl_simt_multiply_amd", reinterpret_cast<void *>(&callMultiplyAmd));
}

} // namespace tl::backend::simt
