// SPDX-License-Identifier: MIT
#pragma once
// How do loops, branches and the functions given to reductions become regions? Each has a begin and
// an end here. In between the user's code runs once; the ends compare what the variables hold with
// what they held, as the essay in tracer.hpp explains. The functions that users call are in
// ops/control_flow.hpp and ops/reduction.hpp.

#include "tl/impl/tracer.hpp"
#include "tl/impl/unoptimized.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

/// Whether no operation of the region has a side effect, so that it can be dropped if unused.
inline bool region_is_pure(const graph &program, index region) {
  for (index op : program.regions[region].operations)
    if (!program.operations[op].pure)
      return false;
  return true;
}

/// Throws tl::compile_error if a variable that is older than the frame was destroyed inside it: its
/// value after the frame would be unknown.
inline void check_variables(const frame &f) {
  if (f.lost_a_variable)
    fail(f.where,
         std::string("a tensor that was alive before ") + f.name + " was destroyed inside it",
         "do not grow or shrink a container of tensors there");
}

/// Adds to the region an argument for each candidate that had a value before, and lets its variable
/// hold that argument while the body is traced.
inline void make_arguments(tracer &t, frame &f, index region) {
  for (candidate &c : f.candidates) {
    if (!c.object || c.entry == none)
      continue;
    c.argument = t.add_value(t.program.values[c.entry].type, region);
    t.set(*c.object, c.argument);
  }
}

/// A frame without candidates or region; variables made from now on are younger than it. `name` is
/// the public function, for messages.
inline frame open_frame(tracer &t, enum frame::kind kind, const char *name, location where) {
  frame f{.what = kind, .where = t.seen(where), .name = name};
  f.serial = t.newest_serial();
  return f;
}

/// Guards the frames and regions that are opened after its construction, while the user's code runs
/// in them. Destroyed without end(), by an exception of that code, it closes them and notes an
/// error of the kernel, which then fails even if it catches the exception: a loop or branch of
/// which only a part was traced has no meaning.
class frame_watch {
public:
  frame_watch(tracer &t, const char *part, const char *name, location where)
      : tracer_(t), part_(part), name_(name), where_(where), frames_(t.frames.size()),
        regions_(t.open_regions.size()) {}
  frame_watch(const frame_watch &) = delete;
  frame_watch &operator=(const frame_watch &) = delete;
  ~frame_watch() {
    if (!ended_)
      abandon(std::string("an exception that left ") + part_ + name_ + " was caught in the kernel",
              "catch it within the loop or branch, or outside of the kernel");
  }

  /// To be called when all that was opened has been closed: the destructor then does nothing.
  void end() { ended_ = true; }

  /// Notes the error and closes all frames and regions opened since the construction; variables
  /// hold again what they held before.
  void abandon(std::string message, std::string help) {
    ended_ = true;
    tracer_.note(diagnostic_at(tracer_.seen(where_), std::move(message), std::move(help)));
    while (tracer_.frames.size() > frames_) {
      for (const candidate &c : tracer_.frames.back().candidates)
        if (c.object)
          tracer_.set(*c.object, c.entry);
      tracer_.frames.pop_back();
    }
    while (tracer_.open_regions.size() > regions_)
      tracer_.close_region();
  }

private:
  tracer &tracer_;
  const char *part_, *name_; // "the body of a loop over ", "tl::range"
  location where_;
  std::size_t frames_, regions_;
  bool ended_ = false;
};

// ---- Loops

struct loop_bounds {
  handle lower, upper, step; // the step is not 0, and positive where `type` is signed
  value_type type;
  bool is_unsigned = false; // how the bounds compare
  std::string attributes;
};

/// Opens a loop and returns the induction variable.
inline handle begin_loop(tracer &t, const loop_bounds &bounds, variable &going, location where) {
  frame f = open_frame(t, frame::kind::loop, "tl::range", where);
  f.candidates = t.snapshot();
  f.region = t.open_region();
  index induction = t.add_value(bounds.type, f.region);
  t.program.regions[f.region].arguments.push_back(induction);
  make_arguments(t, f, f.region);
  // The flag is younger than the loop: it is carried out of guards but not around the loop.
  f.going = &going;
  t.frames.push_back(std::move(f));
  t.link(going);
  t.set(going, t.emit("arith.constant true", {}, scalar_type<bool>, {}).value);
  return t.make_handle(induction);
}

/// The value of each candidate of the frame, in order, at the end of a region; `none` for one that
/// was destroyed or holds nothing.
inline sequence<index> current_values(tracer &t, const frame &f) {
  sequence<index> values;
  values.reserve(f.candidates.size());
  for (const candidate &c : f.candidates)
    values.push_back(c.object ? t.value_of(*c.object) : none);
  return values;
}

