// SPDX-License-Identifier: MIT
//
// Elements of each row of a float matrix picked by int32 indices: out[i, j] = x[i, index[i, j]].
// Parameters: out x index rows cols.
//   register  the row is loaded as a block and tl::gather picks from it
//   memory    the loads go to the picked places

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

template <int Cols>
inline constexpr auto gather_register =
    tl::kernel{"gather_register", [](tl::ptr<float> out, tl::ptr<const float> x,
                                     tl::ptr<const std::int32_t> index, tl::i32 n) {
                 auto row = tl::program_id(0) * n;
                 auto cols = tl::arange<Cols>();
                 auto mask = cols < n;
                 auto at = tl::load(index + row + cols, mask, 0);
                 auto v = tl::load(x + row + cols, mask, 0.0f);
                 tl::store(out + row + cols, tl::gather<0>(v, at), mask);
               }};

template <int Cols>
inline constexpr auto gather_memory =
    tl::kernel{"gather_memory", [](tl::ptr<float> out, tl::ptr<const float> x,
                                   tl::ptr<const std::int32_t> index, tl::i32 n) {
                 auto row = tl::program_id(0) * n;
                 auto cols = tl::arange<Cols>();
                 auto mask = cols < n;
                 auto at = tl::load(index + row + cols, mask, 0);
                 tl::store(out + row + cols, tl::load(x + row + at, mask), mask);
               }};

template <int Cols> bool row_fits(const launch_arguments &a) {
  return rounded_up(a.number(4)) == Cols;
}

template <int Cols, int Warps> configuration in_registers() {
  return {named("register", {Cols, Warps}), row_fits<Cols>, [](const launch_arguments &a) {
            return gather_register<Cols>[a.on(a.number(3), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.pointer<const std::int32_t>(2),
                a.number(4));
          }};
}

template <int Cols, int Warps> configuration in_memory() {
  return {named("memory", {Cols, Warps}), row_fits<Cols>, [](const launch_arguments &a) {
            return gather_memory<Cols>[a.on(a.number(3), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.pointer<const std::int32_t>(2),
                a.number(4));
          }};
}

} // namespace

measured_kernel gather() {
  return {"gather",
          "out x index rows cols",
          {in_registers<1024, 2>(), in_registers<1024, 4>(), in_registers<1024, 8>(),
           in_memory<1024, 2>(), in_memory<1024, 4>(), in_memory<1024, 8>()},
          [](const launch_arguments &) -> std::string { return "register 1024 4"; }};
}

} // namespace bench::gpu
