// SPDX-License-Identifier: MIT
#pragma once
// The products of a mixture of experts in one launch: each token goes to a few experts, and is
// multiplied by the matrices of those. Tokens are sorted by expert, and each expert's list is
// filled up to whole tiles, so that a tile has one expert; sort_by_expert does that on the host.

#include "../matmul/tiles.hpp"

#include <vector>

namespace bench::mixture {

using products::across;
using products::down;
using products::tile_config;

/// Where each tile's tokens come from: `slots` counts (token, choice) pairs, filled up with their
/// number; `experts` has an entry a tile.
struct sorted_tokens {
  std::vector<std::int32_t> slots, experts;
};
inline sorted_tokens sort_by_expert(const std::vector<std::int32_t> &chosen, int experts,
                                    int block_m) {
  sorted_tokens sorted;
  for (int expert = 0; expert < experts; ++expert) {
    for (std::size_t slot = 0; slot < chosen.size(); ++slot)
      if (chosen[slot] == expert)
        sorted.slots.push_back(static_cast<std::int32_t>(slot));
    while (sorted.slots.size() % std::size_t(block_m) != 0)
      sorted.slots.push_back(static_cast<std::int32_t>(chosen.size()));
    sorted.experts.resize(sorted.slots.size() / std::size_t(block_m), expert);
  }
  return sorted;
}

/// out[slot] = x[slot / choices] W[expert], times weight[slot] if Weighted. W is [expert, N, K].
/// On a grid of tiles for the largest possible number of slots; `used` holds the true one.
template <class T, tile_config C, bool Weighted>
inline constexpr auto fused_moe = tl::kernel{
    "fused_moe", [](tl::ptr<const T> x, tl::ptr<const T> w, tl::ptr<T> out,
                    tl::ptr<const float> weights, tl::ptr<const std::int32_t> slots,
                    tl::ptr<const std::int32_t> experts, tl::ptr<const std::int32_t> used,
                    tl::i32 count, tl::i32 most, tl::i32 choices, tl::i32 N, tl::i32 K) {
      auto [m, n] = products::tile_at<C>(tl::program_id(0), most, N);
      tl::if_(m * C.block_m < tl::load(used), [&] {
        auto slot = tl::load(slots + m * C.block_m + tl::arange<C.block_m>());
        auto expert = tl::cast<std::int64_t>(tl::load(experts + m));
        auto exists = slot < count;
        auto columns = n * C.block_n + tl::arange<C.block_n>();
        auto ks = tl::arange<C.block_k>();
        tl::tensor a_tile = x + down(slot / choices) * K + across(ks);
        tl::tensor b_tile = w + expert * (N * K) + across(columns) * K + down(ks);
        tl::tensor acc = tl::zeros<float, C.block_m, C.block_n>();
        for (auto k : tl::range(0, K, C.block_k)) {
          auto a = tl::load(a_tile, down(exists) & (across(ks) < K - k), 0.0f);
          auto b = tl::load(b_tile, (down(ks) < K - k) & (across(columns) < N), 0.0f);
          acc = products::multiply<C>(a, b, acc);
          a_tile += C.block_k;
          b_tile += C.block_k;
        }
        if constexpr (Weighted)
          acc *= down(tl::load(weights + slot, exists, 0.0f));
        tl::store(out + down(slot) * N + across(columns), tl::cast<T>(acc),
                  down(exists) & (across(columns) < N));
      });
    }};

} // namespace bench::mixture
