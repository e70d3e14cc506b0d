// SPDX-License-Identifier: MIT
//
// Batches of products of float16. Parameters: a b c batch M N K. Three ways, each with block_m
// block_n block_k warps stages: "each" is a program a tile of one product, "all" a program a
// multiprocessor, which takes tiles of all products, "several" a program that many products (the
// last number), each of one tile.

#include "../matmul/batched.hpp"
#include "kernel_list.hpp"

#include <algorithm>

namespace bench::gpu {
namespace {

using T = tl::float16;
using products::tile_config;

tl::launch_options launched(const launch_arguments &a, tl::launch_grid grid, const tile_config &c) {
  tl::launch_options options = a.on(grid, c.num_warps);
  options.num_stages = c.num_stages;
  return options;
}

template <tile_config C> configuration each() {
  return {named("each", {C.block_m, C.block_n, C.block_k, C.num_warps, C.num_stages}),
          [](const launch_arguments &a) {
            return (C.block_m <= 16 || C.block_m < 2 * a.number(4)) &&
                   (C.block_n <= 16 || C.block_n < 2 * a.number(5));
          },
          [](const launch_arguments &a) {
            const int batch = a.number(3), M = a.number(4), N = a.number(5);
            const int tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
            return products::batched_matmul<T, T, C>[launched(a, {tiles, batch}, C)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<T>(2), M, N, a.number(6));
          }};
}

template <tile_config C> configuration all() {
  return {named("all", {C.block_m, C.block_n, C.block_k, C.num_warps, C.num_stages}),
          [](const launch_arguments &a) {
            return C.block_m < 2 * a.number(4) && C.block_n < 2 * a.number(5) &&
                   a.number(5) % 8 == 0 && a.number(6) % 8 == 0; // rows begin at 16 bytes
          },
          [](const launch_arguments &a) {
            const std::int64_t batch = a.number(3), M = a.number(4), N = a.number(5),
                               K = a.number(6);
            const auto described = [&]<int Rows, int Columns>(int i, auto rows, auto columns) {
              return tl::tensor_descriptor<T, 1, Rows, Columns>(
                  a.pointer<T>(i), {batch, rows, columns}, {rows * columns, columns, 1});
            };
            const int tiles = tl::cdiv(int(M), C.block_m) * tl::cdiv(int(N), C.block_n);
            const int programs = int(std::min<std::int64_t>(a.multiprocessors, tiles * batch));
            return products::batched_matmul_descriptors<T, T, C>[launched(a, programs, C)](
                described.template operator()<C.block_m, C.block_k>(0, M, K),
                described.template operator()<C.block_k, C.block_n>(1, K, N),
                described.template operator()<C.block_m, C.block_n>(2, M, N), int(batch), int(M),
                int(N), int(K));
          }};
}

template <tile_config C, int Batch> configuration several() {
  return {named("several", {C.block_m, C.block_n, C.block_k, C.num_warps, C.num_stages, Batch}),
          [](const launch_arguments &a) {
            return C.block_m >= a.number(4) && C.block_n >= a.number(5) &&
                   C.block_m < 4 * a.number(4);
          },
          [](const launch_arguments &a) {
            const int batch = a.number(3);
            return products::small_batched_matmul<T, T, C, Batch>[launched(
                a, tl::cdiv(batch, Batch), C)](a.pointer<const T>(0), a.pointer<const T>(1),
                                               a.pointer<T>(2), batch, a.number(4), a.number(5),
                                               a.number(6));
          }};
}

} // namespace

measured_kernel matmul_batched() {
  return {"matmul_batched",
          "a b c batch M N K",
          {each<{16, 16, 32, 1, 1, 3}>(), each<{32, 32, 32, 1, 2, 3}>(),
           each<{64, 64, 64, 8, 4, 3}>(), each<{64, 128, 64, 8, 4, 3}>(),
           each<{128, 128, 64, 8, 4, 4}>(), each<{128, 128, 64, 8, 8, 3}>(),
           each<{128, 256, 64, 8, 8, 3}>(), all<{128, 128, 64, 8, 8, 4}>(),
           all<{128, 256, 64, 8, 8, 4}>(), several<{16, 16, 16, 1, 4, 3}, 4>(),
           several<{16, 16, 16, 1, 4, 3}, 8>(), several<{32, 32, 32, 1, 4, 3}, 4>()},
          [](const launch_arguments &a) -> std::string {
            return a.number(4) < 32   ? "each 16 16 32 1 3"
                   : a.number(4) < 64 ? "each 32 32 32 2 3"
                                      : "each 64 64 64 4 3";
          }};
}

} // namespace bench::gpu
