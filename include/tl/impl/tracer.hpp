// SPDX-License-Identifier: MIT
#pragma once
// How does running a C++ lambda once become a program? This file holds the tracer, the variables
// that register with it and the checks at every use of a value. control.hpp adds loops and
// branches, printer.hpp writes the result as TTIR.
//
// Tracing, in short
// -----------------
// The kernel's lambda is called once, with parameters that hold no numbers but handles of values
// yet to be computed. Each operator and function appends an operation to the region that is open at
// that moment and returns the handle of its result. So an expression is computed once, in the
// region where it was written, however often and wherever it is used later; what is never used is
// not printed.
//
// A tl::tensor is a variable: an object with an identity, which holds one handle at a time. All
// living variables are in a list. That list is what makes native control flow possible:
//
//     auto acc = tl::zeros<float, 64>();          // acc holds %0
//     for (auto k : tl::range(0, n, 64))          // entry: a region argument %a for each variable
//       acc += tl::load(x + k + cols);            // acc now holds %5
//     tl::store(out, acc);                        // acc holds the loop's result
//
// At the entry of the loop every living variable is given a fresh region argument. The body runs
// once. At its end a variable that still holds its argument did not change: the argument becomes an
// alias of the value before the loop. The others are carried: their last value is yielded, and
// afterwards they hold the loop's result. Branches and while loops are found in the same way. A
// copy of a variable is a snapshot; a variable is its object, so std::swap, arrays and structs
// work.
//
// A value may be used in the region that made it and in those nested in it, while it is open, in
// the trace that made it. Every use checks that.

#include "tl/impl/graph.hpp"
#include "tl/impl/parameter.hpp"
#include "tl/impl/stack_room.hpp"
#include "tl/impl/unoptimized.hpp"

#include <atomic>
#include <initializer_list>
#include <utility>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

class tracer;
inline tracer *current_tracer();

/// The tracer of this thread. Throws tl::compile_error, which begins with `what`, if no kernel is
/// traced.
inline tracer &active(location where, const char *what = "a tensor") {
  if (!current_trace)
    fail(where, std::string(what) + " can be used only while a kernel is traced",
         "write it inside the lambda of a tl::kernel or in a function called from there");
  return *current_tracer();
}

TL_IMPL_UNOPTIMIZED_END

/// The part of a tensor that has nothing to do with its type: a handle, and a place in the list of
/// living variables unless it is an expression. It holds no pointers, and what does more than copy
/// is out of line: a kernel's lambda has thousands of them, and a compiler follows each.
class variable {
public:
  struct unregistered {};

  variable() { link(); }
  explicit variable(handle value) : value_(value) { link(); }
  variable(handle value, unregistered) : value_(value), is_expression_(true) {}
  variable(const variable &other) : value_(other.value_) { link(); }
  variable &operator=(const variable &other);
  ~variable();

  handle raw_handle() const { return value_; }

private:
  friend class tracer;
  void link();

  handle value_;
  index serial_ = 0; // counts variables of a trace from 1; 0: not in the list
  bool is_expression_ = false;
};

TL_IMPL_UNOPTIMIZED_BEGIN

/// A variable as a control flow operation sees it.
struct candidate {
  variable *object;
  index entry;    // its value before; none if it had none
  index argument; // its value at the beginning of the region
  index serial;
};

/// What a loop knows of the exits in its body: two bools of the kernel. `going` is false once
/// break_if or return_if was taken; `live` is false in the rest of an iteration that was left from
/// within a branch. Both are younger than the loop: branches carry them, the loop does not.
struct exit_flags {
  variable going{handle{}, variable::unregistered{}};
  variable live{handle{}, variable::unregistered{}};
};

/// An open control flow operation.
struct frame {
  enum class kind : std::uint8_t { loop, branch, repeat, combine, guard } what;
  index region = none;
  index serial = 0; // variables with a smaller or equal one are older than this frame
  location where;
  const char *name = "";
  sequence<candidate> candidates = {};
  bool lost_a_variable = false;
  index condition = none;      // of a guard
  exit_flags *exits = nullptr; // of the body of a loop
};

class tracer : public trace_state {
public:
  graph program;
  trace_environment environment;
  sequence<index> open_regions; // innermost last
  sequence<frame> frames;       // innermost last
  variable *running = nullptr;  // false once return_if was taken within a loop or branch
  std::string libraries;        // of tl::extern_libs, with colons between them

