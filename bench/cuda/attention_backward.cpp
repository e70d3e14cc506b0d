// SPDX-License-Identifier: MIT
//
// The gradients of attention of float16. Parameters: q k v out dout logsum delta dq dk dv sum batch
// heads group queries keys window mask head, as attention_forward.cpp has them; sum is memory for
// as many floats as dq has elements. "apart" is the queries of a step, the keys of a program and
// its warps, for the gradients of keys and values; then the queries of a program, the keys of a
// step and warps, for that of the queries; stages. "fused" is the queries of a step, the keys of a
// program, its warps and stages.

#include "../attention/backward.hpp"
#include "kernel_list.hpp"

#include <cmath>

namespace bench::gpu {
namespace {

using T = tl::float16;
using attention::config;
using attention::mask;

constexpr int rows = 64; // of a program of the kernels that go over rows

struct sizes {
  int batch, heads, group, queries, keys, window, head;
  float scale;
  explicit sizes(const launch_arguments &a)
      : batch(a.number(11)), heads(a.number(12)), group(a.number(13)), queries(a.number(14)),
        keys(a.number(15)), window(a.number(16)), head(a.number(18)),
        scale(1 / std::sqrt(float(head))) {}
  int all_heads() const { return batch * heads; }
  int key_heads() const { return batch * heads / group; }
  int all_rows() const { return batch * heads * queries; }
};

template <config C> bool fits(const launch_arguments &a) {
  return a.number(17) == static_cast<int>(C.mask) && a.number(18) == C.head;
}

template <config C>
tl::launch_options launched(const launch_arguments &a, const tl::launch_grid &grid) {
  tl::launch_options options = a.on(grid, C.num_warps);
  options.num_stages = C.num_stages;
  return options;
}

template <int Head> void sum_rows(const launch_arguments &a, const sizes &s) {
  attention::backward_sums<T, rows, Head>[a.on(tl::cdiv(s.all_rows(), rows), 4)](
      a.pointer<const T>(3), a.pointer<const T>(4), a.pointer<float>(6), s.all_rows());
}

template <config Keys, config Queries> tl::compiled_kernel run_apart(const launch_arguments &a) {
  const sizes s(a);
  const auto *q = a.pointer<const T>(0), *k = a.pointer<const T>(1), *v = a.pointer<const T>(2);
  const auto *dout = a.pointer<const T>(4);
  auto *logsum = a.pointer<float>(5), *delta = a.pointer<float>(6);
  sum_rows<Keys.head>(a, s);
  auto kernel = attention::backward_keys<T, Keys>[launched<Keys>(
      a, {tl::cdiv(s.keys, Keys.block_n), s.key_heads()})](
      q, k, v, dout, logsum, delta, a.pointer<T>(8), a.pointer<T>(9), s.heads, s.group, s.queries,
      s.keys, s.window, s.scale);
  attention::backward_queries<T, Queries>[launched<Queries>(
      a, {tl::cdiv(s.queries, Queries.block_m), s.all_heads()})](
      q, k, v, dout, logsum, delta, a.pointer<T>(7), s.heads, s.group, s.queries, s.keys, s.window,
      s.scale);
  return kernel;
}

template <config C> tl::compiled_kernel run_fused(const launch_arguments &a) {
  const sizes s(a);
  const auto view = [&]<class E, int Block>(E *memory, std::integral_constant<int, Block>,
                                            int heads, int length) {
    return tl::tensor_descriptor<E, 1, Block, C.head>(memory, {heads, length, C.head},
                                                      {length * C.head, C.head, 1});
  };
  constexpr std::integral_constant<int, C.block_m> m;
  constexpr std::integral_constant<int, C.block_n> n;
  auto *sum = a.pointer<float>(10);
  tl::impl::check(tl_fill(a.stream, sum, 0, sizeof *sum * std::uint64_t(s.all_rows()) * C.head));
  sum_rows<C.head>(a, s);
  auto kernel =
      attention::backward_fused<T, C>[launched<C>(a, {tl::cdiv(s.keys, C.block_n), s.key_heads()})](
          view(a.pointer<T>(0), m, s.all_heads(), s.queries),
          view(a.pointer<T>(1), n, s.key_heads(), s.keys),
          view(a.pointer<T>(2), n, s.key_heads(), s.keys),
          view(a.pointer<T>(4), m, s.all_heads(), s.queries), a.pointer<float>(5),
          a.pointer<float>(6), view(sum, m, s.all_heads(), s.queries), a.pointer<T>(8),
          a.pointer<T>(9), s.heads, s.group, s.queries, s.keys, s.window, s.scale);
  attention::backward_round<T, rows, C.head>[a.on(tl::cdiv(s.all_rows(), rows), 4)](
      sum, a.pointer<T>(7), s.all_rows(), s.scale);
  return kernel;
}

template <config Keys, config Queries> configuration apart() {
  return {named("apart", {Keys.block_m, Keys.block_n, Keys.num_warps, Queries.block_m,
                          Queries.block_n, Queries.num_warps, Keys.num_stages}),
          fits<Keys>, run_apart<Keys, Queries>};
}

template <int M1, int N1, int Warps1, int M2, int N2, int Warps2, int Head, int Stages>
void add_apart(std::vector<configuration> &to) {
  to.push_back(apart<config{M1, N1, Head, mask::full, Warps1, Stages},
                     config{M2, N2, Head, mask::full, Warps2, Stages}>());
  to.push_back(apart<config{M1, N1, Head, mask::causal, Warps1, Stages},
                     config{M2, N2, Head, mask::causal, Warps2, Stages}>());
}

template <config C> configuration fused() {
  return {named("fused", {C.block_m, C.block_n, C.num_warps, C.num_stages}), fits<C>, run_fused<C>};
}

template <int M, int N, int Warps, int Head, int Stages>
void add_fused(std::vector<configuration> &to) {
  to.push_back(fused<config{M, N, Head, mask::full, Warps, Stages}>());
  to.push_back(fused<config{M, N, Head, mask::causal, Warps, Stages}>());
}

std::vector<configuration> configurations() {
  std::vector<configuration> all;
  add_apart<64, 64, 4, 64, 64, 4, 64, 2>(all);
  add_apart<64, 64, 4, 128, 64, 8, 64, 2>(all);
  add_apart<64, 128, 8, 64, 64, 4, 64, 2>(all);
  add_apart<64, 64, 4, 64, 128, 4, 64, 2>(all);
  add_apart<128, 128, 8, 128, 128, 8, 64, 2>(all);
  add_apart<64, 64, 4, 64, 64, 4, 64, 3>(all);
  add_apart<64, 64, 4, 64, 64, 4, 128, 2>(all);
  add_apart<64, 64, 4, 128, 64, 8, 128, 2>(all);
  add_apart<64, 128, 8, 64, 64, 4, 128, 2>(all);
  add_apart<32, 64, 4, 64, 32, 4, 128, 2>(all);
  add_apart<32, 128, 8, 128, 64, 8, 128, 3>(all);
  add_apart<32, 64, 8, 64, 32, 8, 256, 1>(all);
  add_fused<64, 128, 8, 64, 2>(all);
  add_fused<128, 128, 8, 64, 2>(all);
  add_fused<64, 128, 8, 128, 2>(all);
  add_fused<64, 64, 4, 128, 2>(all);
  return all;
}

} // namespace

measured_kernel attention_backward() {
  return {"attention_backward",
          "q k v out dout logsum delta dq dk dv sum batch heads group queries keys window mask "
          "head",
          configurations(), [](const launch_arguments &a) -> std::string {
            return a.number(18) <= 128 ? "apart 64 64 4 64 64 4 2" : "apart 32 64 8 64 32 8 1";
          }};
}

} // namespace bench::gpu
