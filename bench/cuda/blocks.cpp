// SPDX-License-Identifier: MIT
//
// A float16 matrix times two, by blocks of tensor descriptors. Parameters: out in rows cols.
//   host     the descriptors are parameters
//   device   each program makes them
//   loop     as host, and a program moves a whole row of blocks

#include "kernel_list.hpp"

#include <tl/descriptor.hpp>

namespace bench::gpu {
namespace {

using tl::float16;

template <int M, int N>
inline constexpr auto double_host = tl::kernel{
    "double_host", [](tl::descriptor<float16, M, N> out, tl::descriptor<float16, M, N> in) {
      auto i = tl::program_id(1) * M, j = tl::program_id(0) * N;
      out.store({i, j}, in.load({i, j}) * 2.0f);
    }};

template <int M, int N>
inline constexpr auto double_device =
    tl::kernel{"double_device",
               [](tl::ptr<float16> out, tl::ptr<const float16> in, tl::i32 rows, tl::i32 cols) {
                 auto to = tl::make_tensor_descriptor<M, N>(out, {rows, cols}, {cols, 1});
                 auto from = tl::make_tensor_descriptor<M, N>(in, {rows, cols}, {cols, 1});
                 auto i = tl::program_id(1) * M, j = tl::program_id(0) * N;
                 to.store({i, j}, from.load({i, j}) * 2.0f);
               }};

template <int M, int N>
inline constexpr auto double_loop =
    tl::kernel{"double_loop", [](tl::descriptor<float16, M, N> out,
                                 tl::descriptor<float16, M, N> in, tl::i32 cols) {
                 auto i = tl::program_id(0) * M;
                 for (auto j : tl::range(0, cols, N))
                   out.store({i, j}, in.load({i, j}) * 2.0f);
               }};

bool always(const launch_arguments &) { return true; }

template <int M, int N>
tl::tensor_descriptor<float16, M, N> described(const launch_arguments &a, int index) {
  const int rows = a.number(2), cols = a.number(3);
  return {a.pointer<float16>(index), {rows, cols}, {cols, 1}};
}

template <int M, int N, int Warps> configuration host() {
  return {named("host", {M, N, Warps}), always, [](const launch_arguments &a) {
            const int rows = a.number(2), cols = a.number(3);
            return double_host<M, N>[a.on({tl::cdiv(cols, N), tl::cdiv(rows, M)}, Warps)](
                described<M, N>(a, 0), described<M, N>(a, 1));
          }};
}

template <int M, int N, int Warps> configuration device() {
  return {named("device", {M, N, Warps}), always, [](const launch_arguments &a) {
            const int rows = a.number(2), cols = a.number(3);
            return double_device<M, N>[a.on({tl::cdiv(cols, N), tl::cdiv(rows, M)}, Warps)](
                a.pointer<float16>(0), a.pointer<const float16>(1), rows, cols);
          }};
}

template <int M, int N, int Warps> configuration loop() {
  return {named("loop", {M, N, Warps}), always, [](const launch_arguments &a) {
            const int rows = a.number(2), cols = a.number(3);
            return double_loop<M, N>[a.on(tl::cdiv(rows, M), Warps)](described<M, N>(a, 0),
                                                                     described<M, N>(a, 1), cols);
          }};
}

} // namespace

measured_kernel blocks() {
  return {"blocks",
          "out in rows cols",
          {host<32, 64, 4>(), host<64, 64, 4>(), host<64, 128, 4>(), host<64, 128, 8>(),
           host<128, 128, 8>(), host<16, 256, 4>(), host<32, 128, 4>(), host<32, 128, 8>(),
           host<32, 256, 8>(), host<64, 256, 16>(), device<64, 128, 8>(), device<128, 128, 8>(),
           loop<16, 256, 4>()},
          [](const launch_arguments &) -> std::string { return "host 32 128 8"; }};
}

} // namespace bench::gpu
