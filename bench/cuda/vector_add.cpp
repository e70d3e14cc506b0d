// SPDX-License-Identifier: MIT
//
// The sum of two vectors of float. Parameters: out x y n.

#include "kernels/vector_add.hpp"
#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

template <int Block, int Warps> configuration blocks() {
  return {named("block", {Block, Warps}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            const int n = a.number(3);
            return kernels::add<Block>[a.on(tl::cdiv(n, Block), Warps)](
                a.pointer<const float>(1), a.pointer<const float>(2), a.pointer<float>(0), n);
          }};
}

std::string choose(const launch_arguments &a) {
  // Much in flight in each program while the second-level cache has room for all; past it, and
  // where programs are few, small ones, since more of them start and end at different times.
  const int n = a.number(3);
  if (n <= 1 << 21)
    return "block 1024 4";
  if (n <= 1 << 23)
    return "block 4096 4";
  return "block 512 4";
}

} // namespace

measured_kernel vector_add() {
  return {"vector_add",
          "out x y n",
          {blocks<128, 1>(), blocks<256, 2>(), blocks<512, 4>(), blocks<512, 2>(),
           blocks<1024, 8>(), blocks<1024, 4>(), blocks<2048, 8>(), blocks<2048, 4>(),
           blocks<4096, 8>(), blocks<4096, 4>(), blocks<8192, 8>()},
          choose};
}

} // namespace bench::gpu