/// The end of a guard, the scf.if around what follows continue_if, break_if or return_if. Variables
/// that changed keep their old value where the rest was skipped.
inline void end_guard(tracer &t) {
  frame f = std::move(t.frames.back());
  t.frames.pop_back();
  check_variables(f);
  auto values = current_values(t, f);
  t.close_region();
  operation op;
  op.kind = operation_kind::branch;
  op.where = f.where;
  op.operands.push_back(f.condition);
  op.regions.push_back(f.region);
  op.pure = region_is_pure(t.program, f.region);
  t.program.regions[f.region].terminator = "scf.yield";
  sequence<std::size_t> carried;
  for (std::size_t i = 0; i < f.candidates.size(); ++i) {
    const candidate &c = f.candidates[i];
    if (c.object && c.entry == none)
      t.set(*c.object, none);
    else if (c.object && values[i] != none && t.program.resolve(values[i]) != c.entry)
      carried.push_back(i);
  }
  for (std::size_t i : carried)
    t.program.regions[f.region].yields.push_back(values[i]);
  if (!carried.empty()) {
    index otherwise = t.open_region();
    t.close_region();
    t.program.regions[otherwise].terminator = "scf.yield";
    for (std::size_t i : carried)
      t.program.regions[otherwise].yields.push_back(f.candidates[i].entry);
    op.regions.push_back(otherwise);
  }
  index number = t.append(std::move(op));
  for (std::size_t i : carried)
    t.set(*f.candidates[i].object, t.add_result(number, t.program.values[values[i]].type).value);
}

/// Opens a guard: what follows runs only where `condition` holds.
inline void begin_guard(tracer &t, handle condition, const char *name, location where) {
  frame f = open_frame(t, frame::kind::guard, name, where);
  f.condition = t.checked(condition, where);
  f.candidates = t.snapshot();
  for (candidate &c : f.candidates)
    if (c.entry != none)
      c.entry = t.program.resolve(c.entry);
  f.region = t.open_region();
  t.frames.push_back(std::move(f));
}

inline void end_loop(tracer &t, const loop_bounds &bounds) {
  while (t.frames.back().what == frame::kind::guard)
    end_guard(t);
  frame f = std::move(t.frames.back());
  t.frames.pop_back();
  check_variables(f);
  auto values = current_values(t, f);
  graph &program = t.program;
  const index induction = program.regions[f.region].arguments[0];
  const index going = t.value_of(*f.going);
  const bool leaves_early = program.operations[program.values[going].operation].format !=
                            std::string_view("arith.constant true");
  sequence<std::size_t> carried;
  for (std::size_t i = 0; i < f.candidates.size(); ++i) {
    const candidate &c = f.candidates[i];
    if (!c.object)
      continue;
    if (c.argument == none || values[i] == none) {
      t.set(*c.object, none);
    } else if (program.resolve(values[i]) == c.argument) {
      program.values[c.argument].alias = c.entry;
      t.set(*c.object, c.entry);
    } else {
      carried.push_back(i);
    }
  }
  const char *below =
      bounds.is_unsigned ? "arith.cmpi ult, %0, %1 : $0" : "arith.cmpi slt, %0, %1 : $0";
  handle next, on;
  if (leaves_early) {
    // The next value may wrap, so what is left of the range decides, which is not negative.
    const handle at = t.make_handle(induction);
    const handle left = t.emit("arith.subi %0, %1 : =", {bounds.upper, at}, bounds.type, f.where);
    const handle more =
        t.emit("arith.cmpi ult, %0, %1 : $0", {bounds.step, left}, scalar_type<bool>, f.where);
    next = t.emit("arith.addi %0, %1 : =", {at, bounds.step}, bounds.type, f.where);
    on = t.emit("arith.andi %0, %1 : =", {more, t.make_handle(going)}, scalar_type<bool>, f.where);
  }
  t.close_region();

  operation op;
  op.where = f.where;
  op.pure = region_is_pure(program, f.region);
  {
    region &body = program.regions[f.region];
    body.terminator = "scf.yield";
    if (leaves_early)
      body.yields = {next.value, on.value};
    for (std::size_t i : carried) {
      body.arguments.push_back(f.candidates[i].argument);
      body.yields.push_back(values[i]);
    }
  }
  index number;
  if (!leaves_early) {
    op.kind = operation_kind::loop;
    op.format = bounds.is_unsigned ? "scf.for unsigned " : "scf.for ";
    op.attributes = bounds.attributes;
    op.operands = {bounds.lower.value, bounds.upper.value, bounds.step.value};
    op.regions = {f.region};
    for (std::size_t i : carried)
      op.operands.push_back(f.candidates[i].entry);
    number = t.append(std::move(op));
  } else {
    op.kind = operation_kind::repeat;
    op.pure = false;
    const handle start = t.emit(below, {bounds.lower, bounds.upper}, scalar_type<bool>, f.where);
    op.operands = {bounds.lower.value, start.value};
    const index before = t.open_region();
    const index at = t.add_value(bounds.type, before);
    const index go = t.add_value(scalar_type<bool>, before);
    sequence<index> arguments{at, go}, yields{go, at};
    for (std::size_t i : carried) {
      op.operands.push_back(f.candidates[i].entry);
      index argument = t.add_value(program.values[f.candidates[i].argument].type, before);
      arguments.push_back(argument);
      yields.push_back(argument);
    }
    program.regions[before].arguments = std::move(arguments);
    program.regions[before].yields = std::move(yields);
    t.close_region();
    op.regions = {before, f.region};
    number = t.append(std::move(op));
    t.add_result(number, bounds.type);
  }
  for (std::size_t i : carried)
    t.set(*f.candidates[i].object,
          t.add_result(number, program.values[f.candidates[i].argument].type).value);
}

