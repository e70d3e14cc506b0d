// SPDX-License-Identifier: MIT
//
// Softmax of the rows of a float matrix. Parameters: out in rows cols scratch, where scratch is
// zeroed memory for 3 numbers a program of "split". Four ways:
//   one    a program holds a row in registers
//   tile   a program holds several narrow rows
//   loop   a program reads its row twice, the second time from the cache where it fits
//   split  several programs hold a row together and exchange its maximum and sum

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

// e^x for x that are differences to a maximum. Written out, so that the range of x costs nothing.
template <class X> auto exponential(const X &x) { return tl::exp2(x * 1.44269504f); }

template <int Cols>
inline constexpr auto softmax_one =
    tl::kernel{"softmax_one", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols) {
                 auto row = tl::program_id(0);
                 auto cols = tl::arange<Cols>();
                 auto mask = cols < n_cols;
                 tl::tensor v = tl::load(in + row * n_cols + cols, mask, -tl::inf);
                 tl::tensor e = exponential(v - tl::max<0>(v));
                 tl::store(out + row * n_cols + cols, e * (1.0f / tl::sum<0>(e)), mask);
               }};

template <int Rows, int Cols>
inline constexpr auto softmax_tile =
    tl::kernel{"softmax_tile",
               [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_rows, tl::i32 n_cols) {
                 auto rows = (tl::program_id(0) * Rows + tl::arange<Rows>())(tl::all, tl::newaxis);
                 auto cols = tl::arange<Cols>()(tl::newaxis, tl::all);
                 auto mask = (rows < n_rows) & (cols < n_cols);
                 auto offsets = rows * n_cols + cols;
                 tl::tensor v = tl::load(in + offsets, mask, -tl::inf);
                 tl::tensor e = exponential(v - tl::max<1>(v)(tl::all, tl::newaxis));
                 tl::tensor scale = 1.0f / tl::sum<1>(e);
                 tl::store(out + offsets, e * scale(tl::all, tl::newaxis), mask);
               }};

template <int Block>
inline constexpr auto softmax_loop =
    tl::kernel{"softmax_loop", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols) {
                 auto row = tl::program_id(0) * n_cols;
                 auto lanes = tl::arange<Block>();
                 // Each lane keeps the maximum and the sum of what it has seen.
                 tl::tensor largest = tl::full<float, Block>(-3.0e38f);
                 tl::tensor total = tl::zeros<float, Block>();
                 for (auto start : tl::range(0, n_cols, Block)) {
                   auto cols = start + lanes;
                   tl::tensor v = tl::load(in + row + cols, cols < n_cols, -tl::inf);
                   tl::tensor now = tl::maximum(largest, v);
                   total = total * exponential(largest - now) + exponential(v - now);
                   largest = now;
                 }
                 tl::tensor peak = tl::max<0>(largest);
                 tl::tensor scale = 1.0f / tl::sum<0>(total * exponential(largest - peak));
                 // Backwards, since the end of the row is still in the cache.
                 auto blocks = tl::cdiv(n_cols, Block);
                 for (auto step : tl::range(0, blocks)) {
                   auto cols = (blocks - 1 - step) * Block + lanes;
                   auto mask = cols < n_cols;
                   tl::tensor v = tl::load(in + row + cols, mask, -tl::inf);
                   tl::store(out + row + cols, exponential(v - peak) * scale, mask);
                 }
               }};

// What the programs of a row tell each other: how many have come and gone, a maximum and a sum
// each.
struct exchange {
  tl::ptr<std::int32_t> arrivals, departures;
  tl::ptr<float> peaks, sums;
};

// Finishes a row that Parts programs hold: `v` is what this one does. The programs of a row have
// consecutive ids. Programs start in the order of their ids, so those that a program waits for are
// running or next to run.
template <int Parts, class V, class P, class M>
void finish_together(const V &v, const P &out, const M &mask, tl::i32 row, const exchange &with) {
  // Pointers without an end: nothing else leads there, so no order has to be kept.
  tl::restrict(with.arrivals), tl::restrict(with.departures);
  tl::restrict(with.peaks), tl::restrict(with.sums);
  auto slot = row * Parts + tl::program_id(0) % Parts;
  tl::tensor peak = tl::maximum(tl::max<0>(v), -3.0e38f);
  tl::tensor e = exponential(v - peak);
  tl::store(with.peaks + slot, peak);
  tl::store(with.sums + slot, tl::sum<0>(e));
  tl::debug_barrier();
  tl::atomic_add(with.arrivals + row, 1);
  tl::atomic_poll(with.arrivals + row, Parts);
  auto all = row * Parts + tl::arange<Parts>();
  tl::tensor every = tl::load(with.peaks + all);
  tl::tensor highest = tl::max<0>(every);
  tl::tensor total = tl::sum<0>(tl::load(with.sums + all) * exponential(every - highest));
  tl::store(out, e * (exponential(peak - highest) / total), mask);
  // The last to leave clears the counts for the next launch.
  tl::if_(tl::atomic_add(with.departures + row, 1, {.sem = tl::sem::relaxed}) == Parts - 1, [&] {
    tl::store(with.arrivals + row, 0);
    tl::store(with.departures + row, 0);
  });
}

