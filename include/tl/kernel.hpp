// SPDX-License-Identifier: MIT
#pragma once
// How does a lambda become a kernel? tl::kernel wraps it, knows its parameters and traces it into
// TTIR. Launching is in launch.hpp, tracing is explained in impl/tracer.hpp.

#include "tl/impl/control.hpp"
#include "tl/impl/default_arithmetic.hpp"
#include "tl/impl/lambda_location.hpp"
#include "tl/impl/parameter.hpp"
#include "tl/impl/printer.hpp"
#include "tl/impl/structure.hpp"
#include "tl/impl/unoptimized.hpp"
#include "tl/impl/unused_results.hpp"
#include "tl/launch.hpp"
#include "tl/tensor.hpp"

#include <string>
#include <string_view>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {
namespace impl {

// What stands in parameter lists; descriptors are added in ops/memory.hpp.
template <class T> struct parameter<tensor<T, shape<>>> : scalar_parameter<T> {};
template <class T> struct parameter<tensor<T *, shape<>>> : pointer_parameter<T> {};

template <class M> struct call_signature {
  static constexpr bool known = false, returns_nothing = true, takes_values = true;
  static constexpr bool is_const = true, passes_exceptions = true;
  using parameters = parameter_list<>;
};
template <class R, class... P> struct call_signature<R(P...)> {
  static constexpr bool known = true;
  static constexpr bool returns_nothing = std::is_void_v<R>;
  static constexpr bool takes_values =
      !((std::is_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>) || ...);
  static constexpr bool is_const = true, passes_exceptions = true;
  using parameters = parameter_list<std::remove_cvref_t<P>...>;
};
template <class R, class... P> struct call_signature<R (*)(P...)> : call_signature<R(P...)> {};
template <class F, class R, class... P>
struct call_signature<R (F::*)(P...) const> : call_signature<R(P...)> {};
template <class F, class R, class... P>
struct call_signature<R (F::*)(P...)> : call_signature<R(P...)> {
  static constexpr bool is_const = false;
};
template <class F, class R, class... P>
struct call_signature<R (F::*)(P...) const noexcept> : call_signature<R(P...)> {
  static constexpr bool passes_exceptions = false;
};
template <class F, class R, class... P>
struct call_signature<R (F::*)(P...) noexcept> : call_signature<R (F::*)(P...)> {
  static constexpr bool passes_exceptions = false;
};

template <class F, class = void> struct signature_of : call_signature<void> {};
template <class F>
struct signature_of<F, std::void_t<decltype(&F::operator())>>
    : call_signature<decltype(&F::operator())> {};

/// A name that is a symbol: letters, digits and underscores, not starting with a digit.
inline std::string symbol(std::string_view text) {
  std::string name;
  for (char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (name.empty() && digit)
      name += '_';
    name += letter || digit ? c : '_';
  }
  return name.empty() ? "kernel" : name;
}

/// The name of a kernel: the one given, else file stem and line; a valid symbol.
inline std::string kernel_name(const char *given, const location &where) {
  if (given)
    return symbol(given);
  std::string_view file = where.file;
  if (const auto slash = file.find_last_of("/\\"); slash != file.npos)
    file.remove_prefix(slash + 1);
  if (const auto dot = file.find('.'); dot != file.npos && dot != 0)
    file = file.substr(0, dot);
  return symbol(file) + "_" + std::to_string(where.line);
}

/// A parameter without its C++ type: that of its value and, of a descriptor, that of its base.
struct parameter_form {
  const value_type *type;
  const value_type *base;
};

template <class P> constexpr parameter_form form_of() {
  using element = typename P::element_type;
  if constexpr (parameter<P>::kind == parameter_kind::descriptor)
    return {&P::descriptor_type, &type_of<element *, shape<>>};
  else
    return {&type_of<element, shape<>>, nullptr};
}

/// The trace of one kernel, from its parameters to its text.
class kernel_trace {
public:
  kernel_trace(location where, const specialization &known) : where_(where), known_(known) {
    tracer_.environment = known.environment();
    tracer_.seen(where);
    tracer_.running = &running_;
    tracer_.set(running_, tracer_.emit("arith.constant true", {}, scalar_type<bool>, where).value);
  }