  tracer() : id_(next_id()), previous_(std::exchange(current_trace, this)) {
    program.regions.push_back({});
    open_regions.push_back(0);
  }
  tracer(const tracer &) = delete;
  tracer &operator=(const tracer &) = delete;
  ~tracer() {
    for (const living &v : variables_)
      if (v.object)
        v.object->serial_ = 0;
    current_trace = previous_;
  }

  index current_region() const { return open_regions.back(); }
  handle make_handle(index value) const { return {value, id_}; }

  /// A new value that can be used from `region` on.
  index add_value(const value_type &type, index region, index operation = none) {
    value_info info;
    info.type = type;
    info.region = region;
    info.operation = operation;
    program.values.push_back(info);
    return static_cast<index>(program.values.size() - 1);
  }

  /// Room for extents that no C++ type names.
  int *keep_extents(int rank) {
    sequence<int> extents;
    extents.resize(static_cast<std::size_t>(rank) + 1);
    return extents_.push_back(std::move(extents)).data();
  }

  value_type type_of_value(handle value) const { return program.values[value.value].type; }

  /// Appends an operation with one result. Operands must have been checked.
  handle emit(const char *format, std::initializer_list<handle> operands, const value_type &result,
              location where, std::string attributes = {}, bool pure = true) {
    index op =
        append(format, operands.begin(), operands.size(), where, std::move(attributes), pure);
    return add_result(op, result);
  }

  /// Appends an operation without a result, for its effect.
  void emit_effect(const char *format, std::initializer_list<handle> operands, location where,
                   std::string attributes = {}) {
    append(format, operands.begin(), operands.size(), where, std::move(attributes), false);
  }

  index append(const char *format, const handle *operands, std::size_t count, location where,
               std::string attributes, bool pure) {
    operation op;
    op.pure = pure;
    op.format = format;
    op.attributes = std::move(attributes);
    op.where = seen(where);
    op.operands.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      op.operands.push_back(checked(operands[i], where));
    return append(std::move(op));
  }
  index append(operation op) {
    check_stack();
    auto number = static_cast<index>(program.operations.size());
    program.operations.push_back(std::move(op));
    program.regions[current_region()].operations.push_back(number);
    return number;
  }
  handle add_result(index number, const value_type &type) {
    index value = add_value(type, current_region(), number);
    operation &op = program.operations[number];
    if (op.results++ == 0)
      op.first_result = value;
    return make_handle(value);
  }

  /// The value of the handle. Throws tl::compile_error if it may not be used here: it has no value,
  /// is another trace's, was made in a region that is closed, or outside of a combining function.
  index checked(handle value, location where) {
    if (value.empty())
      fail(seen(where), "the tensor is used before it has a value",
           "initialise it, or assign to it in both branches of tl::if_");
    if (value.trace != id_)
      fail(seen(where), "the tensor belongs to another kernel",
           "pass it as a parameter or make it in this kernel");
    const value_info &info = program.values[value.value];
    if (!program.regions[info.region].open)
      throw_noted(); // the cause, if there is one
    if (!program.regions[info.region].open)
      fail(seen(where), "the tensor was made in a loop body or branch that has ended",
           "declare a tl::tensor before the loop or branch and assign to it inside");
    for (const frame &f : frames)
      if (f.what == frame::kind::combine && !encloses(f.region, info.region))
        fail(seen(where),
             std::string("the function given to ") + f.name + " uses a tensor from outside of it",
             "pass it as a further operand");
    return value.value;
  }

  // ---- Regions

  static constexpr std::size_t deepest = 120; // libtl's parser takes a few brackets more

  index open_region() {
    if (open_regions.size() > deepest)
      fail(last,
           "loops and branches are nested more than " + std::to_string(deepest) +
               " deep while the kernel is traced",
           "a function that calls itself ends only by what is known while tracing: C++ constants");
    region fresh;
    fresh.parent = current_region();
    auto number = static_cast<index>(program.regions.size());
    program.regions.push_back(std::move(fresh));
    open_regions.push_back(number);
    return number;
  }
  void close_region() {
    program.regions[current_region()].open = false;
    open_regions.pop_back();
  }

  // ---- Variables

