// SPDX-License-Identifier: MIT
#pragma once
// One tile of a matrix product per program: a loop with carried tensors.
// The lesson is ../03_matmul.cpp.

#include <tl/tl.hpp>

namespace kernels {

// [kernel]
struct gemm_config {
  int block_m, block_n, block_k, group_m;
  int num_warps = 4, num_stages = 3;
};

template <class T, gemm_config C>
inline constexpr auto matmul =
    tl::kernel{[](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<T> c, tl::i32 M, tl::i32 N,
                  tl::i32 K, tl::i32 lda, tl::i32 ldb, tl::i32 ldc) {
      auto [pid_m, pid_n] = tl::swizzle2d(
          tl::program_id(0) / tl::cdiv(N, C.block_n), tl::program_id(0) % tl::cdiv(N, C.block_n),
          tl::cdiv(M, C.block_m), tl::cdiv(N, C.block_n), C.group_m);
      auto rows = pid_m * C.block_m + tl::arange<C.block_m>();
      auto cols = pid_n * C.block_n + tl::arange<C.block_n>();
      auto ks = tl::arange<C.block_k>();
      tl::tensor a_ptrs = a + rows(tl::all, tl::newaxis) * lda + ks(tl::newaxis, tl::all);
      tl::tensor b_ptrs = b + ks(tl::all, tl::newaxis) * ldb + cols(tl::newaxis, tl::all);
      auto acc = tl::zeros<float, C.block_m, C.block_n>();
      for (auto k : tl::range(0, K, C.block_k)) {
        auto a_tile = tl::load(
            a_ptrs, (rows(tl::all, tl::newaxis) < M) & (ks(tl::newaxis, tl::all) < K - k), 0.0f);
        auto b_tile = tl::load(
            b_ptrs, (ks(tl::all, tl::newaxis) < K - k) & (cols(tl::newaxis, tl::all) < N), 0.0f);
        acc += tl::dot(a_tile, b_tile);
        a_ptrs += C.block_k;
        b_ptrs += C.block_k * ldb;
      }
      auto mask = (rows(tl::all, tl::newaxis) < M) & (cols(tl::newaxis, tl::all) < N);
      tl::store(c + rows(tl::all, tl::newaxis) * ldc + cols(tl::newaxis, tl::all), tl::cast<T>(acc),
                mask);
    }};
// [kernel]

} // namespace kernels
