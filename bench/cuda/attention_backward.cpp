// SPDX-License-Identifier: MIT
//
// The gradients of attention of float16. Parameters: q k v out dout logsum delta dq dk dv batch
// heads group queries keys window mask head, as attention_forward.cpp has them. Two forms, by
// pointers and "described", by tensor descriptors. A configuration is the queries of a step, the
// keys of a program and its warps, for the gradients of keys and values; then the queries of a
// program, the keys of a step and warps, for that of the queries; stages.

#include "../attention/backward.hpp"
#include "kernel_list.hpp"

#include <cmath>

namespace bench::gpu {
namespace {

using T = tl::float16;
using attention::config;
using attention::mask;

struct sizes {
  int batch, heads, group, queries, keys, window, head;
  float scale;
  explicit sizes(const launch_arguments &a)
      : batch(a.number(10)), heads(a.number(11)), group(a.number(12)), queries(a.number(13)),
        keys(a.number(14)), window(a.number(15)), head(a.number(17)),
        scale(1 / std::sqrt(float(head))) {}
  int all_heads() const { return batch * heads; }
  int key_heads() const { return batch * heads / group; }
};

template <config C> bool fits(const launch_arguments &a) {
  return a.number(16) == static_cast<int>(C.mask) && a.number(17) == C.head;
}

template <config C>
tl::launch_options launched(const launch_arguments &a, const tl::launch_grid &grid) {
  tl::launch_options options = a.on(grid, C.num_warps);
  options.num_stages = C.num_stages;
  return options;
}
template <config C> tl::launch_options over_keys(const launch_arguments &a, const sizes &s) {
  return launched<C>(a, {tl::cdiv(s.keys, C.block_n), s.key_heads()});
}
template <config C> tl::launch_options over_queries(const launch_arguments &a, const sizes &s) {
  return launched<C>(a, {tl::cdiv(s.queries, C.block_m), s.all_heads()});
}

template <int Head> void sum_rows(const launch_arguments &a, const sizes &s) {
  constexpr int rows = 64;
  const int all = s.all_heads() * s.queries;
  attention::backward_sums<T, rows, Head>[a.on(tl::cdiv(all, rows), 4)](
      a.pointer<const T>(3), a.pointer<const T>(4), a.pointer<float>(6), all);
}

template <config Keys, config Queries> tl::compiled_kernel run(const launch_arguments &a) {
  const sizes s(a);
  const auto *q = a.pointer<const T>(0), *k = a.pointer<const T>(1), *v = a.pointer<const T>(2);
  const auto *dout = a.pointer<const T>(4);
  auto *logsum = a.pointer<float>(5), *delta = a.pointer<float>(6);
  sum_rows<Keys.head>(a, s);
  auto kernel = attention::backward_keys<T, Keys>[over_keys<Keys>(a, s)](
      q, k, v, dout, logsum, delta, a.pointer<T>(8), a.pointer<T>(9), s.heads, s.group, s.queries,
      s.keys, s.window, s.scale);
  attention::backward_queries<T, Queries>[over_queries<Queries>(a, s)](
      q, k, v, dout, logsum, delta, a.pointer<T>(7), s.heads, s.group, s.queries, s.keys, s.window,
      s.scale);
  return kernel;
}

template <config Keys, config Queries>
tl::compiled_kernel run_described(const launch_arguments &a) {
  const sizes s(a);
  const auto view = [&]<int Block>(std::integral_constant<int, Block>, int index) {
    const bool of_queries = index == 0 || index == 4;
    const int length = of_queries ? s.queries : s.keys;
    return tl::tensor_descriptor<T, 1, Block, Keys.head>(
        a.pointer<T>(index), {of_queries ? s.all_heads() : s.key_heads(), length, Keys.head},
        {length * Keys.head, Keys.head, 1});
  };
  auto *logsum = a.pointer<float>(5), *delta = a.pointer<float>(6);
  sum_rows<Keys.head>(a, s);
  constexpr std::integral_constant<int, Keys.block_m> step;
  constexpr std::integral_constant<int, Keys.block_n> own;
  auto kernel = attention::backward_keys_descriptors<T, Keys>[over_keys<Keys>(a, s)](
      view(step, 0), view(own, 1), view(own, 2), view(step, 4), logsum, delta, a.pointer<T>(8),
      a.pointer<T>(9), s.heads, s.group, s.queries, s.keys, s.window, s.scale);
  constexpr std::integral_constant<int, Queries.block_m> rows;
  constexpr std::integral_constant<int, Queries.block_n> keys;
  attention::backward_queries_descriptors<T, Queries>[over_queries<Queries>(a, s)](
      view(rows, 0), view(keys, 1), view(keys, 2), view(rows, 4), logsum, delta, a.pointer<T>(7),
      s.heads, s.group, s.queries, s.keys, s.window, s.scale);
  return kernel;
}

template <config Keys, config Queries, bool Described> configuration pair() {
  return {named(Described ? "described" : "pointers",
                {Keys.block_m, Keys.block_n, Keys.num_warps, Queries.block_m, Queries.block_n,
                 Queries.num_warps, Keys.num_stages}),
          fits<Keys>, Described ? run_described<Keys, Queries> : run<Keys, Queries>};
}

template <int M1, int N1, int Warps1, int M2, int N2, int Warps2, int Head, int Stages,
          bool Described = false>
void add(std::vector<configuration> &to) {
  to.push_back(pair<config{M1, N1, Head, mask::full, Warps1, Stages},
                    config{M2, N2, Head, mask::full, Warps2, Stages}, Described>());
  to.push_back(pair<config{M1, N1, Head, mask::causal, Warps1, Stages},
                    config{M2, N2, Head, mask::causal, Warps2, Stages}, Described>());
}

std::vector<configuration> configurations() {
  std::vector<configuration> all;
  add<64, 64, 4, 64, 64, 4, 64, 2>(all);
  add<64, 64, 4, 128, 64, 8, 64, 2>(all);
  add<64, 128, 8, 64, 64, 4, 64, 2>(all);
  add<64, 64, 4, 64, 128, 4, 64, 2>(all);
  add<128, 128, 8, 128, 128, 8, 64, 2>(all);
  add<64, 64, 4, 64, 64, 4, 64, 3>(all);
  add<64, 64, 4, 64, 64, 4, 128, 2>(all);
  add<64, 64, 4, 128, 64, 8, 128, 2>(all);
  add<64, 128, 8, 64, 64, 4, 128, 2>(all);
  add<32, 64, 4, 64, 32, 4, 128, 2>(all);
  add<32, 128, 8, 128, 64, 8, 128, 3>(all);
  add<32, 64, 8, 64, 32, 8, 256, 1>(all);
  add<64, 64, 4, 64, 64, 4, 64, 2, true>(all);
  add<64, 128, 8, 128, 128, 8, 64, 2, true>(all);
  add<128, 128, 8, 128, 128, 8, 64, 2, true>(all);
  add<64, 64, 4, 128, 128, 8, 64, 3, true>(all);
  add<64, 64, 4, 128, 64, 8, 128, 2, true>(all);
  add<64, 128, 8, 128, 64, 8, 128, 2, true>(all);
  add<64, 128, 8, 128, 128, 8, 128, 2, true>(all);
  return all;
}

} // namespace

measured_kernel attention_backward() {
  return {"attention_backward",
          "q k v out dout logsum delta dq dk dv batch heads group queries keys window mask head",
          configurations(), [](const launch_arguments &a) -> std::string {
            return a.number(17) <= 128 ? "pointers 64 64 4 64 64 4 2"
                                       : "pointers 32 64 8 64 32 8 1";
          }};
}

} // namespace bench::gpu
