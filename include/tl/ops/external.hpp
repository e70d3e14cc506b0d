// SPDX-License-Identifier: MIT
#pragma once
// How does a kernel use what the language does not have? Inline assembly, functions of a device
// library, and scalar code run for each element. Part of the elementwise group.

#include "tl/impl/control.hpp"
#include "tl/ops/debug.hpp"

#include <concepts>
#include <string_view>
#include <tuple>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// Options of inline_asm_elementwise. Name the members in this order.
struct asm_options {
  int pack = 1;     ///< elements handled by one instance of the text
  bool pure = true; ///< no effect but its results: may be removed, merged and moved
};

namespace impl {

template <class S> struct shape_tag {};

/// The common shape of some operands.
template <class... X> struct common_shape;
template <> struct common_shape<> {
  static constexpr bool exists = true;
  using type = shape<>;
};
template <class X, class... R> struct common_shape<X, R...> {
  using rest = common_shape<R...>;
  using own = typename argument<X>::shape_type;
  static constexpr bool exists =
      rest::exists && operands<own, typename rest::type>::broadcast_together;
  using type = typename std::conditional_t<exists, broadcast_shape<own, typename rest::type>,
                                           std::type_identity<shape<>>>::type;
};

template <class S, class X> handle spread(tracer &t, const X &x, location where) {
  return coerce(t, argument<X>::get(x), type_of<typename argument<X>::element_type, S>, where);
}

template <class... R, class S> auto results_of(tracer &t, index op, shape_tag<S>) {
  const handle values[] = {t.add_result(op, type_of<R, S>)...};
  if constexpr (sizeof...(R) == 1)
    return tensor<R..., S>(values[0]);
  else
    return tensors_of<S, R...>(values, std::index_sequence_for<R...>{});
}

} // namespace impl

/// Runs assembly of the target on each element. The text and its constraints are LLVM's; the
/// operands broadcast together; there is one result of each type R, several as a tuple. With pack,
/// each instance gets that many elements, packed into 32-bit registers where they are smaller.
/// NVIDIA only. Upstream: tl.inline_asm_elementwise.
///
///     auto y = tl::inline_asm_elementwise<float>("ex2.approx.f32 $0, $1;", "=f,f", {}, x);
template <class... R, impl::operand_like... X>
auto inline_asm_elementwise(impl::located_text text, const char *constraints, asm_options options,
                            const X &...operands) {
  static_assert(sizeof...(R) > 0, "tl::inline_asm_elementwise needs the types of its results as "
                                  "template arguments");
  using common = impl::common_shape<X...>;
  static_assert(common::exists,
                "the operands' shapes of tl::inline_asm_elementwise do not broadcast together");
  using S = typename common::type;
  impl::tracer &t = impl::active(text.where, "tl::inline_asm_elementwise");
  if (options.pack < 1 || !impl::is_power_of_two(options.pack) || S::size % options.pack != 0)
    impl::fail(text.where, "pack of tl::inline_asm_elementwise is " + std::to_string(options.pack) +
                               ", it must be a power of two that divides the number of elements");
  const impl::sequence<impl::handle> values{impl::spread<S>(t, operands, text.where)...};
  std::string attributes = impl::quoted(text.text) +
                           " {constraints = " + impl::quoted(constraints) +
                           ", packed_element = " + std::to_string(options.pack) +
                           " : i32, pure = " + (options.pure ? "true}" : "false}");
  const impl::index op = t.append("tt.elementwise_inline_asm @ %* : $* -> =", values.data(),
                                  values.size(), text.where, std::move(attributes), options.pure);
  return impl::results_of<R...>(t, op, impl::shape_tag<S>{});
}

/// Names libraries in which this kernel's tl::extern_elementwise looks for functions that are
/// called without one. They may call each other; the first that has the function counts. Upstream:
/// the option extern_libs.
///
///     tl::extern_libs("solver.bc", "tables.bc");
///     auto y = tl::extern_elementwise<float>("solve", "", x);
template <std::convertible_to<const char *>... Path>
void extern_libs(impl::located_text first, Path... more) {
  impl::tracer &t = impl::active(first.where, "tl::extern_libs");
  for (std::string_view path : {std::string_view(first.text), std::string_view(more)...}) {
    if (path.find(':') != path.npos)
      impl::fail(first.where,
                 "tl::extern_libs takes paths without a colon, not '" + std::string(path) + "'");
    t.libraries += (t.libraries.empty() ? "" : ":") + std::string(path);
  }
}

