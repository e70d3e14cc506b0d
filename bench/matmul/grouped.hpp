// SPDX-License-Identifier: MIT
#pragma once
// Several products C = A B of different extents in one launch: programs go round over the tiles of
// all of them, so that small ones do not leave the device idle.

#include "tiles.hpp"

namespace bench::products {

/// The problems lie in device memory, an entry each: `addresses` holds those of A, B and C,
/// `extents` M, N and K. All matrices are dense and lie row by row; their addresses are multiples
/// of 16, and N and K are multiples of Multiple, which the kernel cannot see.
template <class T, class R, tile_config C, int Multiple = 1>
inline constexpr auto grouped_matmul =
    tl::kernel{"grouped_matmul", [](tl::ptr<const std::int64_t> addresses,
                                    tl::ptr<const std::int32_t> extents, tl::i32 problems) {
                 tl::tensor tile = tl::program_id(0);
                 tl::tensor before = tl::program_id(0) * 0; // tiles of the problems before this one
                 for (auto problem : tl::range(0, problems)) {
                   tl::tensor M = tl::load(extents + problem * 3);
                   tl::tensor N = tl::multiple_of<Multiple>(tl::load(extents + problem * 3 + 1));
                   tl::tensor K = tl::multiple_of<Multiple>(tl::load(extents + problem * 3 + 2));
                   tl::tensor end = before + tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
                   const auto matrix = [&](int index) {
                     return tl::multiple_of<16>(tl::load(addresses + problem * 3 + index));
                   };
                   const tl::ptr<const T> a(tl::cast<const T *>(matrix(0))),
                       b(tl::cast<const T *>(matrix(1)));
                   const tl::ptr<R> c(tl::cast<R *>(matrix(2)));
                   const operands<T> o{a, b, M, N, K, K, tl::i32(1), N, tl::i32(1)};
                   tl::while_([&] { return tile < end; },
                              [&] {
                                auto [m, n] = tile_at<C>(tile - before, M, N);
                                store_tile<C>(c, m, n, sum_over_k<C>(o, m, n, 0, K), M, N, N);
                                tile += tl::num_programs(0);
                              });
                   before = end;
                 }
               }};

} // namespace bench::products
