// SPDX-License-Identifier: MIT
//
// Products of float16 with a bias and an activation, as parameters of matmul_f16 with the bias in
// place of scratch. What they cost is the difference to matmul_f16 in the same configuration.

#include "products.hpp"

namespace bench::gpu {
namespace {

using T = tl::float16;

template <tile_config C> configuration gelu() {
  return {named("gelu", C), fits_pointers<C>, [](const launch_arguments &a) {
            const product_sizes s(a);
            return products::matmul_activated<T, T, C, products::gelu>[launched(a, s.tiles(C), C)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<T>(2),
                a.pointer<const T>(11), s.M, s.N, s.K, s.a_row, s.a_column, s.b_row, s.b_column,
                s.c_row);
          }};
}

template <tile_config C> configuration described() {
  return {named("described", C), fits_descriptors<T, T, C>, [](const launch_arguments &a) {
            return with_descriptors<T, T, C>(a, [&]<products::transposed Lie>(
                                                    const auto &x, const auto &y, const auto &z) {
              const product_sizes s(a);
              return products::matmul_activated_descriptors<T, T, C, Lie, products::gelu>[launched(
                  a, s.tiles(C), C)](x, y, z, a.pointer<const T>(11), s.M, s.N, s.K);
            });
          }};
}

template <tile_config C> configuration all() {
  return {
      named("all", C), fits_descriptors<T, T, C>, [](const launch_arguments &a) {
        return with_descriptors<T, T, C>(a, [&]<products::transposed Lie>(
                                                const auto &x, const auto &y, const auto &z) {
          const product_sizes s(a);
          return products::persistent_activated_descriptors<T, T, C, Lie, products::gelu>[launched(
              a, residents(a, s.tiles(C), C.num_ctas), C)](x, y, z, a.pointer<const T>(11), s.M,
                                                           s.N, s.K);
        });
      }};
}

} // namespace

measured_kernel matmul_gelu() {
  return {"matmul_gelu",
          "a b c M N K a_row a_column b_row b_column c_row bias",
          {gelu<{128, 256, 64, 8, 8, 3}>(), gelu<{128, 128, 64, 8, 8, 3}>(),
           gelu<{128, 128, 64, 8, 4, 4}>(), gelu<{64, 128, 64, 8, 4, 4}>(),
           gelu<{64, 64, 64, 8, 4, 4}>(), described<{128, 256, 64, 8, 8, 3}>(),
           described<{128, 64, 64, 8, 4, 6}>(), described<{64, 128, 64, 8, 4, 6}>(),
           all<{128, 256, 64, 8, 8, 3}>(), all<{128, 128, 64, 8, 8, 4}>()},
          [](const launch_arguments &) -> std::string { return "gelu 64 64 64 4 4"; }};
}

} // namespace bench::gpu