  /// All living variables that may be assigned to here, oldest first, with what they hold.
  sequence<candidate> snapshot() const {
    index oldest = 0;
    for (const frame &f : frames)
      if (f.what == frame::kind::combine)
        oldest = f.serial;
    sequence<candidate> result;
    for (const living &v : variables_)
      if (v.object && v.serial > oldest)
        result.push_back({v.object, value_of(*v.object), none, v.serial});
    return result;
  }
  /// What a variable holds, or none if that is nothing which can be used here.
  index value_of(const variable &v) const {
    if (v.value_.trace != id_ || v.value_.empty() ||
        !program.regions[program.values[v.value_.value].region].open)
      return none;
    return v.value_.value;
  }
  void set(variable &v, index value) { v.value_ = value == none ? handle{} : make_handle(value); }
  index newest_serial() const { return serials_; }

  void assign(variable &target, handle value) {
    if (target.serial_ == 0 && !target.is_expression_)
      fail(last,
           "a tl::tensor that is static, global or older than the kernel cannot be assigned to",
           "declare it in the lambda of the kernel");
    if (target.serial_ == 0)
      fail(last, "an expression declared with auto cannot be assigned to",
           "declare it as tl::tensor");
    for (const frame &f : frames)
      if (f.what == frame::kind::combine && target.serial_ <= f.serial)
        fail(last, std::string("the function given to ") + f.name +
                       " assigns to a tensor from outside of it");
    checked(value, {});
    target.value_ = value;
  }

  void link(variable &v) {
    v.serial_ = ++serials_;
    variables_.push_back({&v, v.serial_});
  }
  void unlink(variable &v) {
    if (!forget(v)) { // of a kernel that calls this one
      if (previous_)
        static_cast<tracer *>(previous_)->unlink(v);
      return;
    }
    for (frame &f : frames)
      if (v.serial_ <= f.serial)
        for (candidate &c : f.candidates)
          if (c.object == &v) {
            c.object = nullptr;
            // The rest of a body ends after the body's own variables.
            f.lost_a_variable |= f.what != frame::kind::guard;
          }
    v.serial_ = 0;
  }

private:
  /// Throws tl::compile_error if the stack is nearly used up: functions of the kernel call each
  /// other without end.
  void check_stack() const {
    if (stack_.is_nearly_used())
      fail(last, "functions of the kernel call each other without end while it is traced",
           "a function that calls itself ends only by what is known while tracing: C++ constants");
  }
  static index next_id() {
    static std::atomic<index> count = 0;
    return ++count;
  }
  /// Whether region `inner` is `outer` or nested in it.
  bool encloses(index outer, index inner) const {
    for (; inner != none; inner = program.regions[inner].parent)
      if (inner == outer)
        return true;
    return false;
  }

  /// Takes a variable off the list, if it is there. Most are the newest; the places of others stay
  /// empty until more than half of the list is.
  bool forget(const variable &v) {
    std::size_t low = 0, high = variables_.size();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (variables_[middle].serial <= v.serial_ ? low : high) = middle;
    }
    if (low == high || variables_[low].object != &v)
      return false;
    variables_[low].object = nullptr;
    ++empty_;
    for (; !variables_.empty() && !variables_.back().object; --empty_)
      variables_.pop_back();
    if (empty_ * 2 > variables_.size()) {
      std::size_t kept = 0;
      for (const living &each : variables_)
        if (each.object)
          variables_[kept++] = each;
      while (variables_.size() > kept)
        variables_.pop_back();
      empty_ = 0;
    }
    return true;
  }

  /// A variable that is alive; null where one was.
  struct living {
    variable *object = nullptr;
    index serial = 0;
  };

  index id_;
  trace_state *previous_;
  const stack_room stack_ = stack_room::of_this_thread();
  sequence<living> variables_; // by serial
  std::size_t empty_ = 0;
  index serials_ = 0;
  sequence<sequence<int>> extents_;
};

/// Every trace is a tracer's.
inline tracer *current_tracer() { return static_cast<tracer *>(current_trace); }

inline void variable::link() {
  if (tracer *t = current_tracer())
    t->link(*this);
}
inline variable::~variable() {
  if (serial_ == 0)
    return;
  if (tracer *t = current_tracer())
    t->unlink(*this);
}
inline variable &variable::operator=(const variable &other) {
  active({}, "assignment to a tensor").assign(*this, other.value_);
  return *this;
}

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
