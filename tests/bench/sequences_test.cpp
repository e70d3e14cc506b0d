// SPDX-License-Identifier: MIT
//
// Linear attention and the mixture of experts of bench/, on all devices, beside double. Linear
// attention is compared with its recurrence, token by token: operands of products and the state
// between chunks are rounded to float16 several times, so that the error stays below 2^-7 of the
// largest value.
#include "../../bench/linear_attention/gated_delta_rule.hpp"
#include "../../bench/mixture/fused_moe.hpp"
#include "reference.hpp"

#include <cmath>

using namespace reference;

namespace {

using T = tl::float16;
using bench::linear_attention::chunk_config;

template <chunk_config C>
void check_recurrence(const std::vector<std::int32_t> &starts, int heads) {
  namespace kernels = bench::linear_attention;
  const int tokens = starts.back(), sequences = int(starts.size()) - 1;
  const std::size_t keys_size = std::size_t(tokens * heads) * C.keys,
                    values_size = std::size_t(tokens * heads) * C.values;
  const double near_one = 1 / std::sqrt(double(C.keys) / 3); // of a key's length
  const operand<T> q(keys_size, {-near_one, near_one}), k(keys_size, {-near_one, near_one}),
      v(values_size);
  const operand<float> decay(std::size_t(tokens * heads), {-0.2, 0}),
      beta(std::size_t(tokens * heads), {0.1, 0.9});
  const operand<float> state(std::size_t(sequences * heads * C.keys) * C.values);
  std::vector<double> want(values_size), wanted_state = state.exact;
  for (int sequence = 0; sequence < sequences; ++sequence)
    for (int h = 0; h < heads; ++h) {
      double *s = &wanted_state[std::size_t((sequence * heads + h) * C.keys) * C.values];
      for (int t = starts[sequence]; t < starts[sequence + 1]; ++t) {
        const std::size_t at = std::size_t(t * heads + h);
        const double a = std::exp(decay[at]), b = beta[at];
        for (int c = 0; c < C.values; ++c) {
          double along = 0; // k^T S
          for (int r = 0; r < C.keys; ++r)
            along += k[at * C.keys + r] * s[r * C.values + c] * a;
          for (int r = 0; r < C.keys; ++r) {
            double &element = s[r * C.values + c];
            element = a * element + b * k[at * C.keys + r] * (v[at * C.values + c] - along);
            want[at * C.values + c] += element * q[at * C.keys + r];
          }
        }
      }
    }
  int longest = 0;
  for (int i = 0; i < sequences; ++i)
    longest = std::max(longest, starts[i + 1] - starts[i]);
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.chunk > 16)
      continue;
    INFO(std::string(device.name()), " chunk ", C.chunk);
    tl::buffer<T> queries = q.on(device), keys = k.on(device), values = v.on(device);
    tl::buffer<float> decays = decay.on(device), betas = beta.on(device);
    const tl::buffer<std::int32_t> first(device, starts);
    tl::buffer<T> w(device, keys_size), u(device, values_size);
    tl::buffer<float> carried = state.on(device);
    tl::testing::guarded_buffer<T> out(device, values_size);
    kernels::prepare_chunks<T, C>[on(device, {tl::cdiv(longest, C.chunk), heads, sequences}, C)](
        keys, values, decays, betas, first, w, u, heads);
    kernels::carry_state<T, C>[on(device, {C.values / C.block_v, heads, sequences}, C)](
        queries, keys, w, u, decays, first, carried, out, heads);
    check_close(out, want, 0x1p-7);
    CHECK(tl::testing::allclose(carried, wanted_state, {.rtol = 0x1p-7, .atol = 0x1p-7}));
  }
}

template <bench::products::tile_config C, bool Weighted>
void check_experts(int tokens, int choices, int experts, int N, int K) {
  namespace kernels = bench::mixture;
  const int count = tokens * choices;
  const operand<T> x(std::size_t(tokens) * K), w(std::size_t(experts) * N * K);
  const operand<float> weights(std::size_t(count), {0, 1});
  const auto chosen =
      tl::testing::random_values<std::int32_t>(std::size_t(count), {0, double(experts)});
  const kernels::sorted_tokens sorted = kernels::sort_by_expert(chosen, experts, C.block_m);
  std::vector<double> want(std::size_t(count) * N);
  for (int slot = 0; slot < count; ++slot)
    for (int n = 0; n < N; ++n) {
      double &sum = want[std::size_t(slot) * N + n];
      for (int i = 0; i < K; ++i)
        sum +=
            x[std::size_t(slot / choices) * K + i] * w[(std::size_t(chosen[slot]) * N + n) * K + i];
      if (Weighted)
        sum *= weights[slot];
    }
  // A launch that does not know how the tokens fall has a place for a tile more of each expert.
  const int tiles = tl::cdiv(count, C.block_m) + experts, most = tiles * C.block_m;
  auto slots = sorted.slots;
  slots.resize(std::size_t(most), count);
  auto owners = sorted.experts;
  owners.resize(std::size_t(tiles), 0);
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.block_m > 32)
      continue;
    INFO(std::string(device.name()));
    tl::buffer<T> tokens_of = x.on(device), matrices = w.on(device);
    tl::buffer<float> factors = weights.on(device);
    const tl::buffer<std::int32_t> slot_list(device, slots), owner_list(device, owners),
        used(device, std::vector<std::int32_t>{std::int32_t(sorted.slots.size())});
    tl::testing::guarded_buffer<T> out(device, want.size());
    kernels::fused_moe<T, C, Weighted>[on(device, tiles * tl::cdiv(N, C.block_n), C)](
        tokens_of, matrices, out, factors, slot_list, owner_list, used, count, most, choices, N, K);
    check_close(out, want, 0x1p-10);
  }
}

} // namespace

TEST_CASE("the gated delta rule in chunks gives what its recurrence gives") {
  check_recurrence<chunk_config{16, 16, 32, 16}>({0, 37}, 2);
  check_recurrence<chunk_config{16, 32, 16, 16}>({0, 16, 17, 17, 60}, 1);
  check_recurrence<chunk_config{64, 64, 64, 32}>({0, 200, 330}, 2);
  check_recurrence<chunk_config{64, 128, 128, 64, 8}>({0, 130}, 1);
}

TEST_CASE("tokens are multiplied by the matrices of their experts") {
  using bench::products::tile_config;
  check_experts<tile_config{16, 32, 16, 4}, true>(19, 2, 4, 40, 50);
  check_experts<tile_config{16, 16, 32, 1}, false>(5, 1, 7, 33, 64);
  check_experts<tile_config{64, 128, 64, 8, 4, 3}, true>(150, 2, 5, 264, 200);
}
