// SPDX-License-Identifier: MIT
//
// The products of a mixture of experts. Parameters: x w out weights slots experts used count most
// choices N K, as bench/mixture/fused_moe.hpp has them; the tokens are sorted in tiles of `tile`,
// the last parameter. A configuration is block_m block_n block_k warps stages.

#include "../mixture/fused_moe.hpp"
#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

using T = tl::float16;
using products::tile_config;

template <tile_config C> configuration tile() {
  return {named("tile", {C.block_m, C.block_n, C.block_k, C.num_warps, C.num_stages}),
          [](const launch_arguments &a) { return a.number(12) == C.block_m; },
          [](const launch_arguments &a) {
            const int most = a.number(8), N = a.number(10);
            tl::launch_options options =
                a.on(most / C.block_m * tl::cdiv(N, C.block_n), C.num_warps);
            options.num_stages = C.num_stages;
            return mixture::fused_moe<T, C, true>[options](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<T>(2),
                a.pointer<const float>(3), a.pointer<const std::int32_t>(4),
                a.pointer<const std::int32_t>(5), a.pointer<const std::int32_t>(6), a.number(7),
                most, a.number(9), N, a.number(11));
          }};
}

} // namespace

measured_kernel fused_moe() {
  return {"fused_moe",
          "x w out weights slots experts used count most choices N K tile",
          {tile<{16, 64, 128, 1, 4, 4}>(), tile<{16, 128, 64, 1, 4, 4}>(),
           tile<{64, 128, 64, 8, 4, 4}>(), tile<{64, 256, 64, 8, 8, 3}>(),
           tile<{128, 128, 64, 8, 8, 3}>(), tile<{128, 256, 64, 8, 8, 3}>()},
          [](const launch_arguments &a) -> std::string {
            return a.number(12) == 16   ? "tile 16 128 64 4 4"
                   : a.number(12) == 64 ? "tile 64 128 64 4 4"
                                        : "tile 128 128 64 8 3";
          }};
}

} // namespace bench::gpu
