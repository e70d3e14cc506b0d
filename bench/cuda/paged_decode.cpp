// SPDX-License-Identifier: MIT
//
// Attention of one query a sequence over pages. Parameters: q keys values table lengths partial
// logs out sequences heads key_heads page_size table_row, of float16 and heads of 128. A
// configuration is the keys of a step, the parts of a sequence, warps and stages.

#include "../attention/paged_decode.hpp"
#include "kernel_list.hpp"

#include <cmath>
#include <string>

namespace bench::gpu {
namespace {

using T = tl::float16;
using attention::decode_config;

template <decode_config C> configuration parts() {
  return {named("parts", {C.block_n, C.splits, C.num_warps, C.num_stages}),
          [](const launch_arguments &a) { return a.number(9) / a.number(10) <= C.group; },
          [](const launch_arguments &a) {
            const int sequences = a.number(8), heads = a.number(9), key_heads = a.number(10);
            tl::launch_options options = a.on({sequences, key_heads, C.splits}, C.num_warps);
            options.num_stages = C.num_stages;
            auto *partial = a.pointer<float>(5), *logs = a.pointer<float>(6);
            auto kernel = attention::paged_decode<T, C>[options](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<const T>(2),
                a.pointer<const std::int32_t>(3), a.pointer<const std::int32_t>(4), partial, logs,
                heads, key_heads, a.number(11), a.number(12), 1 / std::sqrt(float(C.head)));
            attention::join_splits<T, C>[a.on(sequences * heads, 4)](partial, logs,
                                                                     a.pointer<T>(7));
            return kernel;
          }};
}

} // namespace

measured_kernel paged_decode() {
  return {
      "paged_decode",
      "q keys values table lengths partial logs out sequences heads key_heads page_size table_row",
      {parts<{64, 16, 128, 1, 4, 3}>(), parts<{64, 16, 128, 2, 4, 3}>(),
       parts<{64, 16, 128, 4, 4, 3}>(), parts<{64, 16, 128, 8, 4, 3}>(),
       parts<{64, 16, 128, 16, 4, 3}>(), parts<{64, 16, 128, 32, 4, 3}>(),
       parts<{64, 16, 128, 16, 4, 2}>(), parts<{32, 16, 128, 16, 2, 4}>(),
       parts<{32, 16, 128, 32, 2, 4}>(), parts<{128, 16, 128, 8, 8, 2}>()},
      [](const launch_arguments &a) {
        // As many programs as run at once, two a multiprocessor.
        const std::int64_t all = 2 * a.multiprocessors, whole = a.number(8) * a.number(10);
        int splits = 1;
        while (splits < 32 && 2 * splits * whole <= all)
          splits *= 2;
        return "parts 64 " + std::to_string(splits) + " 4 3";
      }};
}

} // namespace bench::gpu