/// Calls a function of a library on each element; the operands broadcast together. The library is a
/// file of LLVM bitcode for the target, such as clang -O2 -emit-llvm -c makes, read when the kernel
/// is compiled; what it calls may be its own, the C library's mathematics, or on NVIDIA what
/// libdevice has. Without a library it is one of tl::extern_libs or CUDA's (libdevice.hpp has
/// those). Its operands and its result have the elements' types: float, double, _Float16, __bf16,
/// or integers. The interpreter runs CUDA's functions only. Upstream: tl.extern_elementwise.
///
///     auto y = tl::extern_elementwise<float>("smooth_step", "shapes.bc", x);
///     auto z = tl::extern_elementwise<float>("__nv_sinhf", "", x);
template <class R, impl::operand_like... X>
auto extern_elementwise(impl::located_text symbol, const char *library, const X &...operands) {
  using common = impl::common_shape<X...>;
  static_assert(common::exists,
                "the operands' shapes of tl::extern_elementwise do not broadcast together");
  using S = typename common::type;
  impl::tracer &t = impl::active(symbol.where, "tl::extern_elementwise");
  const impl::sequence<impl::handle> values{impl::spread<S>(t, operands, symbol.where)...};
  std::string attributes =
      "{libname = \"\", libpath = " + impl::quoted(*library ? std::string(library) : t.libraries) +
      ", pure = true, symbol = " + impl::quoted(symbol.text) + "}";
  const impl::index op = t.append("tt.extern_elementwise %* @ : ($*) -> =", values.data(),
                                  values.size(), symbol.where, std::move(attributes), true);
  return impl::results_of<R>(t, op, impl::shape_tag<S>{});
}

namespace impl {

template <class R> struct mapped {
  static constexpr bool is_scalar = false;
};
template <operand_like R> struct mapped<R> {
  static constexpr bool is_scalar = argument<R>::shape_type::rank == 0;
};

template <class V> void append_results(sequence<handle> &yields, tracer &t, const V &value) {
  using E = typename argument<V>::element_type;
  static_assert(argument<V>::shape_type::rank == 0,
                "the function given to tl::map_elementwise returns scalars");
  yields.push_back(coerce(t, argument<V>::get(value), scalar_type<E>, {}));
}

template <class S, class... E> auto mapped_results(const sequence<handle> &values) {
  if constexpr (sizeof...(E) == 1)
    return tensor<E..., S>(values[0]);
  else
    return tensors_of<S, E...>(values.data(), std::index_sequence_for<E...>{});
}

template <int Pack, class S, class F, class... X, std::size_t... I>
auto map_elementwise(F &f, std::index_sequence<I...>, const X &...operands) {
  using inputs = std::tuple<typename argument<X>::element_type...>;
  tracer &t = active({}, "tl::map_elementwise");
  const sequence<handle> values{spread<S>(t, operands, {})...};
  const sequence<value_type> arguments{scalar_type<std::tuple_element_t<I / Pack, inputs>>...};
  frame_watch watch(t, "the function given to ", "tl::map_elementwise", {});
  const auto scalars = begin_combine(t, "tl::map_elementwise", arguments, {});
  const auto finish = [&](const sequence<handle> &yields, const sequence<value_type> &types) {
    auto results = end_combine(t, "tt.map_elementwise", "tt.map_elementwise.return",
                               "pack = " + std::to_string(Pack) + " : i32", values, yields, types);
    watch.end();
    return results;
  };
  auto result = f(expression<std::tuple_element_t<I / Pack, inputs>>(scalars[I])...);
  using R = decltype(result);
  sequence<handle> yields;
  if constexpr (operand_like<R>) {
    static_assert(Pack == 1, "with pack, the function given to tl::map_elementwise returns a "
                             "std::tuple of pack scalars for each result");
    append_results(yields, t, result);
    using E = typename argument<R>::element_type;
    return mapped_results<S, E>(finish(yields, {type_of<E, S>}));
  } else {
    static_assert(
        std::tuple_size_v<R> % Pack == 0,
        "with pack, the function given to tl::map_elementwise returns a std::tuple of pack "
        "scalars for each result");
    std::apply([&](const auto &...each) { (append_results(yields, t, each), ...); }, result);
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return mapped_results<S,
                            typename argument<std::tuple_element_t<J * Pack, R>>::element_type...>(
          finish(
              yields,
              {type_of<typename argument<std::tuple_element_t<J * Pack, R>>::element_type, S>...}));
    }(std::make_index_sequence<std::tuple_size_v<R> / Pack>{});
  }
}

} // namespace impl

/// Runs scalar code, which may branch and loop, for each element of blocks that broadcast together.
/// The function is traced once, on scalars; it uses its arguments and numbers only and writes
/// nothing. It returns a scalar, or a std::tuple for several results. With Pack it takes that many
/// elements of the first block, then of the second, and so on, and returns Pack scalars for each
/// result. Upstream: tl.map_elementwise.
///
///     auto y = tl::map_elementwise([](tl::f32 x) {
///       return tl::if_(x > 0, [&] { return tl::log(x); }, [&] { return x * 0.0f; });
///     }, block);
template <int Pack = 1, class F, impl::operand_like... X>
auto map_elementwise(F f, const X &...operands) {
  static_assert(sizeof...(X) > 0, "tl::map_elementwise needs a block");
  static_assert(Pack > 0 && impl::is_power_of_two(Pack),
                "the pack of tl::map_elementwise is a power of two");
  using common = impl::common_shape<X...>;
  static_assert(common::exists,
                "the operands' shapes of tl::map_elementwise do not broadcast together");
  using S = typename common::type;
  static_assert(S::rank > 0 || Pack == 1, "the pack of tl::map_elementwise needs a block");
  if constexpr (S::rank == 0) {
    impl::tracer &t = impl::active({}, "tl::map_elementwise");
    return f(
        expression<typename impl::argument<X>::element_type>(impl::spread<S>(t, operands, {}))...);
  } else {
    return impl::map_elementwise<Pack, S>(f, std::make_index_sequence<Pack * sizeof...(X)>{},
                                          operands...);
  }
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
