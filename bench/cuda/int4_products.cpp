// SPDX-License-Identifier: MIT
//
// Products of float16 with weights of four bits. Parameters: x words zeros scales c M N K group
// scratch, as bench/matmul/int4_weights.hpp and products.hpp have them. A configuration is block_m
// block_n block_k warps stages and the number of parts of K.

#include "../matmul/int4_weights.hpp"
#include "products.hpp"

namespace bench::gpu {
namespace {

using T = tl::float16;
constexpr int group = 128; // rows that share a zero and a scale

int tiles_of(const launch_arguments &a, const tile_config &c) {
  return tl::cdiv(a.number(5), c.block_m) * tl::cdiv(a.number(6), c.block_n);
}

std::string named(const char *kind, const tile_config &c) {
  return gpu::named(kind, {c.block_m, c.block_n, c.block_k, c.num_warps, c.num_stages, c.splits});
}

template <tile_config C> bool fits(const launch_arguments &a) {
  const int M = a.number(5), N = a.number(6), K = a.number(7);
  return (C.block_m <= 16 || C.block_m < 2 * M) && C.block_n < 2 * N && a.number(8) == group &&
         group % C.block_k == 0 && K >= C.splits * C.block_k &&
         (C.splits == 1 || tiles_of(a, C) <= 4 * a.multiprocessors);
}

/// Launches `kernel`, whose first parameter is `x`.
template <tile_config C>
tl::compiled_kernel run(const launch_arguments &a, const auto &kernel, const auto &x) {
  return kernel[launched(a, {tiles_of(a, C), C.splits}, C)](
      x, a.pointer<const std::int32_t>(1), a.pointer<const std::int32_t>(2), a.pointer<const T>(3),
      a.pointer<T>(4), int(a.number(5)), int(a.number(6)) / 8, int(a.number(7)),
      a.pointer<float>(9) + counters_of_products, a.pointer<std::int32_t>(9));
}

template <tile_config C> configuration parts() {
  return {named("parts", C), fits<C>, [](const launch_arguments &a) {
            return run<C>(a, products::int4_matmul<T, C, group>, a.pointer<const T>(0));
          }};
}

/// `Together`: programs a multiprocessor that add their sums at once, or none.
template <tile_config C, int Together = 0> configuration described() {
  return {named(Together ? "together" : "described", C),
          [](const launch_arguments &a) {
            return fits<C>(a) && a.number(7) % group == 0 &&
                   (!Together || tiles_of(a, C) * C.splits <= Together * a.multiprocessors);
          },
          [](const launch_arguments &a) {
            const int M = a.number(5), K = a.number(7);
            return run<C>(
                a, products::int4_matmul_described<T, C, group, Together != 0>,
                tl::tensor_descriptor<T, C.block_m, C.block_k>(a.pointer<T>(0), {M, K}, {K, 1}));
          }};
}

} // namespace

measured_kernel matmul_int4() {
  return {"matmul_int4",
          "x words zeros scales c M N K group scratch",
          {parts<{16, 256, 128, 1, 4, 4, 4}>(),        parts<{16, 256, 128, 1, 4, 3, 8}>(),
           parts<{16, 256, 64, 1, 4, 4, 8}>(),         parts<{16, 128, 128, 1, 2, 4, 4}>(),
           parts<{16, 128, 128, 1, 2, 3, 8}>(),        parts<{16, 64, 128, 1, 1, 4, 8}>(),
           parts<{16, 64, 64, 1, 1, 4, 1}>(),          parts<{16, 512, 64, 1, 8, 4, 8}>(),
           parts<{32, 128, 64, 1, 2, 4, 4}>(),         parts<{64, 128, 64, 1, 2, 4, 4}>(),
           parts<{64, 64, 64, 1, 1, 4, 8}>(),          parts<{64, 256, 64, 1, 4, 4, 4}>(),
           parts<{64, 256, 64, 1, 4, 3, 8}>(),         parts<{64, 256, 128, 1, 8, 3, 4}>(),
           parts<{64, 128, 128, 1, 4, 4, 4}>(),        parts<{64, 128, 64, 1, 4, 4, 4}>(),
           described<{64, 128, 128, 1, 4, 4, 4}>(),    described<{64, 256, 128, 1, 8, 4, 4}>(),
           described<{64, 256, 64, 1, 4, 4, 8}>(),     described<{64, 256, 64, 1, 4, 5, 4}>(),
           described<{64, 256, 64, 1, 4, 5, 8}>(),     described<{64, 256, 64, 1, 4, 5, 4}, 1>(),
           described<{64, 256, 64, 1, 4, 5, 8}, 2>(),  described<{64, 128, 128, 1, 4, 4, 4}, 2>(),
           described<{64, 256, 128, 1, 8, 4, 4}, 1>(), parts<{128, 128, 64, 8, 8, 3, 1}>()},
          [](const launch_arguments &a) -> std::string {
            const int M = a.number(5), K = a.number(7);
            if (M > 64 || K < 512)
              return M > 64 ? "parts 128 128 64 8 3 1" : "parts 16 64 64 1 4 1";
            if (M <= 16)
              return "parts 16 256 128 4 4 4";
            return K % group == 0 ? "described 64 128 128 4 4 4" : "parts 64 128 128 4 4 4";
          }};
}

} // namespace bench::gpu
