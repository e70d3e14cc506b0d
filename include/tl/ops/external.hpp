// SPDX-License-Identifier: MIT
#pragma once
// How does a kernel use what the language does not have? Inline assembly, functions of a device
// library, and scalar code run for each element. Part of the elementwise group.

#include "tl/impl/control.hpp"
#include "tl/impl/structure.hpp"
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

template <class... T> struct tensors {
  using type = std::tuple<T...>;
};
template <class T> struct tensors<T> {
  using type = T;
};
template <class... T> using one_or_tuple = typename tensors<T...>::type;

template <class... R, class S> auto results_of(tracer &t, index op, shape_tag<S>) {
  return made_of<one_or_tuple<tensor<R, S>...>>({t.add_result(op, type_of<R, S>)...});
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

/// The common shape of all blocks in some structures.
template <class Leaves> struct common_shape_of;
template <class... L> struct common_shape_of<type_list<L...>> : common_shape<L...> {};
template <class... X>
using common_shape_in =
    common_shape_of<typename joined_lists<typename structure<X>::leaves...>::type>;

/// What the function given to tl::map_elementwise must return.
template <class... L> constexpr bool check_mapped(type_list<L...>) {
  static_assert(((argument<L>::shape_type::rank == 0) && ...),
                "the function given to tl::map_elementwise returns scalars");
  return true;
}
/// Every Pack-th leaf of a result of Pack scalars for each block.
template <int Pack, class S, class... L> constexpr auto packed_results(type_list<L...>) {
  using all = std::tuple<L...>;
  return []<std::size_t... J>(std::index_sequence<J...>) {
    return std::type_identity<
        one_or_tuple<structure_with<std::tuple_element_t<J * Pack, all>, as_blocks<S>>...>>();
  }(std::make_index_sequence<sizeof...(L) / Pack>());
}
template <int Pack, class S, class R> constexpr auto mapped_results() {
  using leaves = typename structure<R>::leaves;
  if constexpr (Pack == 1)
    return std::type_identity<structure_with<R, as_blocks<S>>>();
  else
    return packed_results<Pack, S>(leaves());
}

/// Calls f on scalars, or on structures of them. Named, so that a failed static_assert shows what
/// they are.
template <class F, class... Scalars> struct mapping_function {
  static constexpr bool takes_all = std::invocable<F &, Scalars...>;
  static auto call(F &f, Scalars... scalars) {
    static_assert(takes_all, "the function given to tl::map_elementwise takes a scalar of each "
                             "operand, of a structure one of scalars, and with pack as many of "
                             "each: mapping_function<function, scalars>");
    if constexpr (takes_all)
      return f(std::move(scalars)...);
    else
      return std::tuple(std::move(scalars)...);
  }
};
/// Pack scalars of each block, in order.
template <int Pack, class... L, std::size_t... I, class F>
auto call_with_packs(type_list<L...>, std::index_sequence<I...>, F &f,
                     const sequence<handle> &scalars) {
  using all = std::tuple<typename as_scalars::leaf<L>...>;
  return mapping_function<F, std::tuple_element_t<I / Pack, all>...>::call(
      f, std::tuple_element_t<I / Pack, all>(scalars[I])...);
}
template <int Pack, class F, class... X>
auto call_mapped(type_list<X...> operands, F &f, const sequence<handle> &scalars) {
  if constexpr (Pack > 1) {
    return call_with_packs<Pack>(operands, std::make_index_sequence<Pack * sizeof...(X)>(), f,
                                 scalars);
  } else {
    const handle *next = scalars.data();
    const auto call = [&](auto &&...each) {
      return mapping_function<F, structure_with<X, as_scalars>...>::call(f, std::move(each)...);
    };
    return std::apply(call, std::tuple<structure_with<X, as_scalars>...>{
                                structure<structure_with<X, as_scalars>>::make(next)...});
  }
}

template <class S, class... X> sequence<handle> spread_all(tracer &t, const X &...operands) {
  sequence<handle> values;
  const auto add = [&](const auto &leaf) { values.push_back(spread<S>(t, leaf, {})); };
  (structure<X>::visit(operands, add), ...);
  return values;
}

template <int Pack, class S, class F, class... X> auto map_elementwise(F &f, const X &...operands) {
  tracer &t = active({}, "tl::map_elementwise");
  const sequence<handle> values = spread_all<S>(t, operands...);
  sequence<value_type> arguments;
  for (const handle value : values)
    for (int i = 0; i < Pack; ++i) {
      arguments.push_back(t.type_of_value(value));
      arguments.back().rank = 0;
    }
  frame_watch watch(t, "the function given to ", "tl::map_elementwise", {});
  const auto scalars = begin_combine(t, "tl::map_elementwise", arguments, {});
  const auto result = call_mapped<Pack>(type_list<X...>(), f, scalars);
  using R = std::remove_const_t<decltype(result)>;
  using leaves = typename structure<R>::leaves;
  static_assert(can_change<R, as_blocks<S>>() && leaves::size > 0,
                "the function given to tl::map_elementwise returns a scalar, or a structure of "
                "scalars such as a std::tuple");
  static_assert(leaves::size % Pack == 0,
                "with pack, the function given to tl::map_elementwise returns a std::tuple of pack "
                "scalars for each result");
  if constexpr (can_change<R, as_blocks<S>>() && leaves::size % Pack == 0 &&
                check_mapped(leaves())) {
    const auto yields = handles_of(result);
    sequence<value_type> results;
    for (std::size_t i = 0; i < yields.size(); i += Pack)
      results.push_back(with_element(type_of<float, S>, t.type_of_value(yields[i])));
    const auto mapped =
        end_combine(t, "tt.map_elementwise", "tt.map_elementwise.return",
                    "pack = " + std::to_string(Pack) + " : i32", values, yields, results);
    watch.end();
    return made_of<typename decltype(mapped_results<Pack, S, R>())::type>(mapped);
  } else {
    return result;
  }
}

} // namespace impl

