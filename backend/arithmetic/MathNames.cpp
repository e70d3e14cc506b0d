// SPDX-License-Identifier: MIT
//
// One table: each function's name in libdevice, its number of operands, and what implements it
// where we have no vector code.
#include "arithmetic/MathBuilder.h"

#include <cassert>

namespace tl::backend {
namespace {

struct Entry {
  MathFunction function;
  const char *name; // "sinh" of __nv_sinh, __nv_sinhf and __ocml_sinh_f32
  unsigned operands;
  const char *library; // symbol of the f64 function (see JitSymbols.cpp), f32 with f appended; it
                       // names outlined functions too
};

constexpr Entry entries[] = {
    {MathFunction::abs, "fabs", 1, ""},
    {MathFunction::ceil, "ceil", 1, ""},
    {MathFunction::floor, "floor", 1, ""},
    {MathFunction::trunc, "trunc", 1, ""},
    {MathFunction::round, "round", 1, ""},
    {MathFunction::roundEven, "rint", 1, ""},
    {MathFunction::sqrt, "sqrt", 1, ""},
    {MathFunction::rsqrt, "rsqrt", 1, ""},
    {MathFunction::rcp, "rcp", 1, ""},
    {MathFunction::cbrt, "cbrt", 1, "cbrt"},
    {MathFunction::rcbrt, "rcbrt", 1, "tl_rcbrt"},
    {MathFunction::exp, "exp", 1, "exp"},
    {MathFunction::exp2, "exp2", 1, "exp2"},
    {MathFunction::exp10, "exp10", 1, "exp10"},
    {MathFunction::expm1, "expm1", 1, "expm1"},
    {MathFunction::log, "log", 1, "log"},
    {MathFunction::log2, "log2", 1, "log2"},
    {MathFunction::log10, "log10", 1, "log10"},
    {MathFunction::log1p, "log1p", 1, "log1p"},
    {MathFunction::sin, "sin", 1, "sin"},
    {MathFunction::cos, "cos", 1, "cos"},
    {MathFunction::tan, "tan", 1, "tan"},
    {MathFunction::sinPi, "sinpi", 1, "sinpi"},
    {MathFunction::cosPi, "cospi", 1, "cospi"},
    {MathFunction::asin, "asin", 1, "asin"},
    {MathFunction::acos, "acos", 1, "acos"},
    {MathFunction::atan, "atan", 1, "atan"},
    {MathFunction::sinh, "sinh", 1, "sinh"},
    {MathFunction::cosh, "cosh", 1, "cosh"},
    {MathFunction::tanh, "tanh", 1, "tanh"},
    {MathFunction::asinh, "asinh", 1, "asinh"},
    {MathFunction::acosh, "acosh", 1, "acosh"},
    {MathFunction::atanh, "atanh", 1, "atanh"},
    {MathFunction::erf, "erf", 1, "erf"},
    {MathFunction::erfc, "erfc", 1, "erfc"},
    {MathFunction::erfcx, "erfcx", 1, "tl_erfcx"},
    {MathFunction::erfInv, "erfinv", 1, "tl_erfinv"},
    {MathFunction::erfcInv, "erfcinv", 1, "tl_erfcinv"},
    {MathFunction::normCdf, "normcdf", 1, "tl_normcdf"},
    {MathFunction::normCdfInv, "normcdfinv", 1, "tl_normcdfinv"},
    {MathFunction::tgamma, "tgamma", 1, "tgamma"},
    {MathFunction::lgamma, "lgamma", 1, "lgamma"},
    {MathFunction::besselJ0, "j0", 1, "j0"},
    {MathFunction::besselJ1, "j1", 1, "j1"},
    {MathFunction::besselY0, "y0", 1, "y0"},
    {MathFunction::besselY1, "y1", 1, "y1"},
    {MathFunction::besselI0, "cyl_bessel_i0", 1, "tl_cyl_bessel_i0"},
    {MathFunction::besselI1, "cyl_bessel_i1", 1, "tl_cyl_bessel_i1"},
    {MathFunction::logb, "logb", 1, "logb"},
    {MathFunction::pow, "pow", 2, "pow"},
    {MathFunction::atan2, "atan2", 2, "atan2"},
    {MathFunction::hypot, "hypot", 2, "hypot"},
    {MathFunction::rhypot, "rhypot", 2, "tl_rhypot"},
    {MathFunction::fmod, "fmod", 2, "fmod"},
    {MathFunction::remainder, "remainder", 2, "remainder"},
    {MathFunction::copySign, "copysign", 2, ""},
    {MathFunction::nextAfter, "nextafter", 2, "nextafter"},
    {MathFunction::fdim, "fdim", 2, ""},
    {MathFunction::minNum, "fmin", 2, ""},
    {MathFunction::maxNum, "fmax", 2, ""},
    {MathFunction::fma, "fma", 3, "fma"},
};

/// Other spellings of libdevice and ocml.
constexpr std::pair<const char *, MathFunction> aliases[] = {
    {"nearbyint", MathFunction::roundEven}, {"fsqrt_rn", MathFunction::sqrt},
    {"dsqrt_rn", MathFunction::sqrt},       {"frsqrt_rn", MathFunction::rsqrt},
    {"frcp_rn", MathFunction::rcp},         {"drcp_rn", MathFunction::rcp},
    {"fma_rn", MathFunction::fma},          {"fmaf_rn", MathFunction::fma},
    {"i0", MathFunction::besselI0},         {"i1", MathFunction::besselI1},
};

std::optional<MathFunction> byName(std::string_view name) {
  for (const Entry &entry : entries)
    if (name == entry.name)
      return entry.function;
  for (auto [alias, function] : aliases)
    if (name == alias)
      return function;
  return std::nullopt;
}

const Entry &entryOf(MathFunction function) {
  for (const Entry &entry : entries)
    if (entry.function == function)
      return entry;
  assert(false && "every function has an entry");
  return entries[0];
}

bool consume(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace

unsigned operandCount(MathFunction function) { return entryOf(function).operands; }

llvm::StringRef libraryName(MathFunction function) { return entryOf(function).library; }

std::string libdeviceSymbolOf(std::string_view symbol) {
  for (const Entry &entry : entries) {
    std::string_view rest = symbol, library = entry.library;
    if (!library.empty() && consume(rest, library) && (rest.empty() || rest == "f"))
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