  /// The value of the next slot. `always`: what divides all its arguments; `divisor`: what divides
  /// those that are `divisible_by_8`.
  handle add_slot(const value_type &type, int always = 1, int divisor = 8) {
    const index value = tracer_.add_value(type, 0);
    const fact known = known_[tracer_.program.regions[0].arguments.size()];
    const bool is_integer = type.is_data() && !type.is_float() && !type.is_bool();
    tracer_.program.regions[0].arguments.push_back(value);
    const bool is_partly = is_integer && known == fact::divisible_by_8 && divisor > always;
    const int divides = known == fact::divisible_by_16 ? 16 : is_partly ? divisor : always;
    attributes_.push_back(divides > 1 ? "tt.divisibility = " + std::to_string(divides) + " : i32"
                                      : "");
    if (known == fact::equal_to_1 && is_integer)
      return integer_constant(tracer_, 1, type, where_);
    tracer_.program.values[value].is_null = known == fact::null && type.form == value_form::pointer;
    return tracer_.make_handle(value);
  }

  /// The value of the next parameter.
  handle add_parameter(const parameter_form &form) {
    return form.base ? add_descriptor(*form.type, *form.base) : add_slot(*form.type);
  }

  std::string finish(std::string_view name) {
    end_guards(tracer_);
    tracer_.throw_noted();
    if (!tracer_.frames.empty())
      fail(tracer_.frames.back().where, "a loop over tl::range has not ended when the kernel ends",
           "let a for statement iterate over it");
    graph &program = tracer_.program;
    unused_results::drop(program);
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      const value_info &argument = program.values[program.regions[0].arguments[i]];
      std::string &text = attributes_[i];
      if (known_.may_alias(i) && !argument.is_restrict && argument.type.form == value_form::pointer)
        text += text.empty() ? "tt.may_alias" : ", tt.may_alias";
      if (!text.empty())
        text = " {" + text + "}";
    }
    return printer(program).print(name, attributes_, where_);
  }

private:
  /// A descriptor arrives as its parts: the base, the extents, the strides, of which the last is 1.
  handle add_descriptor(const value_type &type, const value_type &pointer) {
    const int unit = elements_in_16_bytes(std::size_t(type.bits + 7) / 8);
    sequence<handle> parts{add_slot(pointer, 16)};
    for (int axis = 0; axis < type.rank; ++axis)
      parts.push_back(add_slot(scalar_type<std::int32_t>, 1, axis + 1 < type.rank ? 8 : unit));
    for (int axis = 0; axis < type.rank; ++axis) {
      // What is known of the last stride is no divisor.
      const int divides = axis + 1 < type.rank ? unit : 1;
      parts.push_back(add_slot(scalar_type<std::int64_t>, divides, divides));
    }
    const std::size_t last = tracer_.program.regions[0].arguments.size() - 1;
    parts.pop_back();
    parts.push_back(integer_constant(tracer_, 1, scalar_type<std::int64_t>, where_));
    return make_descriptor(tracer_, parts, type, known_.reads_nan(last), known_.rounds_reads(last),
                           where_);
  }

  tracer tracer_;
  variable running_;
  location where_;
  const specialization &known_;
  sequence<std::string> attributes_;
};

/// The lambda of a kernel without its C++ type: its parameters, and how it is called with their
/// values. Most of tracing is then compiled once, and not for each kernel.
struct traced_function {
  const parameter_form *parameters;
  std::size_t parameter_count;
  void (*call)(const void *lambda, const handle *values);
  const char *source; // as source_of gives it
};

/// The parameter's value, made of those that begin at `values`.
template <class P> P make_parameter(const handle *values) {
  return member_structure<P>::make(values);
}

template <class List> struct parameter_forms;
template <class... P> struct parameter_forms<type_list<P...>> {
  static constexpr parameter_form list[sizeof...(P) + 1] = {form_of<P>()..., {}};
};

