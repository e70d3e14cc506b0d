// SPDX-License-Identifier: MIT
//
// How often each of 256 numbers occurs in a vector of int32. Parameters: out in n. The counts are
// zeroed first, as part of the work.

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

constexpr int bins = 256;

template <int Block>
inline constexpr auto histogram_loop = tl::kernel{
    "histogram_loop", [](tl::ptr<std::int32_t> out, tl::ptr<const std::int32_t> in, tl::i32 n) {
      auto lanes = tl::arange<Block>();
      tl::tensor counts = tl::zeros<std::int32_t, bins>();
      for (auto start : tl::range(tl::program_id(0) * Block, n, tl::num_programs(0) * Block)) {
        auto at = start + lanes;
        auto mask = at < n;
        counts += tl::histogram<bins>(tl::load(in + at, mask, 0), mask);
      }
      tl::atomic_add(out + tl::arange<bins>(), counts, {.sem = tl::sem::relaxed});
    }};

template <int Block, int Warps, int Residents> configuration loop() {
  return {named("loop", {Block, Warps, Residents}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            auto *out = a.pointer<std::int32_t>(0);
            tl::impl::check(tl_fill(a.stream, out, 0, bins * sizeof *out));
            const int programs =
                std::max(1, std::min(a.multiprocessors * Residents,
                                     static_cast<int>(tl::cdiv(a.number(2), Block))));
            return histogram_loop<Block>[a.on(programs, Warps)](
                out, a.pointer<const std::int32_t>(1), a.number(2));
          }};
}

} // namespace

measured_kernel histogram() {
  return {"histogram",
          "out in n",
          {loop<1024, 4, 4>(), loop<1024, 4, 8>(), loop<2048, 4, 4>(), loop<2048, 4, 8>(),
           loop<4096, 4, 8>(), loop<4096, 8, 2>(), loop<4096, 8, 4>(), loop<8192, 8, 4>(),
           loop<8192, 16, 2>(), loop<16384, 8, 4>()},
          [](const launch_arguments &) -> std::string { return "loop 4096 8 4"; }};
}

} // namespace bench::gpu
