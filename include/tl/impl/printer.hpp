// SPDX-License-Identifier: MIT
#pragma once
// How does a finished trace look as TTIR? The printer marks what is used, names the values in order
// and writes upstream's spelling. Most operations follow their format string, in which
//   %0 %1 …  an operand      $0 $1 …  the type of an operand      @  the attributes
//   %*       all operands    $*       all operand types           =  all result types
//   ~        an equals sign  $r       the type of the first result
//   ^        nothing, or hints where they do not stand before the types
// and everything else stands for itself. The format "@@" says that the attributes are the format.

#include "tl/impl/graph.hpp"
#include "tl/impl/unoptimized.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

class printer {
public:
  printer(const graph &program) : program_(program) {}

  /// The function's arguments are the arguments of region 0.
  std::string print(std::string_view name, const sequence<std::string> &argument_attributes,
                    location where) {
    find_live_operations();
    text_.reserve(program_.operations.size() * 120 + 512);
    where_ = where;
    text_ += "module {\n  tt.func public @";
    text_ += name;
    text_ += '(';
    const region &body = program_.regions[0];
    for (std::size_t i = 0; i < body.arguments.size(); ++i) {
      if (i != 0)
        text_ += ", ";
      name_value(body.arguments[i], "%arg" + std::to_string(i));
      text_ += names_[body.arguments[i]];
      text_ += ": ";
      append_type(text_, program_.values[body.arguments[i]].type);
      text_ += argument_attributes[i];
      append_location(where);
    }
    text_ += ") attributes {noinline = false} {\n";
    print_operations(0, 2);
    text_ += "    tt.return";
    append_location(where);
    text_ += "\n  }";
    append_location(where);
    text_ += "\n}";
    append_location(where);
    text_ += '\n';
    return std::move(text_);
  }

private:
  // ---- What is used

  void find_live_operations() {
    live_.resize(program_.operations.size());
    names_.resize(program_.values.size());
    if (!program_.regions.empty())
      mark_effects(0);
    while (!pending_.empty()) {
      index op = pending_.back();
      pending_.pop_back();
      for (index operand : program_.operations[op].operands)
        mark_value(operand);
      for (index region : program_.operations[op].regions) {
        for (index value : program_.regions[region].yields)
          mark_value(value);
        mark_effects(region);
      }
    }
  }
  void mark_effects(index region) {
    for (index op : program_.regions[region].operations)
      if (!program_.operations[op].pure)
        mark_operation(op);
  }
  void mark_operation(index op) {
    if (!live_[op]) {
      live_[op] = true;
      pending_.push_back(op);
    }
  }
  void mark_value(index value) {
    value = program_.resolve(value);
    if (index op = program_.values[value].operation; op != none)
      mark_operation(op);
  }

  // ---- Writing

  void name_value(index value, std::string name) { names_[value] = std::move(name); }
  void name_results(const operation &op) {
    if (op.results == 0)
      return;
    std::string base = '%' + std::to_string(next_name_++);
    text_ += base;
    if (op.results == 1) {
      name_value(op.first_result, base);
    } else {
      text_ += ':' + std::to_string(op.results);
      for (index i = 0; i < op.results; ++i)
        name_value(op.first_result + i, base + '#' + std::to_string(i));
    }
    text_ += " = ";
  }
  void append_name(index value) { text_ += names_[program_.resolve(value)]; }
  void append_value_type(index value) {
    append_type(text_, program_.values[program_.resolve(value)].type);
  }
  void append_result_types(const operation &op) {
    for (index i = 0; i < op.results; ++i) {
      if (i != 0)
        text_ += ", ";
      append_value_type(op.first_result + i);
    }
  }
  template <class Values> void append_names(const Values &values, std::size_t from = 0) {
    for (std::size_t i = from; i < values.size(); ++i) {
      if (i != from)
        text_ += ", ";
      append_name(values[i]);
    }
  }
  template <class Values> void append_types(const Values &values, std::size_t from = 0) {
    for (std::size_t i = from; i < values.size(); ++i) {
      if (i != from)
        text_ += ", ";
      append_value_type(values[i]);
    }
  }
  void indent(int depth) { text_.append(static_cast<std::size_t>(2 * depth), ' '); }

