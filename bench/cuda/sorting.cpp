// SPDX-License-Identifier: MIT
//
// The rows of a float matrix in order (parameters: out in rows cols), and the eight largest of each
// (parameters: out in rows cols). "row" has columns, rounded up to a power of two, and warps.

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

constexpr int most = 8;

template <int Cols>
inline constexpr auto sort_row = tl::kernel{
    "sort_row", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols) {
      auto row = tl::program_id(0) * n_cols;
      auto cols = tl::arange<Cols>();
      auto mask = cols < n_cols;
      tl::store(out + row + cols, tl::sort(tl::load(in + row + cols, mask, tl::inf)), mask);
    }};

template <int Cols>
inline constexpr auto topk_row =
    tl::kernel{"topk_row", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols) {
                 auto row = tl::program_id(0);
                 auto cols = tl::arange<Cols>();
                 auto x = tl::load(in + row * n_cols + cols, cols < n_cols, -tl::inf);
                 tl::store(out + row * most + tl::arange<most>(), tl::topk<most>(x));
               }};

template <int Cols, int Warps, bool Sorts> configuration row() {
  return {named("row", {Cols, Warps}),
          [](const launch_arguments &a) { return rounded_up(a.number(3)) == Cols; },
          [](const launch_arguments &a) {
            const auto options = a.on(a.number(2), Warps);
            auto *out = a.pointer<float>(0);
            const auto *in = a.pointer<const float>(1);
            if constexpr (Sorts)
              return sort_row<Cols>[options](out, in, a.number(3));
            else
              return topk_row<Cols>[options](out, in, a.number(3));
          }};
}

template <bool Sorts> std::vector<configuration> configurations() {
  return {row<1024, 1, Sorts>(), row<1024, 2, Sorts>(), row<1024, 4, Sorts>(),
          row<4096, 2, Sorts>(), row<4096, 4, Sorts>(), row<4096, 8, Sorts>(),
          row<4096, 16, Sorts>()};
}

std::string choose(const launch_arguments &a) {
  return rounded_up(a.number(3)) == 1024 ? "row 1024 2" : "row 4096 8";
}

} // namespace

measured_kernel sort() { return {"sort", "out in rows cols", configurations<true>(), choose}; }
measured_kernel topk() { return {"topk", "out in rows cols", configurations<false>(), choose}; }

} // namespace bench::gpu
