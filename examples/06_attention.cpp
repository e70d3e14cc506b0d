// SPDX-License-Identifier: MIT
//
// All together: attention in one pass over the keys, the scores never leaving the block.
//
// A program holds one block of queries and walks over the blocks of keys and values. The softmax is
// kept running: when a larger score appears, what was summed so far is scaled down to match. With a
// causal mask the walk ends at the diagonal.

#include "lesson.hpp"

namespace {

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

std::vector<double> reference(const std::vector<tl::float16> &q, const std::vector<tl::float16> &k,
                              const std::vector<tl::float16> &v, int heads, int length, int head,
                              double scale, bool causal) {
  std::vector<float> wq(q.begin(), q.end()), wk(k.begin(), k.end()), wv(v.begin(), v.end());
  std::vector<double> out(q.size()), weights(length);
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < length; ++i) {
      const std::size_t base = std::size_t(h) * length * head, row = base + std::size_t(i) * head;
      const int end = causal ? i + 1 : length;
      double largest = -INFINITY, total = 0;
      for (int j = 0; j < end; ++j) {
        double score = 0;
        for (int d = 0; d < head; ++d)
          score += double(wq[row + d]) * wk[base + std::size_t(j) * head + d];
        weights[j] = score * scale;
        largest = std::max(largest, weights[j]);
      }
      for (int j = 0; j < end; ++j)
        total += weights[j] = std::exp(weights[j] - largest);
      for (int j = 0; j < end; ++j)
        for (int d = 0; d < head; ++d)
          out[row + d] += weights[j] / total * wv[base + std::size_t(j) * head + d];
    }
  return out;
}

template <int BlockM, int BlockN, int Head, bool Causal>
bool check(const lesson::options &o, const char *what, int heads, int length) {
  const std::size_t size = std::size_t(heads) * length * Head;
  const float scale = 1 / std::sqrt(float(Head));
  auto host_q = lesson::random_values<tl::float16>(size, 41, -2, 2);
  auto host_k = lesson::random_values<tl::float16>(size, 42, -2, 2);
  auto host_v = lesson::random_values<tl::float16>(size, 43);
  tl::buffer<tl::float16> q(o.device, host_q), k(o.device, host_k), v(o.device, host_v);
  tl::buffer<tl::float16> out(o.device, size);
  auto attend = [&] {
    attention<BlockM, BlockN, Head, Causal>[tl::grid(tl::cdiv(length, BlockM), heads)](
        q, k, v, out, length, scale);
    lesson::wait(o.device);
  };
  attend();
  // The weights and the result are rounded to float16: twice 2^-11 of values up to one.
  bool right = lesson::close(what, out.to_vector(),
                             reference(host_q, host_k, host_v, heads, length, Head, scale, Causal),
                             0x1p-10, 0x1p-10);
  if (!o.quick) {
    double seconds = lesson::median_seconds(attend);
    double flops = 4.0 * heads * length * length * Head * (Causal ? 0.5 : 1.0);
    std::printf("%s: %d heads x %d x %d in %.3f ms, %.1f GFLOP/s\n", what, heads, length, Head,
                seconds * 1e3, flops / seconds / 1e9);
  }
  return right;
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "attention", [](const lesson::options &o) {
    if (o.quick)
      return check<16, 16, 16, false>(o, "full", 2, 40) &
             check<16, 16, 16, true>(o, "causal", 2, 40);
    return check<64, 64, 64, false>(o, "full", 4, 500) &
           check<64, 64, 64, true>(o, "causal", 4, 500);
  });
}
