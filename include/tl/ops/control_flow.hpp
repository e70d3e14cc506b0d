// SPDX-License-Identifier: MIT
#pragma once
// How does a kernel loop and branch on values that are known only when it runs? With tl::range in a
// C++ for, tl::if_, tl::while_, and the exits below. All carry what is assigned to tl::tensor
// variables inside them; impl/tracer.hpp explains how. Plain C++ loops and ifs on constants unroll
// and choose while tracing.

#include "tl/impl/control.hpp"
#include "tl/impl/structure.hpp"
#include "tl/tensor.hpp"

#include <exception>
#include <optional>
#include <source_location>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// Waits for all programs of the grid: memory that any of them accessed before is seen by all of
/// them after. So one launch can do what else needs several, as often as needed in a loop. It is
/// the one way to wait for programs of higher index: with atomics a program can wait for those of
/// lower index only (see tl::atomic_poll).
///
/// Every program must come here equally often: the branches and loops around it must not depend on
/// tl::program_id or on the old value of an atomic, which is a compile_error. The whole grid runs
/// at the same time: a launch of more programs than the device can hold (a few for each
/// multiprocessor of a GPU, 1024 elsewhere) throws tl::out_of_resources. Upstream has no such
/// barrier.
///
///     tl::store(partial + tl::program_id(0), tl::sum(x));
///     tl::grid_barrier();
///     auto total = tl::sum(tl::load(partial + tl::arange<64>()));
inline void grid_barrier(impl::location where = std::source_location::current()) {
  impl::active(where, "tl::grid_barrier").emit_effect("tt.grid_barrier", {}, where);
}

/// Options of tl::range: hints for the compiler, none of which changes a result. num_stages counts
/// where a loop, of products or not, starts loads ahead (GPUs: docs/explanation/architecture.md).
/// warp_specialize has warps of their own copy the described blocks that products of the loop, and
/// of loops in it, need (target sm_90a, programs of 8 or 16 warps), and so has flatten where a loop
/// over tiles has a loop of products in it: either way the blocks of the next tile are on their way
/// while the result of this one is stored.
/// disallow_acc_multi_buffer asks for what is always so: no product has two accumulators.
/// Name the members in this order.
struct range_options {
  int num_stages = 0;         ///< iterations of loads in flight; 0: products have the kernel's
  int loop_unroll_factor = 0; ///< bodies per iteration; 0: the compiler's choice
  bool disallow_acc_multi_buffer = false;
  bool flatten = false;         ///< loads of the loop inside it go on to the next iteration
  bool warp_specialize = false; ///< copies and arithmetic in different warps
  bool disable_licm = false;    ///< leave invariant code in the loop
};

namespace impl {

inline std::string loop_attributes(range_options options) {
  std::string text;
  const auto add = [&](const std::string &attribute) {
    text += (text.empty() ? "" : ", ") + attribute;
  };
  if (options.disable_licm)
    add("llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true, versioningDisable = "
        "true>>");
  if (options.disallow_acc_multi_buffer)
    add("tt.disallow_acc_multi_buffer");
  if (options.flatten)
    add("tt.flatten");
  if (options.loop_unroll_factor > 0)
    add("tt.loop_unroll_factor = " + std::to_string(options.loop_unroll_factor) + " : i32");
  if (options.num_stages > 0)
    add("tt.num_stages = " + std::to_string(options.num_stages) + " : i32");
  if (options.warp_specialize)
    add("tt.warp_specialize");
  return text.empty() ? text : " {" + text + "}";
}

/// A loop over lower, lower + step, … below (or above) upper.
class range_trace {
public:
  range_trace(operand lower, operand upper, operand step, const value_type &type,
              range_options options, location where)
      : tracer_(active(where, "tl::range")), where_(where), unwinding_(std::uncaught_exceptions()) {
    if (options.num_stages < 0 || options.loop_unroll_factor < 0)
      fail(where, "num_stages and loop_unroll_factor of tl::range are not negative");
    bounds_.type = type;
    bounds_.is_unsigned = !type.is_signed();
    bounds_.attributes = loop_attributes(options);
    bounds_.lower = coerce(tracer_, lower, type, where);
    bounds_.upper = coerce(tracer_, upper, type, where);
    const handle distance = coerce(tracer_, step, type, where);
    const value_info &info = tracer_.program.values[distance.value];
    if (step.is_literal && info.constant == 0)
      fail(where, "the step of tl::range is 0");
    if (is_positive(info))
      bounds_.step = distance;
    else if (has_negative(info))
      count_down(info.constant);
    else
      count_steps(distance);
  }
  range_trace(const range_trace &) = delete;
  range_trace &operator=(const range_trace &) = delete;

