// SPDX-License-Identifier: MIT
//
// The elementwise group's external functions of floats, on double.
#include "arithmetic/SpecialFunctions.h"
#include "arithmetic/plain/Roots.h"
#include "interpreter/ExternFunctions.h"

#include <cmath>
#include <limits>

namespace tl::backend::interpreter {

namespace {

double saturate(double x) { return x > 1 ? 1 : x > 0 ? x : 0; }

int64_t toInteger(double x) { // saturating
  if (x != x)
    return 0;
  if (x >= 9223372036854775808.0)
    return std::numeric_limits<int64_t>::max();
  if (x <= -9223372036854775808.0)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(x);
}

int clampExponent(int64_t n) {
  return n > 100000 ? 100000 : n < -100000 ? -100000 : static_cast<int>(n);
}

/// Functions of other forms, and other names.
const std::vector<ExternFunction> &otherFunctions() {
  static const std::vector<ExternFunction> functions = {
      {"i0", Float1(special::cyl_bessel_i0)},
      {"i1", Float1(special::cyl_bessel_i1)},
      {"fdivide", Float2([](double x, double y) { return x / y; })},
      {"ilogb", FloatToInt([](double x) -> int64_t { return std::ilogb(x); })},
      {"isfinite", FloatToInt([](double x) -> int64_t { return std::isfinite(x); })},
      {"finite", FloatToInt([](double x) -> int64_t { return std::isfinite(x); })},
      {"isinf", FloatToInt([](double x) -> int64_t { return std::isinf(x); })},
      {"isnan", FloatToInt([](double x) -> int64_t { return std::isnan(x); })},
      {"signbit", FloatToInt([](double x) -> int64_t { return std::signbit(x); })},
      {"jn", IntFloat([](int64_t n, double x) { return special::jn(int(n), x); })},
      {"yn", IntFloat([](int64_t n, double x) { return special::yn(int(n), x); })},
      {"ldexp", FloatInt([](double x, int64_t n) { return std::ldexp(x, clampExponent(n)); })},
      {"scalbn", FloatInt([](double x, int64_t n) { return std::ldexp(x, clampExponent(n)); })},
      {"llrint", FloatToInt([](double x) { return toInteger(std::nearbyint(x)); })},
      {"llround", FloatToInt([](double x) { return toInteger(std::round(x)); })},
      {"nearbyint", Float1(std::nearbyint)},
      {"norm3d", Float3(tl_norm3d)},
      {"norm4d", Float4(tl_norm4d)},
      {"powi", FloatInt([](double x, int64_t n) { return std::pow(x, static_cast<double>(n)); })},
      {"pown", FloatInt([](double x, int64_t n) { return std::pow(x, static_cast<double>(n)); })},
      {"rnorm3d", Float3(tl_rnorm3d)},
      {"rnorm4d", Float4(tl_rnorm4d)},
      {"saturate", saturate},
  };
  return functions;
}

bool isThere(const ExternFunction &function) {
  return std::visit([](auto pointer) { return pointer != nullptr; }, function.function);
}

} // namespace

const ExternFunction &referenceOf(MathFunction function) {
  // In the order of MathFunction.
  static const std::vector<ExternFunction> references = {
#define FUNCTION(id, name, operands, operation, reference, ...) {#name, Float##operands(reference)},
#define SPECIAL(id, name, operands) {#name, Float##operands(special::name)},
      TL_MATH_FUNCTIONS(FUNCTION, FUNCTION, FUNCTION, SPECIAL)
#undef FUNCTION
#undef SPECIAL
  };
  return references[static_cast<size_t>(function)];
}

const std::vector<ExternFunction> &floatFunctions() {
  static const std::vector<ExternFunction> all = [] {
    std::vector<ExternFunction> made = otherFunctions();
    for (unsigned i = 0; i < mathFunctionCount; ++i)
      if (const ExternFunction &reference = referenceOf(MathFunction(i)); isThere(reference))
        made.push_back(reference);
    return made;
  }();
  return all;
}

} // namespace tl::backend::interpreter
