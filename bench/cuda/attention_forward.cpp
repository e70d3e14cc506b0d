// SPDX-License-Identifier: MIT
//
// Attention of float16. Parameters: q k v out logsum batch heads group queries keys window mask
// head, where mask is 0 for full, 1 for causal, 2 for a sliding window, group says how many heads
// of queries share one of keys, and head is its extent. Three forms, each with the blocks of
// queries and keys, warps and stages: "pointers"; "described", by tensor descriptors; "persistent",
// by as many programs as there are multiprocessors.

#include "../attention/forward.hpp"
#include "kernel_list.hpp"

#include <cmath>

namespace bench::gpu {
namespace {

constexpr int registers = 65536; // of a multiprocessor

using T = tl::float16;
using attention::config;
using attention::mask;

struct sizes {
  int batch, heads, group, queries, keys, window;
  float scale;
  explicit sizes(const launch_arguments &a)
      : batch(a.number(5)), heads(a.number(6)), group(a.number(7)), queries(a.number(8)),
        keys(a.number(9)), window(a.number(10)), scale(1 / std::sqrt(float(a.number(12)))) {}
};

template <config C> bool fits(const launch_arguments &a) {
  return a.number(11) == static_cast<int>(C.mask) && a.number(12) == C.head;
}

template <config C> tl::launch_options launched(const launch_arguments &a, const sizes &s) {
  tl::launch_options options =
      a.on({tl::cdiv(s.queries, C.block_m), s.batch * s.heads}, C.num_warps);
  options.num_stages = C.num_stages;
  return options;
}

template <config C> std::string named_as(const char *form) {
  std::string name = named(form, {C.block_m, C.block_n, C.num_warps, C.num_stages});
  return C.programs > 1 ? name + " two"
         : C.ahead      ? name + " ahead"
         : C.joined     ? name + " joined"
                        : name;
}

template <config C> configuration pointers() {
  return {named_as<C>("pointers"), fits<C>, [](const launch_arguments &a) {
            const sizes s(a);
            return attention::forward<T, C>[launched<C>(a, s)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<const T>(2),
                a.pointer<T>(3), a.pointer<float>(4), s.heads, s.group, s.queries, s.keys, s.window,
                s.scale);
          }};
}

/// Launches a kernel of descriptors, whose last parameters are `more`.
template <config C>
tl::compiled_kernel run_described(const auto &kernel, const launch_arguments &a, const sizes &s,
                                  tl::launch_options options, auto... more) {
  const int heads = s.batch * s.heads, key_heads = heads / s.group;
  const auto view = [&]<int Block>(std::integral_constant<int, Block>, int index, int count,
                                   int length) {
    return tl::tensor_descriptor<T, 1, Block, C.head>(a.pointer<T>(index), {count, length, C.head},
                                                      {length * C.head, C.head, 1});
  };
  constexpr std::integral_constant<int, C.block_m> m;
  constexpr std::integral_constant<int, C.block_n> n;
  options.num_stages = C.num_stages;
  return kernel[options](view(m, 0, heads, s.queries), view(n, 1, key_heads, s.keys),
                         view(n, 2, key_heads, s.keys), view(m, 3, heads, s.queries),
                         a.pointer<float>(4), s.heads, s.group, s.queries, s.keys, s.window,
                         s.scale, more...);
}

template <config C> configuration described() {
  return {named_as<C>("described"), fits<C>, [](const launch_arguments &a) {
            const sizes s(a);
            return run_described<C>(attention::forward_descriptors<T, C>, a, s, launched<C>(a, s));
          }};
}

template <config C> configuration persistent() {
  return {named_as<C>("persistent"), fits<C>, [](const launch_arguments &a) {
            const sizes s(a);
            const int heads = s.batch * s.heads, blocks = tl::cdiv(s.queries, C.block_m) * heads;
            const int tiles = C.mask == mask::full ? blocks : tl::cdiv(blocks, 2);
            tl::launch_options options =
                a.on(std::min(a.multiprocessors * C.programs, tiles), C.num_warps);
            if (C.programs > 1)
              options.max_registers = registers / (C.programs * C.num_warps * 32);
            return run_described<C>(attention::forward_persistent<T, C>, a, s, options, heads);
          }};
}

template <int M, int N, int Head, int Warps, int Stages>
void add_joined(std::vector<configuration> &to) {
  to.push_back(described<config{M, N, Head, mask::full, Warps, Stages, false, true}>());
  to.push_back(described<config{M, N, Head, mask::causal, Warps, Stages, false, true}>());
}

template <int M, int N, int Head, int Warps, int Stages, bool Ahead = false>
void add(std::vector<configuration> &to) {
  to.push_back(pointers<config{M, N, Head, mask::full, Warps, Stages, Ahead}>());
  to.push_back(pointers<config{M, N, Head, mask::causal, Warps, Stages, Ahead}>());
  to.push_back(described<config{M, N, Head, mask::full, Warps, Stages, Ahead}>());
  to.push_back(described<config{M, N, Head, mask::causal, Warps, Stages, Ahead}>());
}

std::vector<configuration> configurations() {
  std::vector<configuration> all;
  add<128, 128, 64, 8, 3>(all);
  add<128, 64, 64, 4, 3>(all);
  add<128, 64, 64, 8, 3>(all);
  add<64, 64, 64, 4, 3>(all);
  add<256, 64, 64, 16, 3>(all);
  add<128, 128, 128, 8, 3>(all);
  add<128, 64, 128, 8, 3>(all);
  add<64, 64, 128, 4, 3>(all);
  add<128, 64, 256, 8, 2>(all);
  add<64, 64, 256, 8, 2>(all);
  add<128, 64, 64, 4, 3, true>(all);
  add<128, 128, 64, 8, 3, true>(all);
  add<128, 64, 128, 8, 3, true>(all);
  add<128, 128, 128, 8, 3, true>(all);
  add<128, 64, 256, 8, 2, true>(all);
  add_joined<128, 64, 64, 8, 3>(all);
  add_joined<64, 64, 64, 4, 3>(all);
  add_joined<64, 64, 128, 4, 3>(all);
  add_joined<128, 128, 128, 8, 3>(all);
  add_joined<64, 64, 64, 4, 2>(all);
  add_joined<64, 128, 64, 4, 2>(all);
  add_joined<128, 64, 64, 8, 2>(all);
  all.push_back(persistent<config{128, 128, 128, mask::full, 8, 2, false, true}>());
  all.push_back(persistent<config{128, 128, 128, mask::causal, 8, 2, false, true}>());
  all.push_back(persistent<config{128, 64, 64, mask::full, 8, 3, false, true, 2}>());
  all.push_back(persistent<config{128, 64, 64, mask::causal, 8, 3, false, true, 2}>());
  all.push_back(persistent<config{128, 64, 64, mask::full, 8, 3, false, true}>());
  all.push_back(persistent<config{128, 64, 64, mask::causal, 8, 3, false, true}>());
  all.push_back(pointers<config{128, 64, 64, mask::window, 4, 3}>());
  all.push_back(pointers<config{128, 64, 128, mask::window, 8, 3}>());
  all.push_back(described<config{128, 64, 128, mask::window, 8, 3}>());
  return all;
}

} // namespace

measured_kernel attention_forward() {
  return {"attention_forward", "q k v out logsum batch heads group queries keys window mask head",
          configurations(), [](const launch_arguments &a) -> std::string {
            const int head = a.number(12);
            return head == 64    ? "pointers 128 64 4 3"
                   : head == 128 ? "pointers 128 64 8 3"
                                 : "pointers 128 64 8 2";
          }};
}

} // namespace bench::gpu