  ~range_trace() {
    if (!watch_)
      return;
    if (current_trace != &tracer_)
      watch_->end(); // the loop is older than its kernel
    else if (std::uncaught_exceptions() == unwinding_)
      watch_->abandon("the body of a loop over tl::range was left by break, return or goto",
                      "use tl::break_if or tl::continue_if");
  }

  void open() {
    if (watch_)
      fail(where_, "one tl::range is used by two nested loops", "write the range in each for");
    watch_.emplace(tracer_, "the body of a loop over ", "tl::range", where_);
    running_ = tracer_.value_of(*tracer_.running);
    const handle induction = begin_loop(tracer_, bounds_, exits_, where_);
    current_ = induction;
    if (reversed_)
      current_ =
          emit("arith.addi %0, %1 : =", emit("arith.subi %0, %1 : =", bounds_.upper, induction),
               bounds_.lower);
    if (!scale_.empty())
      current_ =
          emit("arith.addi %0, %1 : =", emit("arith.muli %0, %1 : =", induction, scale_), start_);
  }
  void close() {
    end_loop(tracer_, bounds_);
    end_exits(tracer_, exits_);
    watch_->end();
    watch_.reset();
    guard_after_loop(tracer_, "tl::range", running_, where_);
  }
  bool is_open() const { return watch_.has_value(); }
  handle current() const { return current_; }

private:
  handle emit(const char *format, handle a, handle b) {
    return tracer_.emit(format, {a, b}, bounds_.type, where_);
  }
  /// Whether the step is known to be a positive number of the type, also where a compiler takes all
  /// integers for signed.
  static bool is_positive(const value_info &step) {
    return step.is_positive && (step.type.bits == 64 || !step.is_constant ||
                                step.constant >> (step.type.bits - 1) == 0);
  }
  /// Whether it is known, negative, and -step a number of the type.
  static bool has_negative(const value_info &step) {
    return step.is_constant && step.type.is_signed() && step.constant < 0 &&
           step.constant != std::int64_t(-1) << (step.type.bits - 1);
  }
  /// A negative step known now: run from above upper to lower, and mirror the variable.
  void count_down(std::int64_t step) {
    std::swap(bounds_.lower, bounds_.upper);
    bounds_.step = integer_constant(tracer_, -step, bounds_.type, where_);
    reversed_ = true;
  }
  /// A step whose sign is not known, or which is too large for its negative to be a number, too:
  /// count the iterations first. A step of 0 has none.
  void count_steps(handle step) {
    const bool is_signed = bounds_.type.is_signed();
    const handle lower = bounds_.lower, upper = bounds_.upper;
    const handle zero = integer_constant(tracer_, 0, bounds_.type, where_);
    const handle one = integer_constant(tracer_, 1, bounds_.type, where_);
    const auto compare = [&](const char *format, handle a, handle b) {
      return tracer_.emit(format, {a, b}, scalar_type<bool>, where_);
    };
    const auto choose = [&](handle c, handle a, handle b) {
      return select(tracer_, c, a, b, where_);
    };
    handle low = lower, high = upper, size, steps;
    if (is_signed) {
      const handle up = compare("arith.cmpi sgt, %0, %1 : $0", step, zero);
      const handle down = compare("arith.cmpi slt, %0, %1 : $0", step, zero);
      low = choose(up, lower, upper);
      high = choose(up, upper, lower);
      size = choose(up, step, choose(down, emit("arith.subi %0, %1 : =", zero, step), one));
      steps = tracer_.emit("arith.ori %0, %1 : =", {up, down}, scalar_type<bool>, where_);
    } else {
      size = emit("arith.maxui %0, %1 : =", step, one);
      steps = compare("arith.cmpi ne, %0, %1 : $0", step, zero);
    }
    const handle enters = compare(
        is_signed ? "arith.cmpi slt, %0, %1 : $0" : "arith.cmpi ult, %0, %1 : $0", low, high);
    const handle any =
        tracer_.emit("arith.andi %0, %1 : =", {enters, steps}, scalar_type<bool>, where_);
    // Unsigned, so that the distance may be more than the type's largest value.
    const handle distance =
        emit("arith.subi %0, %1 : =", emit("arith.subi %0, %1 : =", high, low), one);
    const handle count =
        emit("arith.addi %0, %1 : =", emit("arith.divui %0, %1 : =", distance, size), one);
    start_ = lower;
    scale_ = step;
    bounds_.lower = zero;
    bounds_.upper = choose(any, count, zero);
    bounds_.step = one;
    bounds_.is_unsigned = true;
  }