// ---- Branches

/// The state of a tl::if_ between its steps: begin_branch, end_arm of arm 0, then, if there is an
/// else, begin_other_arm and end_arm of arm 1, and end_branch. `results` are the values that the
/// arms return, `values` those of the candidates at the end of each arm.
struct branch_trace {
  frame opened;
  index condition = none;
  index regions[2] = {none, none};
  sequence<index> values[2];
  sequence<handle> results[2];
};

/// Opens the first arm. Throws tl::compile_error if the condition may not be used here.
inline void begin_branch(tracer &t, branch_trace &b, handle condition, location where) {
  b.condition = t.checked(condition, where);
  frame f = open_frame(t, frame::kind::branch, "tl::if_", where);
  f.candidates = t.snapshot();
  f.region = b.regions[0] = t.open_region();
  t.frames.push_back(std::move(f));
}

/// Closes the region of the arm, whose function returned `results`, and keeps what variables hold.
inline void end_arm(tracer &t, branch_trace &b, int arm, sequence<handle> results) {
  for (handle result : results)
    t.checked(result, {});
  b.results[arm] = std::move(results);
  b.values[arm] = current_values(t, t.frames.back());
  t.program.regions[b.regions[arm]].terminator = "scf.yield";
  t.close_region();
}

/// Lets all variables hold what they held before tl::if_ and opens the region of the second arm.
inline void begin_other_arm(tracer &t, branch_trace &b) {
  frame &f = t.frames.back();
  for (const candidate &c : f.candidates)
    if (c.object)
      t.set(*c.object, c.entry);
  f.region = b.regions[1] = t.open_region();
}

/// Appends scf.if: its results are those of the arms, then the variables that an arm changed, which
/// from now on hold them. Returns the handles of the arms' results.
inline sequence<handle> end_branch(tracer &t, branch_trace &b) {
  frame f = std::move(t.frames.back());
  t.frames.pop_back();
  check_variables(f);
  graph &program = t.program;
  sequence<std::size_t> carried;
  for (std::size_t i = 0; i < f.candidates.size(); ++i) {
    const candidate &c = f.candidates[i];
    if (!c.object)
      continue;
    const index a = b.values[0][i], z = b.values[1][i];
    const bool changed = a != c.entry || z != c.entry;
    if (!changed) {
      t.set(*c.object, c.entry);
    } else if (a == none || z == none) {
      t.set(*c.object, none);
    } else {
      carried.push_back(i);
    }
  }
  operation op;
  op.kind = operation_kind::branch;
  op.where = f.where;
  op.operands = {b.condition};
  op.pure = true;
  const bool has_values = !carried.empty() || !b.results[0].empty();
  for (int arm = 0; arm < 2; ++arm) {
    region &block = program.regions[b.regions[arm]];
    for (handle result : b.results[arm])
      block.yields.push_back(result.value);
    for (std::size_t i : carried)
      block.yields.push_back(b.values[arm][i]);
    op.pure &= region_is_pure(program, b.regions[arm]);
    if (arm == 0 || has_values || !block.operations.empty())
      op.regions.push_back(b.regions[arm]);
  }
  op.returned = static_cast<index>(b.results[0].size());
  const index number = t.append(std::move(op));
  sequence<handle> results;
  for (handle result : b.results[0])
    results.push_back(t.add_result(number, program.values[result.value].type));
  for (std::size_t i : carried)
    t.set(*f.candidates[i].object, t.add_result(number, program.values[b.values[0][i]].type).value);
  return results;
}