/// Runs scalar code, which may branch and loop, for each element of blocks that broadcast together.
/// The function is traced once, on scalars; it uses its arguments and numbers only and writes
/// nothing. It returns a scalar, or a structure of them (std::tuple, std::array, a struct that is a
/// template of its members' types) for several results. Of a structure of blocks it gets a
/// structure of scalars. With Pack it takes that many elements of the first block, then of the
/// second, and so on, and returns Pack scalars for each result. Upstream: tl.map_elementwise.
///
///     auto y = tl::map_elementwise([](tl::f32 x) {
///       return tl::if_(x > 0, [&] { return tl::log(x); }, [&] { return x * 0.0f; });
///     }, block);
template <int Pack = 1, class F, class... X> auto map_elementwise(F f, const X &...operands) {
  static_assert(sizeof...(X) > 0, "tl::map_elementwise needs a block");
  static_assert(Pack > 0 && impl::is_power_of_two(Pack),
                "the pack of tl::map_elementwise is a power of two");
  constexpr bool takes = (impl::can_change<X, impl::as_scalars>() && ...);
  constexpr bool packs = Pack == 1 || (impl::operand_like<X> && ...);
  static_assert(takes, "tl::map_elementwise takes blocks, numbers and structures of them");
  static_assert(!takes || packs,
                "the pack of tl::map_elementwise is for blocks and numbers, not for structures");
  if constexpr (takes && packs) {
    using common = impl::common_shape_in<X...>;
    static_assert(common::exists,
                  "the operands' shapes of tl::map_elementwise do not broadcast together");
    using S = typename common::type;
    static_assert(S::rank > 0 || Pack == 1, "the pack of tl::map_elementwise needs a block");
    if constexpr (S::rank == 0) {
      impl::tracer &t = impl::active({}, "tl::map_elementwise");
      return impl::call_mapped<1>(impl::type_list<X...>(), f, impl::spread_all<S>(t, operands...));
    } else {
      return impl::map_elementwise<Pack, S>(f, operands...);
    }
  } else {
    return 0;
  }
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