  tracer &tracer_;
  location where_;
  int unwinding_;
  loop_bounds bounds_;
  bool reversed_ = false;
  handle scale_, start_, current_;
  std::optional<frame_watch> watch_; // while the loop is open
  exit_flags exits_;
  index running_ = none; // what the kernel's flag held before the loop
};

/// What a for statement iterates over: one iteration, whose end closes the loop.
template <class T> class range_loop {
public:
  range_loop(operand lower, operand upper, operand step, range_options options, location where)
      : trace_(lower, upper, step, scalar_type<T>, options, where) {}

  struct sentinel {};
  class iterator {
  public:
    explicit iterator(range_trace &trace) : trace_(trace) { trace.open(); }
    iterator(const iterator &) = delete;
    tensor<T> operator*() const { return tensor<T>(trace_.current()); }
    iterator &operator++() {
      trace_.close();
      return *this;
    }
    bool operator!=(sentinel) const { return trace_.is_open(); }

  private:
    range_trace &trace_;
  };
  iterator begin() { return iterator(trace_); }
  sentinel end() { return {}; }

private:
  range_trace trace_;
};

template <class A, class B, class C> constexpr auto range_element() {
  using x = argument<A>;
  using y = argument<B>;
  using z = argument<C>;
  using all = std::conditional_t<
      x::is_number && y::is_number && z::is_number, number_element<int>,
      std::conditional_t<
          x::is_number,
          std::conditional_t<y::is_number, typename z::element_type, typename y::element_type>,
          typename x::element_type>>;
  using two = std::conditional_t<y::is_number, all,
                                 typename computation<all, typename y::element_type, false>::type>;
  return std::conditional_t<z::is_number, two,
                            typename computation<two, typename z::element_type, false>::type>{};
}
template <class X> struct range_bound {
  static constexpr bool is_an_integer =
      argument<X>::shape_type::rank == 0 && !item<typename argument<X>::element_type>::is_pointer &&
      !element<typename item<typename argument<X>::element_type>::element_t>::is_float;
};

} // namespace impl

