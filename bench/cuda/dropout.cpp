// SPDX-License-Identifier: MIT
//
// Dropout of a float vector with a mask computed from a seed. Parameters: out x n seed. A half of
// the elements is dropped.
//   each  a random number an element, as the lesson does
//   four  four random numbers a call of Philox

#include "kernels/dropout.hpp"
#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

constexpr float probability = 0.5f;

// Every lane's four numbers serve four neighbouring elements.
template <int Block>
inline constexpr auto dropout_four =
    tl::kernel{"dropout_four",
               [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n, tl::f32 p, tl::i32 seed) {
                 auto quads = tl::program_id(0) * (Block / 4) + tl::arange<Block / 4>();
                 auto [a, b, c, d] = tl::rand4x(seed, quads);
                 auto random = tl::reshape<Block>(tl::join(tl::join(a, c), tl::join(b, d)));
                 auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
                 auto mask = offsets < n;
                 auto kept = tl::load(x + offsets, mask, 0.0f) * (1.0f / (1.0f - p));
                 tl::store(out + offsets, tl::where(random > p, kept, 0.0f), mask);
               }};

template <int Block, int Warps> configuration each() {
  return {named("each", {Block, Warps}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            return kernels::dropout<Block>[a.on(tl::cdiv(a.number(2), Block), Warps)](
                a.pointer<const float>(1), a.pointer<float>(0), a.number(2), probability,
                a.number(3));
          }};
}

template <int Block, int Warps> configuration four() {
  return {named("four", {Block, Warps}), [](const launch_arguments &) { return true; },
          [](const launch_arguments &a) {
            return dropout_four<Block>[a.on(tl::cdiv(a.number(2), Block), Warps)](
                a.pointer<const float>(1), a.pointer<float>(0), a.number(2), probability,
                a.number(3));
          }};
}

} // namespace

measured_kernel dropout() {
  return {"dropout",
          "out x n seed",
          {each<512, 4>(), each<1024, 4>(), each<2048, 4>(), four<512, 4>(), four<1024, 4>(),
           four<2048, 4>(), four<2048, 8>(), four<4096, 8>()},
          [](const launch_arguments &) -> std::string { return "four 2048 4"; }};
}

} // namespace bench::gpu
