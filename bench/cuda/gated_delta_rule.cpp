// SPDX-License-Identifier: MIT
//
// Chunked linear attention by the gated delta rule. Parameters: q k v decay beta starts w u state
// out sequences heads longest, of float16, with keys and values of 128. A configuration is the
// chunk, the columns that a program carries, warps and stages.

#include "../linear_attention/gated_delta_rule.hpp"
#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

using T = tl::float16;
using linear_attention::chunk_config;

bool always(const launch_arguments &) { return true; }

template <chunk_config C> configuration chunks() {
  return {named("chunks", {C.chunk, C.block_v, C.num_warps, C.num_stages}), always,
          [](const launch_arguments &a) {
            const int sequences = a.number(10), heads = a.number(11);
            const auto launched = [&](int first) {
              tl::launch_options options = a.on({first, heads, sequences}, C.num_warps);
              options.num_stages = C.num_stages;
              return options;
            };
            const auto *k = a.pointer<const T>(1);
            const auto *decay = a.pointer<const float>(3);
            const auto *starts = a.pointer<const std::int32_t>(5);
            linear_attention::prepare_chunks<T, C>[launched(tl::cdiv(a.number(12), C.chunk))](
                k, a.pointer<const T>(2), decay, a.pointer<const float>(4), starts, a.pointer<T>(6),
                a.pointer<T>(7), heads);
            return linear_attention::carry_state<T, C>[launched(C.values / C.block_v)](
                a.pointer<const T>(0), k, a.pointer<const T>(6), a.pointer<const T>(7), decay,
                starts, a.pointer<float>(8), a.pointer<T>(9), heads);
          }};
}

} // namespace

measured_kernel gated_delta_rule() {
  return {"gated_delta_rule",
          "q k v decay beta starts w u state out sequences heads longest",
          {chunks<{64, 128, 128, 32, 4, 2}>(), chunks<{64, 128, 128, 64, 4, 2}>(),
           chunks<{64, 128, 128, 64, 8, 2}>(), chunks<{32, 128, 128, 32, 4, 2}>()},
          [](const launch_arguments &) -> std::string { return "chunks 64 64 4 2"; }};
}

} // namespace bench::gpu
