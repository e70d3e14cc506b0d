// SPDX-License-Identifier: MIT
//
// Linear attention: the gated delta rule, a chunk of tokens at a time.
//
// A head's state S is a matrix, which each token decays, corrects along its key and reads:
//
//     S = a (S - b k (k^T S)) + b k v^T          o = S^T q
//
// Token by token that is no work for matrix units. The header says how the tokens of a chunk become
// products; a loop carries S from chunk to chunk. Here both give the same. The kernels are those
// that are measured in bench/linear_attention.

#include "../bench/linear_attention/gated_delta_rule.hpp"
#include "lesson.hpp"

namespace {

using namespace bench::linear_attention;
using T = tl::float16;

/// Sequences lie one after the other; sequence i has the tokens from starts[i] to starts[i + 1].
template <chunk_config C>
bool check(const lesson::options &o, int heads, const std::vector<std::int32_t> &starts) {
  const int sequences = int(starts.size()) - 1;
  const std::size_t rows = std::size_t(starts.back()) * heads; // a token and head each
  const float size = std::sqrt(3.0f / C.keys);                 // keys of about unit length
  const auto q = lesson::random_values<T>(rows * C.keys, 161, -size, size);
  const auto k = lesson::random_values<T>(rows * C.keys, 162, -size, size);
  const auto v = lesson::random_values<T>(rows * C.values, 163);
  const auto log_a = lesson::random_values<float>(rows, 164, -0.2f, 0);
  const auto b = lesson::random_values<float>(rows, 165, 0.1f, 0.9f);

  std::vector<double> want(v.size()), want_state;
  int longest = 0;
  for (int i = 0; i < sequences * heads; ++i) {
    const int sequence = i / heads;
    std::vector<double> state(C.keys * C.values);
    longest = std::max(longest, starts[sequence + 1] - starts[sequence]);
    for (int t = starts[sequence]; t < starts[sequence + 1]; ++t) {
      const std::size_t row = std::size_t(t) * heads + i % heads;
      const T *key = &k[row * C.keys], *query = &q[row * C.keys];
      for (int c = 0; c < C.values; ++c) {
        double along = 0; // k^T S
        for (int r = 0; r < C.keys; ++r)
          along += double(key[r]) * (state[r * C.values + c] *= std::exp(double(log_a[row])));
        for (int r = 0; r < C.keys; ++r) {
          double &s = state[r * C.values + c];
          s += b[row] * double(key[r]) * (double(v[row * C.values + c]) - along);
          want[row * C.values + c] += s * double(query[r]);
        }
      }
    }
    want_state.insert(want_state.end(), state.begin(), state.end());
  }

  tl::buffer<T> qs(o.device, q), ks(o.device, k), vs(o.device, v);
  tl::buffer<float> decay(o.device, log_a), beta(o.device, b);
  tl::buffer<float> state(o.device, want_state.size());
  tl::buffer<std::int32_t> first(o.device, starts);
  tl::buffer<T> w(o.device, k.size()), u(o.device, v.size()), out(o.device, v.size());
  state.fill(0);
  prepare_chunks<T, C>[tl::grid(tl::cdiv(longest, C.chunk), heads, sequences)](ks, vs, decay, beta,
                                                                               first, w, u, heads);
  carry_state<T, C>[tl::grid(C.values / C.block_v, heads, sequences)](qs, ks, w, u, decay, first,
                                                                      state, out, heads);
  // Operands of products, and the state before a chunk, are rounded to float16.
  return lesson::all({lesson::close("out", out.to_vector(), want, 0x1p-9, 0x1p-10),
                      lesson::close("state", state.to_vector(), want_state, 0x1p-9, 0x1p-10)});
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "gated delta rule", [](const lesson::options &o) {
    constexpr chunk_config small{.chunk = 16, .keys = 16, .values = 32, .block_v = 16};
    constexpr chunk_config large{.chunk = 64, .keys = 64, .values = 64, .block_v = 32};
    return o.quick ? check<small>(o, 2, {0, 37, 53}) : check<large>(o, 4, {0, 500, 830});
  });
}