/// A loop that the kernel runs: lower, lower + step, … while below upper; for a negative step,
/// while above it. Bounds and step are integers, numbers or scalar tensors, of a common type, which
/// is that of the loop variable and not bool. A step that is 0 when the kernel runs gives no
/// iterations.
///
/// The body is traced once. tl::tensor and tl::descriptor variables assigned in it carry on from
/// iteration to iteration and after the loop. C++'s own variables change once, while tracing: also
/// the pointers that a std::swap of two std::vector exchanges, where std::array swaps its tensors.
/// Leave it only by tl::break_if and tl::return_if; break, return and exceptions are
/// reported with the line of the loop. Upstream: tl.range.
///
///     tl::tensor acc = tl::zeros<float, 64>();
///     for (auto k : tl::range(0, n, 64))
///       acc += tl::load(x + k + tl::arange<64>(), k + tl::arange<64>() < n, 0.0f);
template <impl::operand_like L, impl::operand_like U, impl::operand_like S = int>
auto range(const L &lower, const U &upper, const S &step = S(1), range_options options = {},
           impl::location where = std::source_location::current()) {
  static_assert(impl::range_bound<L>::is_an_integer && impl::range_bound<U>::is_an_integer &&
                    impl::range_bound<S>::is_an_integer,
                "the bounds and the step of tl::range are scalar integers");
  using T = decltype(impl::range_element<L, U, S>());
  static_assert(!impl::element<T>::is_bool,
                "tl::range does not count in tl::i1: cast the bound to an integer of more bits");
  return impl::range_loop<T>(impl::argument<L>::get(lower), impl::argument<U>::get(upper),
                             impl::argument<S>::get(step), options, where);
}
template <impl::operand_like U>
auto range(const U &upper, range_options options = {},
           impl::location where = std::source_location::current()) {
  return range(0, upper, 1, options, where);
}
template <impl::operand_like L, impl::operand_like U>
auto range(const L &lower, const U &upper, range_options options,
           impl::location where = std::source_location::current()) {
  return range(lower, upper, 1, options, where);
}

/// Calls f with the integral constants from Start up to, not including, End, while tracing: an
/// unrolled loop whose variable can be a template argument, and a number beside tensors. Upstream:
/// tl.static_range.
///
///     tl::static_for<4>([&](auto i) { acc += tl::load(x + i * stride); });
template <int Start, int End, int Step = 1, class F> void static_for(F &&f) {
  static_assert(Step != 0, "the step of tl::static_for is 0");
  if constexpr (Step > 0 ? Start < End : Start > End) {
    TL_IMPL_IN_PLACE f(std::integral_constant<int, Start>{});
    static_for<Start + Step, End, Step>(f);
  }
}
template <int End, class F> void static_for(F &&f) { static_for<0, End>(f); }

// ---- Branches

namespace impl {

/// A condition: a scalar of the kernel, compared with zero if it is no bool.
template <class C> handle condition(const C &c, const char *function, location where) {
  static_assert(operand_like<C>, "a condition is a scalar tensor or a bool");
  using S = typename argument<C>::shape_type;
  static_assert(S::rank == 0 || S::size > 1,
                "a condition is a scalar, not a block of one element: write tl::reshape<>(x)");
  static_assert(S::rank == 0 || S::size == 1,
                "a condition is a scalar; reduce the block first, or use tl::where");
  return coerce(active(where, function), argument<C>::get(c), scalar_type<bool>, where);
}

/// What the functions given to tl::if_ return, and the variables that hold it afterwards.
template <class R> struct branch_result {
  static constexpr bool is_valid = can_change<R, as_variables>();
  using type = typename std::conditional_t<is_valid, structure<R>,
                                           structure<std::tuple<>>>::template with<as_variables>;
};
template <> struct branch_result<void> {
  static constexpr bool is_valid = true;
  using type = void;
};

template <class F> sequence<handle> run_arm(F &f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F &>>) {
    TL_IMPL_IN_PLACE f();
    return {};
  } else {
    return handles_of(f());
  }
}
/// Whether the functions return descriptors. They are more than their handles, so what is returned
/// is assigned to a variable that the branch carries.
template <class R> constexpr bool returns_descriptors() {
  if constexpr (std::is_void_v<R>)
    return false;
  else
    return hold_descriptors(typename structure<R>::leaves());
}
template <class F, class G> struct arms {
  using first = branch_result<std::remove_cvref_t<std::invoke_result_t<F &>>>;
  using second = branch_result<std::remove_cvref_t<std::invoke_result_t<G &>>>;
  static constexpr bool return_structures = first::is_valid && second::is_valid;
  using result_type = typename first::type;
};
template <class A, class B> struct results {
  static constexpr bool are_of_one_type = std::same_as<A, B>;
};

} // namespace impl

