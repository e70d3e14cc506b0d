// SPDX-License-Identifier: MIT
//
// Training: the gradients of causal attention, from the logarithms that the forward pass keeps.
//
// Nothing as large as the scores is stored: they are computed once more, block by block. One kernel
// walks over the queries for the gradients of keys and values, another over the keys for that of
// the queries, so that each result has one program that writes it. The kernels are those that are
// measured in bench/attention.

#include "../bench/attention/backward.hpp"
#include "lesson.hpp"

namespace {

using namespace bench::attention;
using T = tl::float16;

struct reference {
  std::vector<double> out, dq, dk, dv;

  reference(const std::vector<T> &q, const std::vector<T> &k, const std::vector<T> &v,
            const std::vector<T> &dout, int heads, int length, int head, double scale)
      : out(q.size()), dq(q.size()), dk(q.size()), dv(q.size()) {
    const auto along = [&](const std::vector<T> &a, std::size_t i, const std::vector<T> &b,
                           std::size_t j) {
      double sum = 0;
      for (int d = 0; d < head; ++d)
        sum += double(a[i * head + d]) * double(b[j * head + d]);
      return sum;
    };
    for (std::size_t i = 0; i < std::size_t(heads) * length; ++i) {
      const std::size_t first = i / length * length; // the keys from here to i are seen
      std::vector<double> weights;
      double total = 0, delta = 0;
      for (std::size_t j = first; j <= i; ++j)
        total += weights.emplace_back(std::exp(along(q, i, k, j) * scale));
      for (std::size_t j = first; j <= i; ++j) {
        double &weight = weights[j - first];
        weight /= total;
        delta += weight * along(dout, i, v, j);
        for (int d = 0; d < head; ++d) {
          out[i * head + d] += weight * double(v[j * head + d]);
          dv[j * head + d] += weight * double(dout[i * head + d]);
        }
      }
      for (std::size_t j = first; j <= i; ++j) {
        const double slope = weights[j - first] * (along(dout, i, v, j) - delta) * scale;
        for (int d = 0; d < head; ++d) {
          dq[i * head + d] += slope * double(k[j * head + d]);
          dk[j * head + d] += slope * double(q[i * head + d]);
        }
      }
    }
  }
};

template <config C> bool check(const lesson::options &o, int heads, int length) {
  const std::size_t size = std::size_t(heads) * length * C.head;
  const float scale = 1 / std::sqrt(float(C.head));
  const auto q = lesson::random_values<T>(size, 131, -2, 2);
  const auto k = lesson::random_values<T>(size, 132, -2, 2);
  const auto v = lesson::random_values<T>(size, 133), dout = lesson::random_values<T>(size, 134);
  tl::buffer<T> qs(o.device, q), ks(o.device, k), vs(o.device, v), douts(o.device, dout);
  tl::buffer<T> out(o.device, size), dq(o.device, size), dk(o.device, size), dv(o.device, size);
  tl::buffer<float> logsum(o.device, heads * length), delta(o.device, heads * length);
  const auto launch = [&](tl::launch_grid grid) {
    return tl::launch_options{.grid = grid, .num_warps = C.num_warps, .num_stages = C.num_stages};
  };
  // One head of keys for each of queries, as many of them, and no window.
  const int group = 1, window = 0, rows = heads * length;
  forward<T, C>[launch({tl::cdiv(length, C.block_m), heads})](qs, ks, vs, out, logsum, heads, group,
                                                              length, length, window, scale);
  backward_sums<T, 16, C.head>[launch(tl::cdiv(rows, 16))](out, douts, delta, rows);
  backward_keys<T, C>[launch({tl::cdiv(length, C.block_n), heads})](
      qs, ks, vs, douts, logsum, delta, dk, dv, heads, group, length, length, window, scale);
  backward_queries<T, C>[launch({tl::cdiv(length, C.block_m), heads})](
      qs, ks, vs, douts, logsum, delta, dq, heads, group, length, length, window, scale);

  // Weights, the slopes of scores and results are rounded to float16.
  const reference want(q, k, v, dout, heads, length, C.head, scale);
  return lesson::all({lesson::close("out", out.to_vector(), want.out, 0x1p-10, 0x1p-11),
                      lesson::close("dq", dq.to_vector(), want.dq, 0x1p-10, 0x1p-10),
                      lesson::close("dk", dk.to_vector(), want.dk, 0x1p-10, 0x1p-10),
                      lesson::close("dv", dv.to_vector(), want.dv, 0x1p-10, 0x1p-10)});
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "attention backward", [](const lesson::options &o) {
    constexpr config small{
        .block_m = 16, .block_n = 16, .head = 16, .mask = mask::causal, .num_warps = 4};
    constexpr config large{.block_m = 64,
                           .block_n = 64,
                           .head = 64,
                           .mask = mask::causal,
                           .num_warps = 4,
                           .num_stages = 2};
    return o.quick ? check<small>(o, 2, 40) : check<large>(o, 4, 500);
  });
}
