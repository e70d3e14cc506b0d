// SPDX-License-Identifier: MIT
//
// Layer normalisation of the rows of a float16 matrix, forward; means and reciprocal deviations are
// kept in float. Parameters: y x weight bias mean rstd rows cols. Three ways:
//   one      a program a row
//   turns    a program does one row after the other, the next row under way meanwhile
//   persist  a program keeps weight and bias in registers for many rows

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

constexpr float epsilon = 1e-5f;

using half_in = tl::ptr<const tl::float16>;
using half_out = tl::ptr<tl::float16>;

/// Normalises a row and stores it, its mean and its reciprocal deviation.
void store_normalised(half_out y, tl::ptr<float> mean, tl::ptr<float> rstd, auto row, tl::i32 n,
                      auto cols, auto mask, auto v, auto w, auto b, auto share, tl::f32 eps) {
  // Pointers without an end: nothing else leads there, so no order has to be kept.
  tl::restrict(mean), tl::restrict(rstd);
  tl::tensor m = tl::sum<0>(v) * share;
  tl::tensor centred = tl::where(mask, v - m, 0.0f);
  tl::tensor r = tl::rsqrt(tl::sum<0>(centred * centred) * share + eps);
  tl::store(mean + row, m);
  tl::store(rstd + row, r);
  tl::store(y + row * n + cols,
            tl::cast<tl::float16>(centred * r * tl::cast<float>(w) + tl::cast<float>(b)), mask);
}

template <int Cols>
inline constexpr auto layer_norm_one = tl::kernel{
    "layer_norm_one", [](half_out y, half_in x, half_in weight, half_in bias, tl::ptr<float> mean,
                         tl::ptr<float> rstd, tl::i32 n, tl::f32 eps) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      tl::tensor v = tl::cast<float>(tl::load(x + row * n + cols, mask, 0.0f));
      // Under way while the row is summed.
      auto w = tl::load(weight + cols, mask, 0.0f);
      auto b = tl::load(bias + cols, mask, 0.0f);
      tl::tensor share = 1.0f / tl::cast<float>(n);
      store_normalised(y, mean, rstd, row, n, cols, mask, v, w, b, share, eps);
    }};

template <int Cols>
inline constexpr auto layer_norm_persist =
    tl::kernel{"layer_norm_persist",
               [](half_out y, half_in x, half_in weight, half_in bias, tl::ptr<float> mean,
                  tl::ptr<float> rstd, tl::i32 rows, tl::i32 n, tl::f32 eps) {
                 auto cols = tl::arange<Cols>();
                 auto mask = cols < n;
                 auto w = tl::load(weight + cols, mask, 0.0f);
                 auto b = tl::load(bias + cols, mask, 0.0f);
                 tl::tensor share = 1.0f / tl::cast<float>(n);
                 for (auto row : tl::range(tl::program_id(0), rows, tl::num_programs(0))) {
                   tl::tensor v = tl::cast<float>(tl::load(x + row * n + cols, mask, 0.0f));
                   store_normalised(y, mean, rstd, row, n, cols, mask, v, w, b, share, eps);
                 }
               }};

template <int Cols>
inline constexpr auto layer_norm_turns = tl::kernel{
    "layer_norm_turns", [](half_out y, half_in x, half_in weight, half_in bias, tl::ptr<float> mean,
                           tl::ptr<float> rstd, tl::i32 rows, tl::i32 n, tl::f32 eps) {
      auto step = tl::num_programs(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      tl::tensor current = tl::load(x + tl::program_id(0) * n + cols, mask, 0.0f);
      auto w = tl::load(weight + cols, mask, 0.0f);
      auto b = tl::load(bias + cols, mask, 0.0f);
      tl::tensor share = 1.0f / tl::cast<float>(n);
      for (auto row : tl::range(tl::program_id(0), rows, step)) {
        auto following = row + step;
        tl::tensor next = tl::load(x + following * n + cols, mask & (following < rows), 0.0f);
        tl::tensor v = tl::cast<float>(current);
        store_normalised(y, mean, rstd, row, n, cols, mask, v, w, b, share, eps);
        current = next;
      }
    }};

template <int Cols> bool row_fits(const launch_arguments &a) {
  return rounded_up(a.number(7)) == Cols;
}

template <int Cols, int Warps, int Registers = 0> configuration one() {
  return {named("one", {Cols, Warps, Registers}), row_fits<Cols>, [](const launch_arguments &a) {
            return layer_norm_one<Cols>[a.on(a.number(6), Warps, Registers)](
                a.pointer<tl::float16>(0), a.pointer<const tl::float16>(1),
                a.pointer<const tl::float16>(2), a.pointer<const tl::float16>(3),
                a.pointer<float>(4), a.pointer<float>(5), a.number(7), epsilon);
          }};
}

template <int Cols, int Warps, int Residents> configuration persist() {
  return {named("persist", {Cols, Warps, Residents}), row_fits<Cols>,
          [](const launch_arguments &a) {
            const int programs = std::min(a.number(6), a.multiprocessors * Residents);
            return layer_norm_persist<Cols>[a.on(programs, Warps)](
                a.pointer<tl::float16>(0), a.pointer<const tl::float16>(1),
                a.pointer<const tl::float16>(2), a.pointer<const tl::float16>(3),
                a.pointer<float>(4), a.pointer<float>(5), a.number(6), a.number(7), epsilon);
          }};
}

template <int Cols, int Warps, int Residents, int Registers = 0> configuration turns() {
  return {named("turns", {Cols, Warps, Residents, Registers}), row_fits<Cols>,
          [](const launch_arguments &a) {
            const int programs = std::min(a.number(6), a.multiprocessors * Residents);
            return layer_norm_turns<Cols>[a.on(programs, Warps, Registers)](
                a.pointer<tl::float16>(0), a.pointer<const tl::float16>(1),
                a.pointer<const tl::float16>(2), a.pointer<const tl::float16>(3),
                a.pointer<float>(4), a.pointer<float>(5), a.number(6), a.number(7), epsilon);
          }};
}

std::string choose(const launch_arguments &a) {
  switch (rounded_up(a.number(7))) {
  case 1024:
    return "one 1024 4 32";
  case 2048:
    return "one 2048 4";
  case 4096:
    return "one 4096 8 48";
  case 8192:
    return "one 8192 8 80";
  default:
    return a.number(7) > 8192 ? "turns 16384 16 1" : "one 1024 4";
  }
}

} // namespace

measured_kernel layer_norm() {
  return {"layer_norm",
          "y x weight bias mean rstd rows cols",
          {one<1024, 2>(),           one<1024, 4>(),        one<1024, 4, 32>(),
           persist<1024, 4, 8>(),    one<2048, 2>(),        one<2048, 4>(),
           one<2048, 8>(),           persist<2048, 4, 8>(), one<4096, 4>(),
           one<4096, 4, 80>(),       one<4096, 8>(),        one<4096, 8, 48>(),
           persist<4096, 8, 4>(),    one<8192, 8>(),        one<8192, 8, 80>(),
           one<8192, 16>(),          one<8192, 16, 40>(),   turns<8192, 8, 2, 128>(),
           turns<8192, 16, 2, 64>(), one<16384, 16>(),      one<16384, 32>(),
           turns<16384, 16, 1>(),    turns<16384, 32, 1>(), persist<16384, 16, 2>()},
          choose};
}

} // namespace bench::gpu