  void append_location(location where) {
    text_ += " loc(";
    if (where.line == 0) {
      text_ += "unknown)";
      return;
    }
    text_ += '"';
    for (const char *c = where.file; *c; ++c) {
      if (*c == '"' || *c == '\\')
        text_ += '\\';
      text_ += *c;
    }
    text_ += "\":" + std::to_string(where.line) + ':' + std::to_string(where.column) + ')';
  }

  void print_operations(index region, int depth) {
    for (index op : program_.regions[region].operations)
      if (live_[op])
        print_operation(program_.operations[op], depth);
  }

  void print_operation(const operation &op, int depth) {
    indent(depth);
    name_results(op);
    switch (op.kind) {
    case operation_kind::plain:
      print_format(op);
      break;
    case operation_kind::combine:
      print_combine(op, depth);
      break;
    case operation_kind::loop:
      print_loop(op, depth);
      break;
    case operation_kind::branch:
      print_branch(op, depth);
      break;
    case operation_kind::repeat:
      print_repeat(op, depth);
      break;
    }
    append_location(op.where);
    text_ += '\n';
  }

  void print_format(const operation &op) {
    const bool own = std::string_view(op.format) == "@@";
    // Hints go into the attribute dictionary: before the } of the one that is there, else before
    // the types or where the format says ^.
    bool hinted = op.hints.empty();
    for (const char *c = own ? op.attributes.c_str() : op.format; *c; ++c) {
      if (*c == '%' && c[1] == '*') {
        append_names(op.operands);
        ++c;
      } else if (*c == '$' && c[1] == '*') {
        append_types(op.operands);
        ++c;
      } else if (*c == '$' && c[1] == 'r') {
        append_value_type(op.first_result);
        ++c;
      } else if (*c == '%') {
        append_name(op.operands[static_cast<std::size_t>(*++c - '0')]);
      } else if (*c == '$') {
        append_value_type(op.operands[static_cast<std::size_t>(*++c - '0')]);
      } else if (*c == '@') {
        text_ += op.attributes;
        if (!hinted && op.attributes.ends_with('}')) {
          text_.pop_back();
          hinted = append_hints(op, ", ", "}");
        }
      } else if (*c == '=') {
        append_result_types(op);
      } else if (!hinted && *c == '^') {
        hinted = append_hints(op, " {", "}");
      } else if (!hinted && *c == '}') {
        hinted = append_hints(op, ", ", "}");
      } else if (!hinted && *c == ' ' && c[1] == ':') {
        hinted = append_hints(op, " {", "} ");
      } else if (*c != '^') {
        text_ += *c == '~' ? '=' : *c;
      }
    }
  }

  bool append_hints(const operation &op, const char *before, const char *after) {
    text_ += before;
    for (std::size_t i = 0; i < op.hints.size(); ++i) {
      text_ += i ? ", " : "";
      text_ += op.hints[i];
    }
    text_ += after;
    return true;
  }

  /// Names the arguments of a block and writes its label.
  void print_label(const region &block, int depth, location where) {
    indent(depth);
    text_ += "^bb0(";
    for (std::size_t i = 0; i < block.arguments.size(); ++i) {
      if (i != 0)
        text_ += ", ";
      name_value(block.arguments[i], '%' + std::to_string(next_name_++));
      append_name(block.arguments[i]);
      text_ += ": ";
      append_value_type(block.arguments[i]);
      append_location(where);
    }
    text_ += "):\n";
  }

  void print_yield(const region &block, int depth, location where) {
    indent(depth);
    text_ += block.terminator;
    if (!block.yields.empty()) {
      text_ += ' ';
      append_names(block.yields);
      text_ += " : ";
      append_types(block.yields);
    }
    append_location(where);
    text_ += '\n';
  }