template <class F, class List, class Indices> struct traced_lambda;
template <class F, class... P, std::size_t... I>
struct traced_lambda<F, parameter_list<P...>, std::index_sequence<I...>> {
  using flat = flat_list<parameter_list<P...>>;
  /// The number of the first value of each parameter.
  static constexpr std::array<std::size_t, sizeof...(P) + 1> firsts = [] {
    std::array<std::size_t, sizeof...(P) + 1> numbers{};
    ((numbers[I + 1] = numbers[I] + flat_list<type_list<P>>::size), ...);
    return numbers;
  }();
  TL_IMPL_UNOPTIMIZED static void call(const void *lambda, [[maybe_unused]] const handle *values) {
    if constexpr (has_structures<parameter_list<P...>>)
      TL_IMPL_IN_PLACE (*static_cast<const F *>(lambda))(make_parameter<P>(values + firsts[I])...);
    else
      TL_IMPL_IN_PLACE (*static_cast<const F *>(lambda))(P(values[I])...);
  }
  static constexpr traced_function function{parameter_forms<flat>::list, flat::size, call,
                                            source_of<F>()};
};

/// Refuses a kernel of which the linker has kept that of another file: Clang gives the lambda of a
/// template variable one name in all files. `wanted` is the caller's lambda.
inline void check_source(const traced_function &function, const char *wanted,
                         const std::string &name) {
  const lambda_location ours(wanted), kept(function.source);
  if (ours.is_known() && kept.is_known() && !ours.is_same(kept))
    throw compile_error(ours.refused("tl::kernel " + name +
                                         " has the name and the type of another kernel of the "
                                         "program, at " +
                                         std::string(kept.text()) + ", which would run instead",
                                     "declare it static or in an unnamed namespace, or give it "
                                     "another name"));
}

inline std::string trace_kernel(const traced_function &function, const void *lambda,
                                const char *name, const location &where,
                                const specialization &known, const char *wanted) {
  check_source(function, wanted, kernel_name(name, where));
  const default_arithmetic arithmetic;
  kernel_trace trace(where, known);
  sequence<handle> values;
  for (std::size_t i = 0; i < function.parameter_count; ++i)
    values.push_back(trace.add_parameter(function.parameters[i]));
  function.call(lambda, values.data());
  return trace.finish(kernel_name(name, where));
}

} // namespace impl

TL_IMPL_UNOPTIMIZED_END