/// Runs one of two functions, depending on a scalar. What they assign to tl::tensor variables is
/// carried out of the branch. They may return a tensor or tl::descriptor, or a structure of them
/// (std::pair, std::tuple, std::array, a struct), of the same types: then tl::if_ returns it.
/// Without the second function nothing happens where the condition is false. Upstream: if.
///
/// A `return` ends the function in which it stands, while that is traced, and nothing else: the
/// rest of the function is not in the kernel, and the program goes on after tl::if_. To end the
/// program write tl::return_if, which may stand here; so may tl::break_if and tl::continue_if.
///
///     tl::if_(pid == 0, [&] { acc = acc * 2.0f; }, [&] { acc = acc + 1.0f; });
///     auto z = tl::if_(n > 0, [&] { return x; }, [&] { return y; });
template <class C, class Then, class Else>
typename impl::arms<Then, Else>::result_type
if_(const C &condition, Then &&then, Else &&otherwise,
    impl::location where = std::source_location::current()) {
  using a = impl::arms<Then, Else>;
  static_assert(a::return_structures,
                "the functions given to tl::if_ return nothing, a tensor, or a structure of "
                "tensors: std::pair, std::tuple, std::array or a struct");
  if constexpr (a::return_structures) {
    using R = typename a::result_type;
    static_assert(impl::results<R, typename a::second::type>::are_of_one_type,
                  "the two functions given to tl::if_ return the same type; tl::cast or "
                  "tl::broadcast_to one of them");
    if constexpr (impl::returns_descriptors<R>() && std::same_as<R, typename a::second::type>) {
      R result;
      if_(
          condition, [&] { impl::assign_leaves(result, then()); },
          [&] { impl::assign_leaves(result, otherwise()); }, where);
      return result;
    } else {
      const impl::handle c = impl::condition(condition, "tl::if_", where);
      impl::tracer &t = *impl::current_tracer();
      impl::frame_watch watch(t, "the function given to ", "tl::if_", where);
      const impl::variable &live = impl::live_flag(t);
      const impl::index before = t.value_of(live);
      impl::branch_trace branch;
      impl::begin_branch(t, branch, c, where);
      impl::end_arm(t, branch, 0, impl::run_arm(then));
      impl::begin_other_arm(t, branch);
      impl::end_arm(t, branch, 1, impl::run_arm(otherwise));
      const auto results = impl::end_branch(t, branch);
      watch.end();
      impl::guard_after_branch(t, live, before, where);
      if constexpr (!std::is_void_v<R>)
        return impl::made_of<R>(results);
    }
  }
}
template <class C, class Then>
  requires std::invocable<Then &>
void if_(const C &condition, Then &&then, impl::location where = std::source_location::current()) {
  static_assert(std::is_void_v<std::invoke_result_t<Then &>>,
                "tl::if_ with one function returns nothing; give a second one for the other case");
  if_(condition, [&] { TL_IMPL_IN_PLACE then(); }, [] {}, where);
}

/// Options of tl::while_.
struct while_options {
  bool disable_licm = false; ///< leave invariant code in the loop
};

