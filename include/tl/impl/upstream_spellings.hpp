// SPDX-License-Identifier: MIT
#pragma once
// What does tl::reshape(x, 8, 8) say? One sentence with the spelling of tl, instead of a list of
// candidates: in upstream's language shapes, axes and counts are arguments, and here template
// arguments. Those of reductions and scans are in ops/reduction.hpp.

#include "tl/ops/creation.hpp"
#include "tl/ops/shaping.hpp"
#include "tl/ops/sorting.hpp"

namespace tl {

#define TL_IMPL_REFUSE(name, sentence)                                                             \
  template <tensor_like X, impl::operand_like A, class... R>                                       \
  tensor<typename X::element_type, typename X::shape_type> name(const X &x, const A &,             \
                                                                const R &...) {                    \
    static_assert(sizeof(A) == 0, sentence);                                                       \
    return x;                                                                                      \
  }
#define TL_IMPL_EXTENTS(name)                                                                      \
  TL_IMPL_REFUSE(name, "the extents of tl::" #name " are template arguments: write tl::" #name     \
                       "<8, 8>(x) instead of tl::" #name "(x, 8, 8)")
#define TL_IMPL_AXIS(name)                                                                         \
  TL_IMPL_REFUSE(name, "the axis of tl::" #name " is a template argument: write tl::" #name        \
                       "<0>(x) instead of tl::" #name "(x, 0)")
#define TL_IMPL_COUNT(name)                                                                        \
  TL_IMPL_REFUSE(name, "the K of tl::" #name " is a template argument: write tl::" #name           \
                       "<4>(x) instead of tl::" #name "(x, 4)")

TL_IMPL_EXTENTS(reshape)
TL_IMPL_EXTENTS(broadcast_to)
TL_IMPL_AXIS(expand_dims)
TL_IMPL_AXIS(unsqueeze)
TL_IMPL_AXIS(squeeze)
TL_IMPL_AXIS(flip)
TL_IMPL_AXIS(softmax)
TL_IMPL_AXIS(max_with_index)
TL_IMPL_AXIS(min_with_index)
TL_IMPL_COUNT(topk)
TL_IMPL_COUNT(topk_with_indices)
TL_IMPL_REFUSE(permute, "the axes of tl::permute are template arguments: write tl::permute<1, "
                        "0>(x) instead of tl::permute(x, 1, 0)")
TL_IMPL_REFUSE(trans, "the axes of tl::trans are template arguments of another function: write "
                      "tl::permute<1, 0>(x) instead of tl::trans(x, 1, 0)")
TL_IMPL_REFUSE(gather, "the axis of tl::gather is a template argument: write tl::gather<0>(x, "
                       "indices) instead of tl::gather(x, indices, 0)")
TL_IMPL_REFUSE(histogram, "the bins of tl::histogram are a template argument: write "
                          "tl::histogram<16>(x) instead of tl::histogram(x, 16)")

#undef TL_IMPL_COUNT
#undef TL_IMPL_AXIS
#undef TL_IMPL_EXTENTS
#undef TL_IMPL_REFUSE

template <class T, impl::operand_like E, class... R> tensor<T> zeros(const E &, const R &...) {
  static_assert(sizeof(E) == 0, "the extents of tl::zeros are template arguments: write "
                                "tl::zeros<float, 8, 8>() instead of tl::zeros<float>(8, 8)");
  return tensor<T>(impl::handle{});
}

template <int Axis> i32 program_id() {
  static_assert(Axis != Axis, "the axis of tl::program_id is an argument: write tl::program_id(0) "
                              "instead of tl::program_id<0>()");
  return i32(impl::handle{});
}

} // namespace tl