// ---- While loops

struct repeat_trace {
  index before = none, after = none, condition = none;
  sequence<index> entry_arguments, values_before;
};

inline void begin_repeat(tracer &t, repeat_trace &r, location where) {
  frame f = open_frame(t, frame::kind::repeat, "tl::while_", where);
  f.candidates = t.snapshot();
  f.region = r.before = t.open_region();
  make_arguments(t, f, r.before);
  for (const candidate &c : f.candidates)
    r.entry_arguments.push_back(c.argument);
  t.frames.push_back(std::move(f));
}

inline void begin_repeat_body(tracer &t, repeat_trace &r, handle condition, location where) {
  r.condition = t.checked(condition, where);
  r.values_before = current_values(t, t.frames.back());
  t.close_region();
  r.after = t.open_region();
  t.frames.back().region = r.after;
  make_arguments(t, t.frames.back(), r.after);
}

inline void end_repeat(tracer &t, repeat_trace &r, std::string attributes) {
  frame f = std::move(t.frames.back());
  t.frames.pop_back();
  check_variables(f);
  auto values = current_values(t, f);
  t.close_region();
  graph &program = t.program;
  operation op;
  op.kind = operation_kind::repeat;
  op.pure = false;
  op.attributes = std::move(attributes);
  op.where = f.where;
  op.regions = {r.before, r.after};
  region &before = program.regions[r.before];
  region &after = program.regions[r.after];
  after.terminator = "scf.yield";
  before.yields = {r.condition};
  sequence<std::size_t> carried;
  for (std::size_t i = 0; i < f.candidates.size(); ++i) {
    const candidate &c = f.candidates[i];
    if (!c.object)
      continue;
    if (c.argument == none || values[i] == none || r.values_before[i] == none) {
      t.set(*c.object, none);
    } else if (program.resolve(values[i]) == c.argument &&
               program.resolve(r.values_before[i]) == r.entry_arguments[i]) {
      program.values[c.argument].alias = c.entry;
      program.values[r.entry_arguments[i]].alias = c.entry;
      t.set(*c.object, c.entry);
    } else {
      carried.push_back(i);
      op.operands.push_back(c.entry);
      before.arguments.push_back(r.entry_arguments[i]);
      before.yields.push_back(r.values_before[i]);
      after.arguments.push_back(c.argument);
      after.yields.push_back(values[i]);
    }
  }
  const index number = t.append(std::move(op));
  for (std::size_t i : carried)
    t.set(*f.candidates[i].object,
          t.add_result(number, program.values[f.candidates[i].argument].type).value);
}

// ---- Functions given to reductions, scans and maps

/// Opens the region of a combining function with arguments of these types; returns their handles.
/// Nothing but them may be used in the region.
inline sequence<handle> begin_combine(tracer &t, const char *name,
                                      const sequence<value_type> &arguments, location where) {
  frame f = open_frame(t, frame::kind::combine, name, where);
  f.region = t.open_region();
  sequence<handle> handles;
  for (const value_type &type : arguments) {
    index value = t.add_value(type, f.region);
    t.program.regions[f.region].arguments.push_back(value);
    handles.push_back(t.make_handle(value));
  }
  t.frames.push_back(std::move(f));
  return handles;
}

/// Closes the region that begin_combine opened, with a terminator that yields `yields`, and appends
/// the operation around it with these attributes, operands and types of results; returns the
/// handles of the results. Throws tl::compile_error for an operand that may not be used here.
inline sequence<handle> end_combine(tracer &t, const char *operation_name, const char *terminator,
                                    std::string attributes, const sequence<handle> &operands,
                                    const sequence<handle> &yields,
                                    const sequence<value_type> &results) {
  frame f = t.frames.back();
  region &body = t.program.regions[f.region];
  body.terminator = terminator;
  for (handle value : yields)
    body.yields.push_back(t.checked(value, f.where));
  t.frames.pop_back();
  t.close_region();
  operation op;
  op.kind = operation_kind::combine;
  op.format = operation_name;
  op.attributes = std::move(attributes);
  op.where = f.where;
  op.pure = region_is_pure(t.program, f.region);
  op.regions = {f.region};
  for (handle value : operands)
    op.operands.push_back(t.checked(value, f.where));
  const index number = t.append(std::move(op));
  sequence<handle> handles;
  for (const value_type &type : results)
    handles.push_back(t.add_result(number, type));
  return handles;
}

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
