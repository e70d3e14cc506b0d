// SPDX-License-Identifier: MIT
//
// Sums of a float matrix's rows (parameters: out in rows cols), of all elements of a vector
// (out in n scratch; scratch is zeroed memory for a counter and a number a program), and the
// running sums of rows (out in rows cols).

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

// ---- Row sums

template <int Rows, int Cols>
inline constexpr auto row_sum_tile =
    tl::kernel{"row_sum_tile",
               [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_rows, tl::i32 n_cols) {
                 auto rows = tl::program_id(0) * Rows + tl::arange<Rows>();
                 auto at = rows(tl::all, tl::newaxis);
                 auto lanes = tl::arange<Cols>()(tl::newaxis, tl::all);
                 tl::tensor total = tl::zeros<float, Rows, Cols>();
                 for (auto start : tl::range(0, n_cols, Cols)) {
                   auto cols = start + lanes;
                   total +=
                       tl::load(in + at * n_cols + cols, (at < n_rows) & (cols < n_cols), 0.0f);
                 }
                 tl::store(out + rows, tl::sum<1>(total), rows < n_rows);
               }};

template <int Cols>
inline constexpr auto row_sum_one =
    tl::kernel{"row_sum_one", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols) {
                 auto row = tl::program_id(0);
                 auto cols = tl::arange<Cols>();
                 auto v = tl::load(in + row * n_cols + cols, cols < n_cols, 0.0f);
                 tl::store(out + row, tl::sum<0>(v));
               }};

template <int Cols, int Warps> configuration one_row() {
  return {named("one", {Cols, Warps}),
          [](const launch_arguments &a) { return rounded_up(a.number(3)) == Cols; },
          [](const launch_arguments &a) {
            return row_sum_one<Cols>[a.on(a.number(2), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(3));
          }};
}

template <int Rows, int Cols, int Warps> configuration tile() {
  return {named("tile", {Rows, Cols, Warps}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            return row_sum_tile<Rows, Cols>[a.on(tl::cdiv(a.number(2), Rows), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(2), a.number(3));
          }};
}

// ---- One sum of everything

// The last program to finish adds up what all have left, and leaves the counter at zero.
template <int Block, int Programs>
inline constexpr auto large_sum_loop =
    tl::kernel{"large_sum_loop", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n,
                                    tl::ptr<float> partial, tl::ptr<std::int32_t> finished) {
                 auto lanes = tl::arange<Block>();
                 auto programs = tl::num_programs(0);
                 tl::tensor total = tl::zeros<float, Block>();
                 for (auto start : tl::range(tl::program_id(0) * Block, n, programs * Block)) {
                   auto at = start + lanes;
                   total += tl::load(in + at, at < n, 0.0f);
                 }
                 tl::store(partial + tl::program_id(0), tl::sum<0>(total));
                 tl::debug_barrier();
                 tl::tensor before = tl::atomic_add(finished, 1);
                 tl::if_(before == programs - 1, [&] {
                   auto all = tl::arange<Programs>();
                   tl::store(out, tl::sum<0>(tl::load(partial + all, all < programs, 0.0f)));
                   tl::store(finished, 0);
                 });
               }};

template <int Block, int Warps, int Residents> configuration loop() {
  return {named("loop", {Block, Warps, Residents}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            constexpr int most = 2048;
            const int programs =
                std::max(1, std::min({most, a.multiprocessors * Residents,
                                      static_cast<int>(tl::cdiv(a.number(2), Block))}));
            auto *scratch = a.pointer<float>(3);
            return large_sum_loop<Block, most>[a.on(programs, Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(2), scratch + 4,
                reinterpret_cast<std::int32_t *>(scratch));
          }};
}

// ---- Running sums

template <int Cols>
inline constexpr auto cumsum_one = tl::kernel{
    "cumsum_one", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols) {
      auto row = tl::program_id(0) * n_cols;
      auto cols = tl::arange<Cols>();
      auto mask = cols < n_cols;
      tl::store(out + row + cols, tl::cumsum<0>(tl::load(in + row + cols, mask, 0.0f)), mask);
    }};

template <int Block>
inline constexpr auto cumsum_loop =
    tl::kernel{"cumsum_loop", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols) {
                 auto row = tl::program_id(0) * n_cols;
                 auto lanes = tl::arange<Block>();
                 tl::tensor carried = tl::zeros<float>();
                 for (auto start : tl::range(0, n_cols, Block)) {
                   auto cols = start + lanes;
                   auto mask = cols < n_cols;
                   tl::tensor v = tl::load(in + row + cols, mask, 0.0f);
                   tl::store(out + row + cols, tl::cumsum<0>(v) + carried, mask);
                   carried += tl::sum<0>(v);
                 }
               }};

template <int Cols, int Warps> configuration one_scan() {
  return {named("one", {Cols, Warps}),
          [](const launch_arguments &a) { return rounded_up(a.number(3)) == Cols; },
          [](const launch_arguments &a) {
            return cumsum_one<Cols>[a.on(a.number(2), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(3));
          }};
}

template <int Block, int Warps> configuration loop_scan() {
  return {named("loop", {Block, Warps}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            return cumsum_loop<Block>[a.on(a.number(2), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(3));
          }};
}

} // namespace

measured_kernel row_sum() {
  return {"row_sum",
          "out in rows cols",
          {one_row<8192, 4>(), one_row<8192, 8>(), one_row<8192, 16>(), tile<1, 1024, 4>(),
           tile<1, 2048, 4>(), tile<1, 4096, 8>(), tile<4, 512, 4>(), tile<4, 1024, 8>(),
           tile<8, 256, 8>(), tile<8, 512, 8>()},
          [](const launch_arguments &a) -> std::string {
            return rounded_up(a.number(3)) == 8192 ? "one 8192 16" : "tile 1 2048 4";
          }};
}

measured_kernel large_sum() {
  return {"large_sum",
          "out in n scratch",
          {loop<1024, 4, 8>(), loop<2048, 4, 4>(), loop<2048, 4, 8>(), loop<4096, 4, 4>(),
           loop<4096, 8, 2>(), loop<4096, 8, 4>(), loop<8192, 8, 2>(), loop<8192, 8, 4>(),
           loop<8192, 16, 2>()},
          [](const launch_arguments &) -> std::string { return "loop 1024 4 8"; }};
}

measured_kernel cumsum() {
  return {"cumsum",
          "out in rows cols",
          {one_scan<8192, 4>(), one_scan<8192, 8>(), one_scan<8192, 16>(), one_scan<8192, 32>(),
           loop_scan<1024, 4>(), loop_scan<2048, 4>(), loop_scan<2048, 8>(), loop_scan<4096, 8>(),
           loop_scan<4096, 16>()},
          [](const launch_arguments &a) -> std::string {
            return rounded_up(a.number(3)) == 8192 ? "one 8192 4" : "loop 2048 4";
          }};
}

} // namespace bench::gpu
