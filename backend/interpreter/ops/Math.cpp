// SPDX-License-Identifier: MIT
//
// The elementwise group's functions of analysis. They are computed by the C library in double and
// rounded once to the type, so results below 64 bits are the correctly rounded ones but for rare
// cases near a tie; results in double have the C library's accuracy, below one ULP.
#include "interpreter/ExternFunctions.h"
#include "interpreter/ops/Elements.h"

namespace tl::backend::interpreter {

namespace {

MathFunction functionOf(const Instruction &instruction) {
  return static_cast<MathFunction>(instruction.operation->variant);
}

void unary(Machine &m, const Instruction &instruction) {
  const Float1 function = std::get<Float1>(referenceOf(functionOf(instruction)).function);
  storedFloats<1>(m, instruction,
                  [function]<class E, class S>(E, S a) { return E::store(function(E::load(a))); });
}

void binary(Machine &m, const Instruction &instruction) {
  const Float2 function = std::get<Float2>(referenceOf(functionOf(instruction)).function);
  binaryFloat(m, instruction, [function](auto a, auto b) {
    return function(static_cast<double>(a), static_cast<double>(b));
  });
}

void powFloatInteger(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  visitFloat(m.type(result).kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    S *out = m.write<S>(result);
    const S *a = m.read<S>(instruction.operands[0]);
    visitInteger(m.type(instruction.operands[1]).kind, [&](auto exponentTag) {
      using I = decltype(exponentTag);
      const auto *b = m.read<typename I::Unsigned>(instruction.operands[1]);
      const size_t n = m.count(result);
      for (size_t i = 0; i < n; ++i)
        out[i] = E::store(
            std::pow(static_cast<double>(E::load(a[i])), static_cast<double>(I::sign(b[i]))));
    });
  });
}

void sineAndCosine(Machine &m, const Instruction &instruction) {
  visitFloat(m.type(instruction.results[0]).kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    S *sine = m.write<S>(instruction.results[0]);
    S *cosine = m.write<S>(instruction.results[1]);
    const S *a = m.read<S>(instruction.operands[0]);
    const size_t n = m.count(instruction.results[0]);
    for (size_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(E::load(a[i]));
      sine[i] = E::store(std::sin(x));
      cosine[i] = E::store(std::cos(x));
    }
  });
}

} // namespace

void addMath(OperationTable &table) {
  const std::pair<std::string_view, MathFunction> functions[] = {
#define FUNCTION(id, name, operands, operation, ...) {operation, MathFunction::id},
#define SPECIAL(...)
      TL_MATH_FUNCTIONS(FUNCTION, FUNCTION, FUNCTION, SPECIAL)
#undef FUNCTION
#undef SPECIAL
          {"tt.precise_sqrt", MathFunction::sqrt}};
  for (auto [operation, function] : functions)
    if (!operation.empty() && !table.find(operation)) // some are with the floats
      table.addElementwise(operation, operandCount(function) == 2 ? binary : unary).variant =
          static_cast<unsigned>(function);
  table.addElementwise("math.fpowi", powFloatInteger);
  table.addElementwise("math.sincos", sineAndCosine);
}

} // namespace tl::backend::interpreter
