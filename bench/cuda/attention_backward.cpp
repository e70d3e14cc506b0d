// SPDX-License-Identifier: MIT
//
// The gradients of attention of float16. Parameters: q k v out dout logsum delta dq dk dv batch
// heads group queries keys window mask head, as attention_forward.cpp has them. A configuration is
// the queries of a step, the keys of a program and its warps, for the gradients of keys and values;
// then the queries of a program, the keys of a step and warps, for that of the queries; stages.

#include "../attention/backward.hpp"
#include "kernel_list.hpp"

#include <cmath>

namespace bench::gpu {
namespace {

using T = tl::float16;
using attention::config;
using attention::mask;

template <config Keys, config Queries> tl::compiled_kernel run(const launch_arguments &a) {
  const int batch = a.number(10), heads = a.number(11), group = a.number(12),
            queries = a.number(13), keys = a.number(14), window = a.number(15);
  const float scale = 1 / std::sqrt(float(a.number(17)));
  const auto *q = a.pointer<const T>(0), *k = a.pointer<const T>(1), *v = a.pointer<const T>(2);
  const auto *dout = a.pointer<const T>(4);
  auto *logsum = a.pointer<float>(5), *delta = a.pointer<float>(6);
  const auto launched = [&](tl::launch_grid grid, const config &c) {
    tl::launch_options options = a.on(grid, c.num_warps);
    options.num_stages = c.num_stages;
    return options;
  };
  constexpr int rows = 64;
  attention::backward_sums<T, rows, Keys.head>[a.on(tl::cdiv(batch * heads * queries, rows), 4)](
      a.pointer<const T>(3), dout, delta, batch * heads * queries);
  auto kernel = attention::backward_keys<T, Keys>[launched(
      {tl::cdiv(keys, Keys.block_n), batch * heads / group}, Keys)](
      q, k, v, dout, logsum, delta, a.pointer<T>(8), a.pointer<T>(9), heads, group, queries, keys,
      window, scale);
  attention::backward_queries<T, Queries>[launched(
      {tl::cdiv(queries, Queries.block_m), batch * heads}, Queries)](
      q, k, v, dout, logsum, delta, a.pointer<T>(7), heads, group, queries, keys, window, scale);
  return kernel;
}

template <config Keys, config Queries> configuration pair() {
  return {named("blocks", {Keys.block_m, Keys.block_n, Keys.num_warps, Queries.block_m,
                           Queries.block_n, Queries.num_warps, Keys.num_stages}),
          [](const launch_arguments &a) {
            return a.number(16) == static_cast<int>(Keys.mask) && a.number(17) == Keys.head;
          },
          run<Keys, Queries>};
}

template <int M1, int N1, int Warps1, int M2, int N2, int Warps2, int Head, int Stages>
void add(std::vector<configuration> &to) {
  to.push_back(pair<config{M1, N1, Head, mask::full, Warps1, Stages},
                    config{M2, N2, Head, mask::full, Warps2, Stages}>());
  to.push_back(pair<config{M1, N1, Head, mask::causal, Warps1, Stages},
                    config{M2, N2, Head, mask::causal, Warps2, Stages}>());
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
  return all;
}

} // namespace

measured_kernel attention_backward() {
  return {"attention_backward",
          "q k v out dout logsum delta dq dk dv batch heads group queries keys window mask head",
          configurations(), [](const launch_arguments &a) -> std::string {
            return a.number(17) <= 128 ? "blocks 64 64 4 64 64 4 2" : "blocks 32 64 8 64 32 8 1";
          }};
}

} // namespace bench::gpu
