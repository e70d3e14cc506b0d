// SPDX-License-Identifier: MIT
//
// Products of float that are not rounded to tf32, which have no matrix instruction: by tiles that
// fit into registers. Parameters as those of products.hpp.

#include "products.hpp"

namespace bench::gpu {
namespace {

template <int M, int N, int K, int Warps, int Stages> configuration exact_tile() {
  return tile<float, float, tile_config{M, N, K, 8, Warps, Stages, 1, true}>();
}

} // namespace

measured_kernel matmul_ieee() {
  return {"matmul_ieee",
          "a b c M N K a_row a_column b_row b_column c_row scratch",
          {exact_tile<128, 128, 16, 4, 3>(), exact_tile<128, 128, 32, 4, 3>(),
           exact_tile<128, 128, 16, 8, 3>(), exact_tile<128, 128, 32, 8, 3>(),
           exact_tile<128, 64, 32, 4, 3>(), exact_tile<64, 64, 16, 4, 3>(),
           exact_tile<32, 32, 32, 4, 3>()},
          [](const launch_arguments &a) -> std::string {
            const std::int64_t results = a.number(3) * std::int64_t(a.number(4));
            return results < 1 << 20   ? "tile 32 32 32 4 3"
                   : results < 1 << 22 ? "tile 128 64 32 4 3"
                                       : "tile 128 128 32 8 3";
          }};
}

} // namespace bench::gpu
