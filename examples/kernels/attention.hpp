// SPDX-License-Identifier: MIT
#pragma once
// Attention of one block of queries per program, with a running softmax.
// The lesson is ../06_attention.cpp.

#include <tl/tl.hpp>

namespace kernels {

// [kernel]
template <int BlockM, int BlockN, int Head, bool Causal>
inline constexpr auto attention = tl::kernel{
    [](tl::ptr<const tl::float16> q, tl::ptr<const tl::float16> k, tl::ptr<const tl::float16> v,
       tl::ptr<tl::float16> out, tl::i32 length, tl::f32 scale) {
      auto first = tl::program_id(0) * BlockM;
      // One sequence and head per point of the y axis.
      auto base = tl::program_id(1) * length * Head;
      auto rows = first + tl::arange<BlockM>();
      auto lanes = tl::arange<BlockN>();
      auto dims = tl::arange<Head>();
      tl::tensor own = rows(tl::all, tl::newaxis) * Head + dims(tl::newaxis, tl::all);
      auto row_mask = rows(tl::all, tl::newaxis) < length;
      auto queries = tl::load(q + base + own, row_mask, 0.0f);

      tl::tensor acc = tl::zeros<float, BlockM, Head>();
      tl::tensor total = tl::zeros<float, BlockM>();
      tl::tensor largest = tl::full<float, BlockM>(-tl::inf);
      tl::i32 end = length;
      if constexpr (Causal)
        end = tl::minimum(length, first + BlockM);
      for (auto start : tl::range(0, end, BlockN)) {
        tl::tensor at = start + lanes;
        auto there = at(tl::all, tl::newaxis) * Head + dims(tl::newaxis, tl::all);
        auto in_range = at(tl::all, tl::newaxis) < length;
        auto keys = tl::load(k + base + there, in_range, 0.0f);
        auto values = tl::load(v + base + there, in_range, 0.0f);

        // Scores in units of log2, so that exp2 is enough.
        tl::tensor scores = tl::dot(queries, tl::trans(keys)) * (scale * 1.44269504f);
        auto seen = at(tl::newaxis, tl::all) < length;
        if constexpr (Causal)
          scores = tl::where(seen & (at(tl::newaxis, tl::all) <= rows(tl::all, tl::newaxis)),
                             scores, -tl::inf);
        else
          scores = tl::where(seen, scores, -tl::inf);
        tl::tensor now = tl::maximum(largest, tl::max<1>(scores));
        tl::tensor weights = tl::exp2(scores - now(tl::all, tl::newaxis));
        tl::tensor shrink = tl::exp2(largest - now);
        total = total * shrink + tl::sum<1>(weights);
        acc = acc * shrink(tl::all, tl::newaxis);
        acc += tl::dot(tl::cast<tl::float16>(weights), values);
        largest = now;
      }
      tl::store(out + base + own, tl::cast<tl::float16>(acc / total(tl::all, tl::newaxis)),
                row_mask);
    }};
// [kernel]

} // namespace kernels