template <int Block, int Parts>
inline constexpr auto softmax_split =
    tl::kernel{"softmax_split", [](tl::ptr<float> out, tl::ptr<const float> in, tl::i32 n_cols,
                                   tl::ptr<std::int32_t> arrivals, tl::ptr<std::int32_t> departures,
                                   tl::ptr<float> peaks, tl::ptr<float> sums) {
                 auto row = tl::program_id(0) / Parts;
                 auto cols = tl::program_id(0) % Parts * Block + tl::arange<Block>();
                 auto mask = cols < n_cols;
                 tl::tensor v = tl::load(in + row * n_cols + cols, mask, -tl::inf);
                 finish_together<Parts>(v, out + row * n_cols + cols, mask, row,
                                        {arrivals, departures, peaks, sums});
               }};

template <int Cols, int Warps, int Registers = 0> configuration one() {
  return {named("one", {Cols, Warps, Registers}),
          [](const launch_arguments &a) { return rounded_up(a.number(3)) == Cols; },
          [](const launch_arguments &a) {
            return softmax_one<Cols>[a.on(a.number(2), Warps, Registers)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(3));
          }};
}

template <int Rows, int Cols, int Warps> configuration tile() {
  return {named("tile", {Rows, Cols, Warps}),
          [](const launch_arguments &a) { return rounded_up(a.number(3)) == Cols; },
          [](const launch_arguments &a) {
            return softmax_tile<Rows, Cols>[a.on(tl::cdiv(a.number(2), Rows), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(2), a.number(3));
          }};
}

template <int Block, int Warps> configuration loop() {
  return {named("loop", {Block, Warps}),
          [](const launch_arguments &a) { return a.number(3) >= 2 * Block; },
          [](const launch_arguments &a) {
            return softmax_loop<Block>[a.on(a.number(2), Warps)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(3));
          }};
}

// Of the scratch, which is zeroed before the first launch: the counts of each row come first.
struct scratch_of {
  std::int32_t *arrivals, *departures;
  float *peaks, *sums;

  scratch_of(const launch_arguments &a, int parts)
      : arrivals(a.pointer<std::int32_t>(4)), departures(arrivals + a.number(2)),
        peaks(a.pointer<float>(4) + 2 * a.number(2)), sums(peaks + a.number(2) * parts) {}
};

template <int Block, int Parts, int Warps, int Registers = 0> configuration split() {
  return {named("split", {Block, Parts, Warps, Registers}),
          [](const launch_arguments &a) {
            return a.programs_may_wait && rounded_up(a.number(3)) == Block * Parts;
          },
          [](const launch_arguments &a) {
            const scratch_of s(a, Parts);
            return softmax_split<Block, Parts>[a.on(a.number(2) * Parts, Warps, Registers)](
                a.pointer<float>(0), a.pointer<const float>(1), a.number(3), s.arrivals,
                s.departures, s.peaks, s.sums);
          }};
}

std::string choose(const launch_arguments &a) {
  if (a.number(3) > 32768 && !a.programs_may_wait)
    return "loop 8192 8";
  switch (const int cols = rounded_up(a.number(3))) {
  case 256:
    return "tile 8 256 8";
  case 512:
    return "tile 4 512 4";
  case 1024:
    return "one 1024 2";
  case 2048:
    return "one 2048 4";
  case 4096:
    return "one 4096 4";
  case 8192:
    return "one 8192 8";
  case 16384:
    return "one 16384 16";
  case 32768:
    return "one 32768 32";
  case 65536:
    return "split 16384 4 16";
  case 131072:
    return "split 16384 8 16";
  default:
    return cols < 256 ? "tile 8 256 8" : "loop 8192 8";
  }
}

} // namespace

measured_kernel softmax() {
  return {
      "softmax",
      "out in rows cols scratch",
      {one<256, 1>(),        one<256, 2>(),         tile<2, 256, 2>(),     tile<4, 256, 4>(),
       tile<8, 256, 8>(),    tile<8, 256, 4>(),     tile<16, 256, 8>(),    one<512, 1>(),
       one<512, 2>(),        one<512, 4>(),         tile<2, 512, 4>(),     tile<4, 512, 4>(),
       one<1024, 1>(),       one<1024, 2>(),        one<1024, 4>(),        tile<2, 1024, 4>(),
       tile<4, 1024, 8>(),   one<2048, 2>(),        one<2048, 4>(),        one<2048, 8>(),
       tile<2, 2048, 8>(),   one<4096, 4>(),        one<4096, 8>(),        one<4096, 16>(),
       one<8192, 8>(),       one<8192, 8, 48>(),    one<8192, 16>(),       one<8192, 32>(),
       one<16384, 8>(),      one<16384, 16>(),      one<16384, 32>(),      split<4096, 4, 8>(),
       split<4096, 16, 8>(), split<4096, 32, 8>(),  split<8192, 2, 8>(),   one<32768, 16>(),
       one<32768, 32>(),     split<4096, 8, 8>(),   split<8192, 4, 8>(),   split<16384, 2, 16>(),
       split<8192, 8, 8>(),  split<8192, 8, 16>(),  split<16384, 4, 16>(), split<32768, 2, 32>(),
       split<8192, 16, 8>(), split<8192, 16, 16>(), split<16384, 8, 16>(), split<32768, 4, 32>(),
       loop<4096, 8>(),      loop<4096, 16>(),      loop<8192, 8>(),       loop<8192, 16>(),
       loop<8192, 32>(),     loop<16384, 32>()},
      choose};
}

} // namespace bench::gpu
