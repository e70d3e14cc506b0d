// SPDX-License-Identifier: MIT
//
// Finds functions by their names in TTIR, in libdevice and in code.
#include "arithmetic/MathFunctions.h"

#include <utility>

namespace tl::backend {
namespace {

struct Entry {
  std::string_view name; // "sinh" of __nv_sinh, __nv_sinhf and __ocml_sinh_f32
  unsigned operands;
  std::string_view library;
  std::string_view operation;
};

/// What is never outlined needs no name in code.
constexpr std::string_view inlinedName(std::string_view) { return ""; }
constexpr std::string_view outlinedName(std::string_view name) { return name; }

/// In the order of MathFunction.
constexpr Entry entries[] = {
#define INSTRUCTION(id, name, operands, operation, ...) {#name, operands, "", operation},
#define FORMULA(id, name, operands, operation, reference, family, placement)                       \
  {#name, operands, placement##Name(#name), operation},
#define LIBRARY(id, name, operands, operation, ...) {#name, operands, #name, operation},
#define SPECIAL(id, name, operands) {#name, operands, "tl_" #name, ""},
    TL_MATH_FUNCTIONS(INSTRUCTION, FORMULA, LIBRARY, SPECIAL)
#undef INSTRUCTION
#undef FORMULA
#undef LIBRARY
#undef SPECIAL
};

/// Other spellings of libdevice and ocml.
constexpr std::pair<const char *, MathFunction> aliases[] = {
    {"nearbyint", MathFunction::roundEven}, {"dsqrt_rn", MathFunction::preciseSqrt},
    {"frcp_rn", MathFunction::rcp},         {"drcp_rn", MathFunction::rcp},
    {"fma_rn", MathFunction::fma},          {"fmaf_rn", MathFunction::fma},
    {"i0", MathFunction::besselI0},         {"i1", MathFunction::besselI1},
};

constexpr MathFunction functionOf(const Entry &entry) {
  return static_cast<MathFunction>(&entry - entries);
}

const Entry &entryOf(MathFunction function) { return entries[static_cast<size_t>(function)]; }

std::optional<MathFunction> byName(std::string_view name) {
  for (const Entry &entry : entries)
    if (name == entry.name)
      return functionOf(entry);
  for (auto [alias, function] : aliases)
    if (name == alias)
      return function;
  return std::nullopt;
}

bool consume(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace

unsigned operandCount(MathFunction function) { return entryOf(function).operands; }

std::string_view librarySymbol(MathFunction function) { return entryOf(function).library; }

std::optional<MathFunction> mathFunctionOfOperation(std::string_view operation) {
  if (operation == "tt.precise_sqrt")
    return MathFunction::preciseSqrt;
  if (operation.substr(0, 5) == "math.")
    for (const Entry &entry : entries)
      if (operation == entry.operation)
        return functionOf(entry);
  return std::nullopt;
}

std::string libdeviceSymbolOf(std::string_view symbol) {
  for (const Entry &entry : entries) {
    std::string_view rest = symbol;
    if (!entry.library.empty() && consume(rest, entry.library) && (rest.empty() || rest == "f"))
      return "__nv_" + std::string(entry.name) + std::string(rest);
  }
  return "";
}

std::optional<MathFunction> mathFunctionOfSymbol(std::string_view symbol) {
  if (consume(symbol, "__ocml_")) {
    size_t end = symbol.rfind("_f");
    return end == symbol.npos ? std::nullopt : byName(symbol.substr(0, end));
  }
  if (!consume(symbol, "__nv_"))
    return std::nullopt;
  consume(symbol, "fast_");
  if (auto found = byName(symbol)) // "erf" ends with f but is the f64 function
    return found;
  if (!symbol.empty() && symbol.back() == 'f')
    return byName(symbol.substr(0, symbol.size() - 1));
  return std::nullopt;
}

} // namespace tl::backend
