// SPDX-License-Identifier: MIT
//
// All together: attention in one pass over the keys, the scores never leaving the block.
//
// A program holds one block of queries and walks over the blocks of keys and values. The softmax is
// kept running: when a larger score appears, what was summed so far is scaled down to match. With a
// causal mask the walk ends at the diagonal.

#include "kernels/attention.hpp"
#include "lesson.hpp"

namespace {

using namespace kernels;

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
      return check<16, 16, 16, false>(o, "full", 2, 40) &&
             check<16, 16, 16, true>(o, "causal", 2, 40);
    return check<64, 64, 64, false>(o, "full", 4, 500) &&
           check<64, 64, 64, true>(o, "causal", 4, 500);
  });
}