/// Repeats body while the condition, a function that returns a scalar, holds. What both assign to
/// tl::tensor variables carries on. Upstream: while, and tl.condition for the option.
///
///     tl::i32 x = n;
///     tl::while_([&] { return x > 1; }, [&] { x = x / 2; });
template <class Condition, class Body>
void while_(Condition &&condition, Body &&body, while_options options = {},
            impl::location where = std::source_location::current()) {
  static_assert(impl::operand_like<std::remove_cvref_t<std::invoke_result_t<Condition &>>>,
                "the first function given to tl::while_ returns a scalar condition");
  impl::tracer &t = impl::active(where, "tl::while_");
  impl::frame_watch watch(t, "the functions given to ", "tl::while_", where);
  const impl::index running = t.value_of(*t.running);
  impl::repeat_trace repeat;
  impl::begin_repeat(t, repeat, where);
  const impl::handle c = impl::condition(condition(), "tl::while_", where);
  impl::begin_repeat_body(t, repeat, c, where);
  TL_IMPL_IN_PLACE body();
  std::string attributes = impl::loop_attributes({.disable_licm = options.disable_licm});
  impl::end_repeat(t, repeat, attributes.empty() ? attributes : " attributes" + attributes);
  watch.end();
  impl::guard_after_loop(t, "tl::while_", running, where);
}

// ---- Exits

namespace impl {

inline handle negated(tracer &t, handle condition, location where) {
  return t.emit("arith.xori %0, %1 : =",
                {condition, t.emit("arith.constant true", {}, scalar_type<bool>, where)},
                scalar_type<bool>, where);
}

} // namespace impl

/// Ends the program where the condition holds, also from within loops and branches. The functions
/// given to reductions and maps, and the condition of tl::while_, cannot end it: there it throws
/// tl::compile_error. Upstream: if …: return.
///
///     tl::return_if(tl::program_id(0) >= n);
template <class C>
void return_if(const C &condition, impl::location where = std::source_location::current()) {
  const impl::handle c = impl::condition(condition, "tl::return_if", where);
  impl::tracer &t = *impl::current_tracer();
  for (const impl::frame &f : t.frames)
    if (f.what == impl::frame::kind::combine)
      impl::fail(where, std::string("tl::return_if stands in the function given to ") + f.name +
                            ", which cannot end the program");
    else if (f.what == impl::frame::kind::repeat && !f.exits)
      impl::fail(where,
                 "tl::return_if stands in the condition of tl::while_, which cannot end the "
                 "program",
                 "let the condition be false, and write tl::return_if after the loop");
  const impl::handle on = impl::negated(t, c, where);
  const impl::enclosing at = impl::enclosing_loop(t);
  if (at.loop || at.in_branch)
    impl::clear_unless(t, *t.running, on, where);
  impl::leave(t, at, true, on, where);
  impl::begin_guard(t, on, "tl::return_if", where);
}

namespace impl {

/// break_if and continue_if.
template <class C> void leave_if(const char *name, const C &given, bool all, location where) {
  const handle c = condition(given, name, where);
  tracer &t = *current_tracer();
  const enclosing at = enclosing_loop(t);
  if (!at.loop)
    fail(where, std::string(name) + " works only in the body of a loop over tl::range or of "
                                    "tl::while_");
  const handle on = negated(t, c, where);
  leave(t, at, all, on, where);
  begin_guard(t, on, name, where);
}

} // namespace impl

/// Leaves the innermost loop over tl::range, or tl::while_, where the condition holds, also from
/// within branches in the loop. Throws tl::compile_error where there is no loop.
///
///     for (auto i : tl::range(0, n)) {
///       tl::break_if(tl::load(x + i) == 0);
///       count += 1;
///     }
template <class C>
void break_if(const C &condition, impl::location where = std::source_location::current()) {
  impl::leave_if("tl::break_if", condition, true, where);
}

/// Goes on with the next iteration of the innermost loop over tl::range, or tl::while_, where the
/// condition holds, also from within branches in the loop. Throws tl::compile_error where there is
/// no loop.
///
///     for (auto i : tl::range(0, n)) {
///       tl::continue_if(i % 2 == 0);
///       count += 1;
///     }
template <class C>
void continue_if(const C &condition, impl::location where = std::source_location::current()) {
  impl::leave_if("tl::continue_if", condition, false, where);
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
