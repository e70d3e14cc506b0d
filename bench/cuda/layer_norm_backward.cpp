// SPDX-License-Identifier: MIT
//
// Gradients of the layer normalisation of a float16 matrix. Parameters: dx dweight dbias dy x
// weight mean rstd rows cols scratch, where scratch holds two rows of float a program.
//   fused   a program takes many rows and keeps its share of the weights' gradients in registers;
//           a second kernel adds up the shares
//   apart   one kernel for dx, a program a row, another for the weights' gradients by columns

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

using half_in = tl::ptr<const tl::float16>;
using half_out = tl::ptr<tl::float16>;

/// `Ahead`: the next row is under way while one is computed, which takes registers.
template <int Cols, bool Ahead>
inline constexpr auto backward_fused =
    tl::kernel{"layer_norm_backward",
               [](half_out dx, half_in dy, half_in x, half_in weight, tl::ptr<const float> mean,
                  tl::ptr<const float> rstd, tl::ptr<float> partial_dw, tl::ptr<float> partial_db,
                  tl::i32 rows, tl::i32 n) {
                 auto cols = tl::arange<Cols>();
                 auto mask = cols < n;
                 auto w = tl::load(weight + cols, mask, 0.0f);
                 tl::tensor share = 1.0f / tl::cast<float>(n);
                 tl::tensor dw = tl::zeros<float, Cols>();
                 tl::tensor db = tl::zeros<float, Cols>();
                 auto step = tl::num_programs(0);
                 auto fetch = [&](half_in from, auto row) {
                   return tl::load(from + row * n + cols, mask & (row < rows), 0.0f);
                 };
                 tl::tensor next_x = fetch(x, tl::program_id(0));
                 tl::tensor next_dy = fetch(dy, tl::program_id(0));
                 for (auto row : tl::range(tl::program_id(0), rows, step)) {
                   if constexpr (!Ahead) {
                     next_x = fetch(x, row);
                     next_dy = fetch(dy, row);
                   }
                   tl::tensor in = tl::cast<float>(next_x);
                   tl::tensor g = tl::cast<float>(next_dy);
                   if constexpr (Ahead) {
                     next_x = fetch(x, row + step);
                     next_dy = fetch(dy, row + step);
                   }
                   tl::tensor r = tl::load(rstd + row);
                   tl::tensor xhat = tl::where(mask, (in - tl::load(mean + row)) * r, 0.0f);
                   tl::tensor wg = tl::cast<float>(w) * g;
                   tl::tensor along_x = tl::sum<0>(xhat * wg) * share;
                   tl::tensor along_1 = tl::sum<0>(wg) * share;
                   tl::store(dx + row * n + cols,
                             tl::cast<tl::float16>((wg - (xhat * along_x + along_1)) * r), mask);
                   dw += g * xhat;
                   db += g;
                 }
                 tl::cuda::gdc_launch_dependents(); // sum_partials begins, and waits
                 tl::store(partial_dw + tl::program_id(0) * n + cols, dw, mask);
                 tl::store(partial_db + tl::program_id(0) * n + cols, db, mask);
               }};

template <int Rows, int Cols>
inline constexpr auto sum_partials =
    tl::kernel{"sum_partials", [](half_out dweight, half_out dbias, tl::ptr<const float> partial_dw,
                                  tl::ptr<const float> partial_db, tl::i32 rows, tl::i32 n) {
                 tl::restrict(partial_dw); // nothing else leads there
                 tl::cuda::gdc_wait();
                 auto cols = tl::program_id(0) * Cols + tl::arange<Cols>();
                 auto lanes = tl::arange<Rows>();
                 tl::tensor dw = tl::zeros<float, Rows, Cols>();
                 tl::tensor db = tl::zeros<float, Rows, Cols>();
                 for (auto first : tl::range(0, rows, Rows)) {
                   auto at = (first + lanes)(tl::all, tl::newaxis);
                   auto mask = (at < rows) & (cols(tl::newaxis, tl::all) < n);
                   auto offsets = at * n + cols(tl::newaxis, tl::all);
                   dw += tl::load(partial_dw + offsets, mask, 0.0f);
                   db += tl::load(partial_db + offsets, mask, 0.0f);
                 }
                 tl::store(dweight + cols, tl::cast<tl::float16>(tl::sum<0>(dw)), cols < n);
                 tl::store(dbias + cols, tl::cast<tl::float16>(tl::sum<0>(db)), cols < n);
               }};

template <int Cols>
inline constexpr auto backward_dx = tl::kernel{
    "layer_norm_backward_dx", [](half_out dx, half_in dy, half_in x, half_in weight,
                                 tl::ptr<const float> mean, tl::ptr<const float> rstd, tl::i32 n) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      auto in = tl::cast<float>(tl::load(x + row * n + cols, mask, 0.0f));
      auto g = tl::cast<float>(tl::load(dy + row * n + cols, mask, 0.0f));
      auto w = tl::cast<float>(tl::load(weight + cols, mask, 0.0f));
      tl::tensor share = 1.0f / tl::cast<float>(n);
      tl::tensor r = tl::load(rstd + row);
      tl::tensor xhat = tl::where(mask, (in - tl::load(mean + row)) * r, 0.0f);
      tl::tensor wg = w * g;
      tl::tensor along_x = tl::sum<0>(xhat * wg) * share;
      tl::tensor along_1 = tl::sum<0>(wg) * share;
      tl::store(dx + row * n + cols, tl::cast<tl::float16>((wg - (xhat * along_x + along_1)) * r),
                mask);
    }};

