// SPDX-License-Identifier: MIT
//
// Transposition of a float matrix, a tile a program. Parameters: out in rows cols.

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

template <int M, int N>
inline constexpr auto transpose_tile = tl::kernel{
    "transpose_tile", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 rows, tl::i32 cols) {
      auto i = tl::program_id(1) * M + tl::arange<M>();
      auto j = tl::program_id(0) * N + tl::arange<N>();
      auto i0 = i(tl::all, tl::newaxis);
      auto i1 = i(tl::newaxis, tl::all);
      auto j0 = j(tl::all, tl::newaxis);
      auto j1 = j(tl::newaxis, tl::all);
      auto v = tl::load(in + i0 * cols + j1, (i0 < rows) & (j1 < cols));
      tl::store(out + j0 * rows + i1, tl::trans(v), (j0 < cols) & (i1 < rows));
    }};

template <int M, int N, int Warps> configuration tile() {
  return {named("tile", {M, N, Warps}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            const int rows = a.number(2), cols = a.number(3);
            return transpose_tile<M, N>[a.on({tl::cdiv(cols, N), tl::cdiv(rows, M)}, Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), rows, cols);
          }};
}

} // namespace

measured_kernel transpose() {
  return {"transpose",
          "out in rows cols",
          {tile<32, 32, 2>(), tile<32, 32, 4>(), tile<32, 64, 4>(), tile<64, 32, 4>(),
           tile<64, 64, 4>(), tile<64, 64, 8>(), tile<64, 128, 8>(), tile<128, 64, 4>(),
           tile<128, 64, 8>(), tile<128, 32, 4>(), tile<128, 128, 8>(), tile<128, 128, 16>()},
          [](const launch_arguments &) -> std::string { return "tile 128 128 8"; }};
}

} // namespace bench::gpu
