// SPDX-License-Identifier: MIT
//
// A matrix product of float16 in steps, each with one change:
// docs/explanation/from_naive_to_peak.md tells what each is for. Parameters as those of matmul_f16.
// A configuration is a step.

#include "../matmul/naive.hpp"
#include "products.hpp"

namespace bench::gpu {
namespace {

using T = tl::float16;

/// A step that is a configuration of products.hpp under another name.
configuration step(const char *name, configuration made) {
  made.name = name;
  return made;
}

template <tile_config C> configuration naive() {
  return {"", fits_pointers<C>, [](const launch_arguments &a) {
            const product_sizes s(a);
            return products::naive_matmul<T, T, C>[launched(a, s.tiles(C), C)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<T>(2), s.M, s.N, s.K,
                s.a_row, s.a_column, s.b_row, s.b_column, s.c_row);
          }};
}

} // namespace

// Members: block_m, block_n, block_k, group_m, num_warps, num_stages.
measured_kernel matmul_steps() {
  return {"matmul_steps",
          "a b c M N K a_row a_column b_row b_column c_row scratch",
          {step("1 multiply and add", naive<{32, 32, 1, 1, 4, 1}>()),
           step("2 tl::dot, 32 x 32 tiles", tile<T, T, {32, 32, 32, 1, 4, 1}>()),
           step("3 tiles of 128 x 128", tile<T, T, {128, 128, 32, 1, 4, 1}>()),
           step("4 64 of K a step", tile<T, T, {128, 128, 64, 1, 4, 1}>()),
           step("5 loads ahead, 3 stages", tile<T, T, {128, 128, 64, 1, 4, 3}>()),
           step("6 8 warps, 128 x 256", tile<T, T, {128, 256, 64, 1, 8, 3}>()),
           step("7 tiles in groups of rows", tile<T, T, {128, 256, 64, 8, 8, 3}>()),
           step("8 tensor descriptors", described<T, T, {128, 256, 64, 8, 8, 3}>()),
           step("9 persistent programs", all<T, T, {128, 256, 64, 8, 8, 3}>()),
           step("10 four stages", all<T, T, {128, 256, 64, 8, 8, 4}>())},
          [](const launch_arguments &) -> std::string { return "7 tiles in groups of rows"; }};
}

} // namespace bench::gpu