/// A kernel: a lambda that is traced once for each way in which it is used. Its parameters are
/// tl::ptr<T>, scalars (tl::i32, tl::f32 …), tl::descriptor<T, …>, and structs, std::tuple,
/// std::pair and std::array of them. It captures nothing: what is constant is a template argument,
/// what varies is a parameter. It returns nothing.
///
/// The lambda runs when the kernel is compiled, once for each specialisation, and not when it is
/// launched. Functions of the host (launches, buffers, streams, events) throw tl::compile_error in
/// it; other C++ code runs then, too. An error of the language that is caught in the lambda, or an
/// exception that leaves a loop or branch and is caught there, is still an error of the kernel.
///
///     template <int Block>
///     inline constexpr auto twice = tl::kernel{[](tl::ptr<float> x) {
///       auto p = x + tl::program_id(0) * Block + tl::arange<Block>();
///       tl::store(p, tl::load(p) * 2.0f);
///     }};
///     twice<256>[tl::grid(n / 256)](x);
template <class F> struct kernel : impl::launchable<kernel<F>> {
  using function_type = F;
  using parameters = typename impl::signature_of<F>::parameters;

  /// The kernel's name is made of the file and a line of its declaration: the first one; GCC takes
  /// the last one of a kernel that is no template. Give a name where it matters.
  constexpr kernel(F function, std::source_location where = std::source_location::current())
      : kernel(nullptr, function, where) {}
  /// A kernel with a name, as it appears in messages, TTIR and profilers.
  constexpr kernel(const char *name, F function,
                   std::source_location where = std::source_location::current())
      : function_(function), name_(name), where_(where) {
    static_assert(std::is_empty_v<F>,
                  "a kernel captures nothing: pass values as kernel parameters and constants as "
                  "template arguments");
    static_assert(impl::signature_of<F>::known,
                  "a kernel is a lambda with a fixed list of parameters: write tl::ptr<float> x, "
                  "tl::i32 n and so on instead of auto");
    static_assert(impl::signature_of<F>::returns_nothing,
                  "a kernel returns nothing: tl::store what it computes");
    static_assert(impl::signature_of<F>::takes_values,
                  "a kernel takes its parameters by value: write tl::ptr<float> x instead of "
                  "tl::ptr<float> &x");
    static_assert(impl::signature_of<F>::is_const, "the lambda of a kernel is not mutable");
    static_assert(impl::signature_of<F>::passes_exceptions,
                  "the lambda of a kernel is not noexcept: what is wrong in it is an exception");
    check_parameters(parameters{});
  }

  /// A valid symbol; the name given, else file stem and line.
  std::string name() const { return impl::kernel_name(name_, where_); }

  /// The kernel as TTIR, for what a specialisation may assume. Throws tl::compile_error with the
  /// user's line when the kernel is wrong.
  ///
  ///     std::puts(add<1024>.trace().c_str());
  TL_IMPL_INLINE std::string
  trace(const impl::specialization &known = {},
        std::source_location where = std::source_location::current()) const {
    impl::only_on_host("trace() of a kernel", where);
    return trace_from(source(), known);
  }

  /// The kernel as TTIR for a target, which tl::target_info asks for. Nothing is known of the
  /// arguments. Throws as trace does.
  ///
  ///     std::puts(add<1024>.trace_for("sm_90a").c_str());
  TL_IMPL_INLINE std::string
  trace_for(std::string_view target,
            std::source_location where = std::source_location::current()) const {
    impl::only_on_host("trace_for() of a kernel", where);
    return trace_from(source(), {nullptr, 0, {.target = target, .num_warps = 4}});
  }

private:
  friend impl::launchable<kernel>;
  friend impl::launcher<kernel>;

  // For launchers: where the caller's lambda is, and the kernel as TTIR if it is that one.
  TL_IMPL_INLINE static const char *source() { return impl::source_of<F>(); }
  std::string trace_from(const char *wanted, const impl::specialization &known) const {
    return trace_parameters(parameters{}, known, wanted);
  }

  template <class... P> static constexpr void check_parameters(impl::parameter_list<P...>) {
    static_assert(
        (!std::is_pointer_v<P> && ...),
        "a kernel parameter is a tl::ptr<T>, not a raw pointer: write tl::ptr<const float> "
        "x instead of const float *x");
    if constexpr (!(impl::parameter<P>::known && ...))
      (check_parameter<P>(), ...);
  }
  template <class P> static constexpr void check_parameter() {
    if constexpr (!impl::parameter<P>::known && !impl::refuse_structure<P>())
      static_assert(impl::parameter<P>::known || std::is_pointer_v<P>,
                    "a kernel parameter is a tl::ptr<T>, a scalar such as tl::i32 or tl::f32, or a "
                    "tl::descriptor<T, …>, or a struct of them");
  }
  template <class... P>
  std::string trace_parameters(impl::parameter_list<P...>, const impl::specialization &known,
                               const char *wanted) const {
    using signature = impl::signature_of<F>;
    if constexpr ((impl::parameter<P>::known && ...) && signature::is_const &&
                  signature::takes_values)
      return impl::trace_kernel(impl::traced_lambda<F, impl::parameter_list<P...>,
                                                    std::index_sequence_for<P...>>::function,
                                &function_, name_, where_, known, wanted);
    else
      return {};
  }

  [[no_unique_address]] F function_;
  const char *name_;
  // Not the std::source_location itself: GCC keeps what that points to in the group of the kernel
  // object, and the copy of a header's second file then refers to a discarded section.
  impl::location where_;
};

} // namespace tl
