// SPDX-License-Identifier: MIT
//
// RMS norm of the rows of a float matrix: divided by the root of their mean square, times a weight.
// Parameters: y x weight rows cols.

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

constexpr float epsilon = 1e-6f;

template <int Cols>
inline constexpr auto rms_norm_one =
    tl::kernel{"rms_norm_one", [](tl::ptr<float> y, tl::ptr<const float> x,
                                  tl::ptr<const float> weight, tl::i32 n, tl::f32 eps) {
                 auto row = tl::program_id(0);
                 auto cols = tl::arange<Cols>();
                 auto mask = cols < n;
                 tl::tensor v = tl::load(x + row * n + cols, mask, 0.0f);
                 auto w = tl::load(weight + cols, mask, 0.0f);
                 tl::tensor r = tl::rsqrt(tl::sum<0>(v * v) / tl::cast<float>(n) + eps);
                 tl::store(y + row * n + cols, v * r * w, mask);
               }};

template <int Cols>
inline constexpr auto rms_norm_persist = tl::kernel{
    "rms_norm_persist", [](tl::ptr<float> y, tl::ptr<const float> x, tl::ptr<const float> weight,
                           tl::i32 rows, tl::i32 n, tl::f32 eps) {
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      auto w = tl::load(weight + cols, mask, 0.0f);
      for (auto row : tl::range(tl::program_id(0), rows, tl::num_programs(0))) {
        tl::tensor v = tl::load(x + row * n + cols, mask, 0.0f);
        tl::tensor r = tl::rsqrt(tl::sum<0>(v * v) / tl::cast<float>(n) + eps);
        tl::store(y + row * n + cols, v * r * w, mask);
      }
    }};

template <int Cols> bool row_fits(const launch_arguments &a) {
  return rounded_up(a.number(4)) == Cols;
}

template <int Cols, int Warps> configuration one() {
  return {named("one", {Cols, Warps}), row_fits<Cols>, [](const launch_arguments &a) {
            return rms_norm_one<Cols>[a.on(a.number(3), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.pointer<const float>(2),
                a.number(4), epsilon);
          }};
}

template <int Cols, int Warps, int Residents> configuration persist() {
  return {
      named("persist", {Cols, Warps, Residents}), row_fits<Cols>, [](const launch_arguments &a) {
        return rms_norm_persist<Cols>[a.on(std::min(a.number(3), a.multiprocessors * Residents),
                                           Warps)](a.pointer<float>(0), a.pointer<const float>(1),
                                                   a.pointer<const float>(2), a.number(3),
                                                   a.number(4), epsilon);
      }};
}

} // namespace

measured_kernel rms_norm() {
  return {"rms_norm",
          "y x weight rows cols",
          {one<1024, 4>(), one<8192, 8>(), one<8192, 16>(), one<8192, 32>(), persist<8192, 8, 2>(),
           persist<8192, 16, 2>(), persist<8192, 16, 3>()},
          [](const launch_arguments &a) -> std::string {
            return rounded_up(a.number(4)) <= 1024 ? "one 1024 4" : "one 8192 32";
          }};
}

} // namespace bench::gpu
