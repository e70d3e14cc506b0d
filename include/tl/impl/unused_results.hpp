// SPDX-License-Identifier: MIT
#pragma once
// What do loops and branches carry that nobody uses? While the body is traced nobody knows what
// comes after it, so every variable that changes is carried. When the kernel is finished, what
// neither an effect nor a value that is used depends on is taken out of them again: extents of
// descriptors, temporaries that were declared outside. Then the printer writes the rest.

#include "tl/impl/graph.hpp"
#include "tl/impl/unoptimized.hpp"

#include <utility>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

class unused_results {
public:
  /// Takes them out of all loops and branches.
  static void drop(graph &program) {
    unused_results pass(program);
    pass.find_used();
    for (index op = 0; op < program.operations.size(); ++op)
      if (pass.live_[op])
        pass.drop_from(program.operations[op]);
  }

private:
  /// Where a value stands among the arguments of a region.
  struct place {
    index region = none, argument = none;
  };

  explicit unused_results(graph &program) : program_(program) {
    live_.resize(program.operations.size());
    used_.resize(program.values.size());
    places_.resize(program.values.size());
    owners_.resize(program.regions.size());
    for (index op = 0; op < program.operations.size(); ++op)
      for (index region : program.operations[op].regions)
        owners_[region] = op;
    for (index r = 0; r < program.regions.size(); ++r) {
      const sequence<index> &arguments = program.regions[r].arguments;
      for (index i = 0; i < arguments.size(); ++i)
        places_[arguments[i]] = {r, i};
    }
  }

  // ---- Marking

  void find_used() {
    use_effects(0);
    while (!pending_.empty()) {
      const index value = pending_.back();
      pending_.pop_back();
      if (const index op = program_.values[value].operation; op != none)
        use_result(op, value - program_.operations[op].first_result);
      else if (const place at = places_[value]; at.region != none && at.region != 0)
        use_argument(program_.operations[owners_[at.region]], at);
    }
  }
  void use(index value) {
    value = program_.resolve(value);
    if (!used_[value]) {
      used_[value] = true;
      pending_.push_back(value);
    }
  }
  void use_effects(index region) {
    for (index op : program_.regions[region].operations)
      if (!program_.operations[op].pure)
        use_operation(op);
  }
  void use_operation(index number) {
    if (live_[number])
      return;
    live_[number] = true;
    const operation &op = program_.operations[number];
    const bool is_flow = op.kind != operation_kind::plain && op.kind != operation_kind::combine;
    // What decides where the flow goes; all of others.
    const std::size_t deciding = op.kind == operation_kind::loop     ? 3
                                 : op.kind == operation_kind::branch ? 1
                                 : op.kind == operation_kind::repeat ? 0
                                                                     : op.operands.size();
    for (std::size_t i = 0; i < deciding; ++i)
      use(op.operands[i]);
    if (op.kind == operation_kind::repeat)
      use(yields(op, 0)[0]);
    for (index i = 0; i < op.returned; ++i)
      use(op.first_result + i);
    for (index region : op.regions) {
      use_effects(region);
      if (!is_flow)
        for (index value : program_.regions[region].yields)
          use(value);
    }
  }
  void use_result(index number, index i) {
    use_operation(number);
    const operation &op = program_.operations[number];
    if (op.kind == operation_kind::loop)
      use_carried(op, i);
    else if (op.kind == operation_kind::branch)
      for (std::size_t arm = 0; arm < op.regions.size(); ++arm)
        use(yields(op, arm)[i]);
    else if (op.kind == operation_kind::repeat)
      use_passed(op, i);
  }
  void use_argument(const operation &op, place at) {
    if (op.kind == operation_kind::loop && at.argument > 0)
      use_carried(op, at.argument - 1);
    else if (op.kind == operation_kind::repeat && at.region == op.regions[1])
      use_passed(op, at.argument);
    else if (op.kind == operation_kind::repeat) {
      use(op.operands[at.argument]);
      use(yields(op, 1)[at.argument]);
    }
  }
  /// Argument, yield and result of a loop are used together.
  void use_carried(const operation &op, index i) {
    use(op.first_result + i);
    use(program_.regions[op.regions[0]].arguments[i + 1]);
    use(op.operands[i + 3]);
    use(yields(op, 0)[i]);
  }
  /// What the region before passes on: to the region after, and to the results.
  void use_passed(const operation &op, index i) {
    use(op.first_result + i);
    use(program_.regions[op.regions[1]].arguments[i]);
    use(yields(op, 0)[i + 1]);
  }
  const sequence<index> &yields(const operation &op, std::size_t region) const {
    return program_.regions[op.regions[region]].yields;
  }

  // ---- Dropping

  /// Keeps those of the values from `first` on whose number is one of `kept`.
  static void keep(sequence<index> &values, const sequence<index> &kept, std::size_t first) {
    std::size_t to = first;
    for (index i : kept)
      values[to++] = values[first + i];
    while (values.size() > to)
      values.pop_back();
  }
  /// New results in place of the old ones, which the kept ones of those now stand for.
  void keep_results(operation &op, const sequence<index> &kept) {
    const auto first = static_cast<index>(program_.values.size());
    for (index to = 0; to < kept.size(); ++to) {
      const index old = op.first_result + kept[to];
      value_info info = program_.values[old];
      program_.values.push_back(info);
      program_.values[old].alias = first + to;
    }
    op.first_result = kept.empty() ? none : first;
    op.results = static_cast<index>(kept.size());
  }

  void drop_from(operation &op) {
    if (op.kind == operation_kind::plain || op.kind == operation_kind::combine)
      return;
    sequence<index> kept;
    for (index i = 0; i < op.results; ++i)
      if (used_[op.first_result + i])
        kept.push_back(i);
    const bool drops = kept.size() < op.results;
    if (op.kind == operation_kind::repeat) {
      region &before = program_.regions[op.regions[0]], &after = program_.regions[op.regions[1]];
      sequence<index> needed;
      for (index i = 0; i < op.operands.size(); ++i)
        if (used_[before.arguments[i]])
          needed.push_back(i);
      keep(op.operands, needed, 0);
      keep(before.arguments, needed, 0);
      keep(after.yields, needed, 0);
      if (drops) {
        keep(before.yields, kept, 1);
        keep(after.arguments, kept, 0);
      }
    } else if (drops) {
      for (index r : op.regions)
        keep(program_.regions[r].yields, kept, 0);
      if (op.kind == operation_kind::loop) {
        keep(op.operands, kept, 3);
        keep(program_.regions[op.regions[0]].arguments, kept, 1);
      } else if (kept.empty() && op.regions.size() == 2 &&
                 program_.regions[op.regions[1]].operations.empty()) {
        op.regions.pop_back();
      }
    }
    if (drops)
      keep_results(op, kept);
  }

  graph &program_;
  sequence<char> live_, used_;
  sequence<place> places_;
  sequence<index> owners_; // of regions
  sequence<index> pending_;
};

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