  void print_combine(const operation &op, int depth) {
    text_ += '"';
    text_ += op.format;
    text_ += "\"(";
    append_names(op.operands);
    text_ += ") <{" + op.attributes + "}> ({\n";
    const region &body = program_.regions[op.regions[0]];
    print_label(body, depth, op.where);
    print_operations(op.regions[0], depth + 1);
    print_yield(body, depth + 1, op.where);
    indent(depth);
    text_ += "}) : (";
    append_types(op.operands);
    text_ += ") -> ";
    if (op.results != 1)
      text_ += '(';
    append_result_types(op);
    if (op.results != 1)
      text_ += ')';
  }

  // Operands: lower bound, upper bound, step, initial values.
  void print_loop(const operation &op, int depth) {
    const region &body = program_.regions[op.regions[0]];
    for (index argument : body.arguments)
      name_value(argument, '%' + std::to_string(next_name_++));
    text_ += op.format;
    append_name(body.arguments[0]);
    text_ += " = ";
    append_name(op.operands[0]);
    text_ += " to ";
    append_name(op.operands[1]);
    text_ += " step ";
    append_name(op.operands[2]);
    text_ += ' ';
    if (op.results != 0) {
      text_ += "iter_args(";
      for (index i = 0; i < op.results; ++i) {
        if (i != 0)
          text_ += ", ";
        append_name(body.arguments[i + 1]);
        text_ += " = ";
        append_name(op.operands[i + 3]);
      }
      text_ += ") -> (";
      append_result_types(op);
      text_ += ") ";
    }
    text_ += " : ";
    append_value_type(body.arguments[0]);
    text_ += " {\n";
    print_operations(op.regions[0], depth + 1);
    print_yield(body, depth + 1, op.where);
    indent(depth);
    text_ += '}';
    text_ += op.attributes;
  }

  // Operand: the condition. Regions: then, and else where there is one.
  void print_branch(const operation &op, int depth) {
    text_ += "scf.if ";
    append_name(op.operands[0]);
    if (op.results != 0) {
      text_ += " -> (";
      append_result_types(op);
      text_ += ')';
    }
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      text_ += i == 0 ? " {\n" : " else {\n";
      print_operations(op.regions[i], depth + 1);
      print_yield(program_.regions[op.regions[i]], depth + 1, op.where);
      indent(depth);
      text_ += '}';
    }
  }

  // Operands: initial values. Regions: before, whose first yield is the condition, and after.
  void print_repeat(const operation &op, int depth) {
    const region &before = program_.regions[op.regions[0]];
    const region &after = program_.regions[op.regions[1]];
    text_ += "scf.while ";
    if (!op.operands.empty()) {
      text_ += '(';
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        if (i != 0)
          text_ += ", ";
        name_value(before.arguments[i], '%' + std::to_string(next_name_++));
        append_name(before.arguments[i]);
        text_ += " = ";
        append_name(op.operands[i]);
      }
      text_ += ") ";
    }
    text_ += ": (";
    append_types(op.operands);
    text_ += ") -> (";
    append_result_types(op);
    text_ += ") {\n";
    print_operations(op.regions[0], depth + 1);
    indent(depth + 1);
    text_ += "scf.condition(";
    append_name(before.yields[0]);
    text_ += ')';
    if (before.yields.size() > 1) {
      text_ += ' ';
      append_names(before.yields, 1);
      text_ += " : ";
      append_types(before.yields, 1);
    }
    append_location(op.where);
    text_ += '\n';
    indent(depth);
    text_ += "} do {\n";
    if (!after.arguments.empty())
      print_label(after, depth, op.where);
    print_operations(op.regions[1], depth + 1);
    print_yield(after, depth + 1, op.where);
    indent(depth);
    text_ += '}';
    text_ += op.attributes;
  }

  const graph &program_;
  std::string text_;
  sequence<std::string> names_;
  sequence<char> live_;
  sequence<index> pending_;
  index next_name_ = 0;
  location where_;
};

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