template <int Rows, int Cols>
inline constexpr auto backward_weights =
    tl::kernel{"layer_norm_backward_weights",
               [](tl::ptr<float> partial_dw, tl::ptr<float> partial_db, half_in dy, half_in x,
                  tl::ptr<const float> mean, tl::ptr<const float> rstd, tl::i32 rows, tl::i32 n) {
                 auto cols = tl::program_id(0) * Cols + tl::arange<Cols>();
                 auto lanes = tl::arange<Rows>();
                 tl::tensor dw = tl::zeros<float, Rows, Cols>();
                 tl::tensor db = tl::zeros<float, Rows, Cols>();
                 auto part = tl::cdiv(rows, tl::num_programs(1));
                 auto begin = tl::program_id(1) * part;
                 tl::tensor end = tl::minimum(begin + part, rows);
                 for (auto first : tl::range(begin, end, Rows)) {
                   tl::tensor row = first + lanes;
                   auto at = row(tl::all, tl::newaxis);
                   auto mask = (at < end) & (cols(tl::newaxis, tl::all) < n);
                   auto offsets = at * n + cols(tl::newaxis, tl::all);
                   tl::tensor g = tl::cast<float>(tl::load(dy + offsets, mask, 0.0f));
                   tl::tensor m = tl::load(mean + row, row < end, 0.0f);
                   tl::tensor r = tl::load(rstd + row, row < end, 0.0f);
                   auto in = tl::cast<float>(tl::load(x + offsets, mask, 0.0f));
                   dw += g * (in - m(tl::all, tl::newaxis)) * r(tl::all, tl::newaxis);
                   db += g;
                 }
                 tl::store(partial_dw + tl::program_id(1) * n + cols, tl::sum<0>(dw), cols < n);
                 tl::store(partial_db + tl::program_id(1) * n + cols, tl::sum<0>(db), cols < n);
               }};

template <int Cols> bool row_fits(const launch_arguments &a) {
  return rounded_up(a.number(9)) == Cols;
}

void sum_shares(const launch_arguments &a, int shares) {
  const int n = a.number(9);
  auto *scratch = a.pointer<float>(10);
  sum_partials<64, 32>[a.on(tl::cdiv(n, 32), 8)](
      a.pointer<tl::float16>(1), a.pointer<tl::float16>(2), static_cast<const float *>(scratch),
      static_cast<const float *>(scratch + shares * n), shares, n);
}

template <int Cols, int Warps, int Residents, bool Ahead = true> configuration fused() {
  return {named(Ahead ? "fused" : "plain", {Cols, Warps, Residents}), row_fits<Cols>,
          [](const launch_arguments &a) {
            const int rows = a.number(8), n = a.number(9);
            const int programs = std::min(rows, a.multiprocessors * Residents);
            auto *scratch = a.pointer<float>(10);
            auto kernel = backward_fused<Cols, Ahead>[a.on(programs, Warps)](
                a.pointer<tl::float16>(0), a.pointer<const tl::float16>(3),
                a.pointer<const tl::float16>(4), a.pointer<const tl::float16>(5),
                a.pointer<const float>(6), a.pointer<const float>(7), scratch,
                scratch + programs * n, rows, n);
            sum_shares(a, programs);
            return kernel;
          }};
}

template <int Cols, int Warps> configuration apart() {
  return {named("apart", {Cols, Warps}), row_fits<Cols>, [](const launch_arguments &a) {
            const int rows = a.number(8), n = a.number(9);
            const int shares = std::min(rows, 32);
            auto *scratch = a.pointer<float>(10);
            auto kernel = backward_dx<Cols>[a.on(rows, Warps)](
                a.pointer<tl::float16>(0), a.pointer<const tl::float16>(3),
                a.pointer<const tl::float16>(4), a.pointer<const tl::float16>(5),
                a.pointer<const float>(6), a.pointer<const float>(7), n);
            backward_weights<32, 128>[a.on({tl::cdiv(n, 128), shares}, 4)](
                scratch, scratch + shares * n, a.pointer<const tl::float16>(3),
                a.pointer<const tl::float16>(4), a.pointer<const float>(6),
                a.pointer<const float>(7), rows, n);
            sum_shares(a, shares);
            return kernel;
          }};
}

std::string choose(const launch_arguments &a) {
  switch (rounded_up(a.number(9))) {
  case 2048:
    return "fused 2048 8 2";
  case 4096:
    return "plain 4096 8 2";
  case 8192:
    return "fused 8192 16 1";
  default:
    return a.number(9) > 8192 ? "apart 16384 16" : "fused 1024 2 4";
  }
}

} // namespace

measured_kernel layer_norm_backward() {
  return {"layer_norm_backward",
          "dx dweight dbias dy x weight mean rstd rows cols scratch",
          {fused<1024, 4, 4>(), fused<1024, 4, 2>(), fused<1024, 2, 4>(), fused<1024, 4, 8>(),
           fused<2048, 4, 4>(), fused<2048, 8, 2>(), fused<2048, 8, 4>(), fused<4096, 8, 2>(),
           fused<4096, 8, 2, false>(), fused<4096, 16, 1>(), fused<4096, 16, 2>(),
           fused<8192, 16, 1>(), fused<8192, 16, 2>(), fused<8192, 32, 1>(), fused<16384, 32, 1>(),
           apart<8192, 16>(), apart<16384, 16>(), apart<16384, 32>()},
          choose};
}

} // namespace bench::gpu
