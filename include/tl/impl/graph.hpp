// SPDX-License-Identifier: MIT
#pragma once
// What does a trace consist of? Values, operations and regions, in three flat arrays and addressed
// by index. tracer.hpp builds them, printer.hpp writes them as TTIR.

#include "tl/impl/current_trace.hpp"
#include "tl/impl/sequence.hpp"
#include "tl/impl/unoptimized.hpp"
#include "tl/impl/value_type.hpp"

#include <cstdint>
#include <string>

namespace tl::impl {

inline constexpr index none = ~index(0);

/// A value of a trace, as tensors hold it. `trace` tells apart the traces of a process, so that a
/// tensor kept from an earlier one is noticed.
struct handle {
  index value = none;
  index trace = 0;
  bool empty() const { return value == none; }
};

struct value_info {
  value_type type;
  index region = none;    // where it can be used: there and in regions nested in it
  index operation = none; // what makes it; none for region arguments
  index alias = none;     // the value that stands for this one (a loop argument that never changed)
  bool is_constant = false;  // a known integer scalar
  bool is_positive = false;  // greater than zero by its meaning
  bool is_null = false;      // a pointer parameter that is null in this specialisation
  bool is_restrict = false;  // a pointer parameter whose memory no other parameter leads to
  bool rounds_reads = false; // a descriptor of floats that are read as TF32
  std::int64_t constant = 0;
};

/// How an operation is printed. Everything but the structured control flow follows its format.
enum class operation_kind : std::uint8_t { plain, combine, loop, branch, repeat };

struct operation {
  operation_kind kind = operation_kind::plain;
  bool is_product = false;     // a tt.dot that was given no accumulator
  bool pure = true;            // may be dropped when no result is used
  const char *format = "";     // see printer.hpp
  std::string attributes;      // what the format's @ stands for
  sequence<std::string> hints; // discardable attributes: tt.divisibility and the like
  sequence<index> operands;
  sequence<index> regions;
  index first_result = none;
  index results = 0;
  index returned =
      0; // of a branch: the first of its results, which the functions of tl::if_ return
  location where;
};

struct region {
  index parent = none;
  bool open = true;
  sequence<index> arguments;
  sequence<index> operations;
  sequence<index> yields;
  const char *terminator = ""; // "scf.yield"; empty: the terminator is an operation
};

struct graph {
  sequence<value_info> values;
  sequence<operation> operations;
  sequence<region> regions;

  /// Follows the aliases from `value` to the value that is printed in its place.
  index resolve(index value) const {
    while (values[value].alias != none)
      value = values[value].alias;
    return value;
  }
};

} // namespace tl::impl
