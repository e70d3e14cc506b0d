// SPDX-License-Identifier: MIT
//
// The elementwise group on floats: each operation is the exact result rounded once, to nearest
// even. Denormals are kept. -0 < +0 for the minimum and maximum. fp8 results saturate, as
// conversions do.
#include "interpreter/ops/Elements.h"

namespace tl::backend::interpreter {

namespace {

void negate(Machine &m, const Instruction &instruction) {
  storedFloats<1>(m, instruction, []<class E, class S>(E, S a) { return S(E::negate(a)); });
}

void absolute(Machine &m, const Instruction &instruction) {
  storedFloats<1>(m, instruction, []<class E, class S>(E, S a) {
    using B = typename E::Bits;
    const B bits = E::bitsOf(a), magnitude = static_cast<B>(bits & ~E::signBit);
    // Without a negative zero the lone sign bit is the NaN.
    return S(E::fromBits(E::hasNegativeZero || magnitude ? magnitude : bits));
  });
}

void copySign(Machine &m, const Instruction &instruction) {
  binaryFloat(m, instruction, [](auto a, auto b) { return std::copysign(a, b); });
}

void multiplyAdd(Machine &m, const Instruction &instruction) {
  storedFloats<3>(m, instruction, []<class E, class S>(E, S a, S b, S c) {
    if constexpr (std::is_same_v<E, Double>)
      return std::fma(a, b, c);
    else
      return E::store(multiplyAddToOdd(E::load(a), E::load(b), E::load(c)));
  });
}

/// First the lower bound, then the upper one. `propagate`: NaN wins.
void clamp(Machine &m, const Instruction &instruction, bool propagate) {
  storedFloats<3>(m, instruction, [propagate]<class E, class S>(E, S a, S lower, S upper) {
    const auto x = E::load(a), low = E::load(lower), high = E::load(upper);
    return E::store(propagate ? minPropagate(maxPropagate(x, low), high)
                              : minNumber(maxNumber(x, low), high));
  });
}

void compareFloat(Machine &m, const Instruction &instruction) {
  // Bits of a relation: 1 equal, 2 greater, 4 less, 8 unordered. In the order of arith's
  // predicates: false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true.
  constexpr unsigned accepted[] = {0,     1,     2,         3,     4,         5,         2 | 4, 7,
                                   1 | 8, 2 | 8, 1 | 2 | 8, 4 | 8, 1 | 4 | 8, 2 | 4 | 8, 8,     15};
  const unsigned mask = accepted[instruction.numbers[0]];
  const ValueId result = instruction.results[0];
  visitFloat(m.type(instruction.operands[0]).kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    uint8_t *out = m.write<uint8_t>(result);
    const S *a = m.read<S>(instruction.operands[0]);
    const S *b = m.read<S>(instruction.operands[1]);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i) {
      const auto x = E::load(a[i]), y = E::load(b[i]);
      const unsigned relation = x == y ? 1 : x > y ? 2 : x < y ? 4 : 8;
      out[i] = (relation & mask) != 0;
    }
  });
}

enum class Class { Finite, Infinite, Nan, Normal };

template <Class C> void classify(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  visitFloat(m.type(instruction.operands[0]).kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    uint8_t *out = m.write<uint8_t>(result);
    const S *a = m.read<S>(instruction.operands[0]);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i) {
      const auto x = E::load(a[i]);
      switch (C) {
      case Class::Finite:
        out[i] = std::isfinite(x);
        break;
      case Class::Infinite:
        out[i] = std::isinf(x);
        break;
      case Class::Nan:
        out[i] = std::isnan(x);
        break;
      case Class::Normal:
        // A normal number of its own format: no smaller than its smallest normal one.
        out[i] = std::isfinite(x) && x != 0;
        if constexpr (sizeof(S) >= 4)
          out[i] = std::isnormal(x);
        else
          out[i] = out[i] && std::fabs(x) >= E::smallestNormal();
        break;
      }
    }
  });
}

} // namespace

void addFloats(OperationTable &table) {
  auto on = [&table](std::string_view name, auto... rest) -> Operation & {
    return table.addElementwise(name, rest...);
  };
  using M = Machine;
  using X = const Instruction;

  on("arith.addf", [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a + b; }); });
  on("arith.subf", [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a - b; }); });
  on("arith.mulf", [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a * b; }); });
  for (const char *name : {"arith.divf", "tt.precise_divf", "tt.approx_divf"})
    on(name, [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a / b; }); });
  on("arith.remf",
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return std::fmod(a, b); }); });
  on("arith.maxnumf",
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return maxNumber(a, b); }); });
  on("arith.minnumf",
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return minNumber(a, b); }); });
  on("arith.maximumf",
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return maxPropagate(a, b); }); });
  on("arith.minimumf",
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return minPropagate(a, b); }); });
  on("math.copysign", copySign);
  on("arith.negf", negate);
  on("math.absf", absolute);
  on("math.fma", multiplyAdd);
  on("math.clampf", [](M &m, X &x) { clamp(m, x, true); });
  on("tt.clampf", [](M &m, X &x) { clamp(m, x, x.numbers[0] > 0); }).attributes = {"propagateNan"};
  on("arith.cmpf", compareFloat).attributes = {"predicate"};
  on("math.isfinite", classify<Class::Finite>);
  on("math.isinf", classify<Class::Infinite>);
  on("math.isnan", classify<Class::Nan>);
  on("math.isnormal", classify<Class::Normal>);
}

} // namespace tl::backend::interpreter
