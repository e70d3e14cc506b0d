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

/// First the lower bound, then the upper one.
void clamp(Machine &m, const Instruction &instruction) {
  const bool propagate = instruction.numbers[0] != 0;
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

void classify(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  visitFloat(m.type(instruction.operands[0]).kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    uint8_t *out = m.write<uint8_t>(result);
    const S *a = m.read<S>(instruction.operands[0]);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i) {
      const auto x = E::load(a[i]);
      switch (instruction.numbers[0]) {
      case 0:
        out[i] = std::isfinite(x);
        break;
      case 1:
        out[i] = std::isinf(x);
        break;
      case 2:
        out[i] = std::isnan(x);
        break;
      default: {
        // A normal number of its own format: no smaller than its smallest normal one.
        out[i] = std::isfinite(x) && x != 0;
        if constexpr (sizeof(S) >= 4)
          out[i] = std::isnormal(x);
        else
          out[i] = out[i] && std::fabs(x) >= E::smallestNormal();
      }
      }
    }
  });
}

} // namespace

void addFloats(HandlerTable &table) {
  auto on = [&table](Opcode opcode, Handler handler) { table[unsigned(opcode)] = handler; };
  using M = Machine;
  using X = const Instruction;

  on(Opcode::AddFloat, [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a + b; }); });
  on(Opcode::SubFloat, [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a - b; }); });
  on(Opcode::MulFloat, [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a * b; }); });
  on(Opcode::DivFloat, [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return a / b; }); });
  on(Opcode::RemFloat,
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return std::fmod(a, b); }); });
  on(Opcode::MaxNumber,
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return maxNumber(a, b); }); });
  on(Opcode::MinNumber,
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return minNumber(a, b); }); });
  on(Opcode::MaxPropagate,
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return maxPropagate(a, b); }); });
  on(Opcode::MinPropagate,
     [](M &m, X &x) { binaryFloat(m, x, [](auto a, auto b) { return minPropagate(a, b); }); });
  on(Opcode::CopySign, copySign);
  on(Opcode::NegFloat, negate);
  on(Opcode::AbsFloat, absolute);
  on(Opcode::Fma, multiplyAdd);
  on(Opcode::Clamp, clamp);
  on(Opcode::CompareFloat, compareFloat);
  on(Opcode::Classify, classify);
}

} // namespace tl::backend::interpreter
