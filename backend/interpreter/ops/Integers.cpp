// SPDX-License-Identifier: MIT
//
// The elementwise group on integers: two's complement of the type's width. Nothing traps: a
// quotient by zero is 0 and the remainder the dividend; the lowest value divided by -1 is itself,
// remainder 0; shifts by the width or more give 0, or the sign in every bit.
#include "interpreter/ops/Elements.h"

#include <bit>

namespace tl::backend::interpreter {

namespace {

template <class I> typename I::Signed divide(typename I::Signed a, typename I::Signed b) {
  if (b == 0)
    return 0;
  if (b == -1) // the lowest value has no negative: wrap
    return static_cast<typename I::Signed>(typename I::Wide(0) - static_cast<typename I::Wide>(a));
  return static_cast<typename I::Signed>(a / b);
}

template <class I> typename I::Signed remainder(typename I::Signed a, typename I::Signed b) {
  if (b == 0)
    return a;
  return b == -1 ? typename I::Signed(0) : static_cast<typename I::Signed>(a % b);
}

/// Calls f(tag, a, b) with the operands as signed numbers.
template <class F> void signedBinary(Machine &m, const Instruction &instruction, F f) {
  binaryInteger(m, instruction, [f](auto tag, auto a, auto b) {
    using I = decltype(tag);
    return f(tag, I::sign(a), I::sign(b));
  });
}

void shiftLeft(Machine &m, const Instruction &instruction) {
  binaryInteger(m, instruction, [](auto tag, auto a, auto b) {
    using I = decltype(tag);
    using W = typename I::Wide;
    return b >= I::bits ? W(0) : static_cast<W>(W(a) << b);
  });
}

void shiftRightUnsigned(Machine &m, const Instruction &instruction) {
  binaryInteger(m, instruction, [](auto tag, auto a, auto b) {
    using I = decltype(tag);
    using W = typename I::Wide;
    return b >= I::bits ? W(0) : static_cast<W>(W(a) >> b);
  });
}

void shiftRightSigned(Machine &m, const Instruction &instruction) {
  binaryInteger(m, instruction, [](auto tag, auto a, auto b) {
    using I = decltype(tag);
    return I::sign(a) >> (b >= I::bits ? I::bits - 1 : b);
  });
}

template <class I>
typename I::Unsigned highProduct(typename I::Unsigned a, typename I::Unsigned b) {
  if constexpr (I::bits == 64)
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
  else
    return I::wrap(static_cast<typename I::Wide>((static_cast<uint64_t>(a) * b) >> I::bits));
}

void powInteger(Machine &m, const Instruction &instruction) {
  signedBinary(m, instruction, [](auto tag, auto base, auto exponent) {
    using I = decltype(tag);
    using W = typename I::Wide;
    if (exponent < 0) // 1 / base^n, truncated
      return base == 1 ? W(1) : base == -1 ? static_cast<W>(exponent & 1 ? -1 : 1) : W(0);
    W result = 1, power = static_cast<W>(base);
    for (auto n = static_cast<typename I::Unsigned>(exponent); n; n >>= 1) {
      if (n & 1)
        result *= power;
      power *= power;
    }
    return result;
  });
}

auto lowProduct = [](auto tag, auto a, auto b) {
  using I = decltype(tag);
  using W = typename I::Wide;
  return I::wrap(static_cast<W>(W(a) * W(b)));
};

void compareInteger(Machine &m, const Instruction &instruction) {
  // Bits of a relation: 1 equal, 2 signed less, 4 signed greater, 8 and 16 the same unsigned.
  constexpr unsigned accepted[] = {1, 2 | 4, 2, 1 | 2, 4, 1 | 4, 8, 1 | 8, 16, 1 | 16};
  const unsigned mask = accepted[instruction.numbers[0]];
  const ValueId result = instruction.results[0];
  visitInteger(m.type(instruction.operands[0]).kind, [&](auto tag) {
    using I = decltype(tag);
    using U = typename I::Unsigned;
    uint8_t *out = m.write<uint8_t>(result);
    const U *a = m.read<U>(instruction.operands[0]);
    const U *b = m.read<U>(instruction.operands[1]);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i) {
      const unsigned signedRelation = I::sign(a[i]) < I::sign(b[i]) ? 2 : 4;
      const unsigned unsignedRelation = a[i] < b[i] ? 8 : 16;
      const unsigned relation = a[i] == b[i] ? 1 : signedRelation | unsignedRelation;
      out[i] = (relation & mask) != 0;
    }
  });
}

void select(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const size_t n = m.count(result);
  const bool one = m.count(instruction.operands[0]) != n;
  visitBytes(m.type(result).elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const uint8_t *condition = m.read<uint8_t>(instruction.operands[0]);
    const T *a = m.read<T>(instruction.operands[1]);
    const T *b = m.read<T>(instruction.operands[2]);
    if (one)
      std::memcpy(static_cast<void *>(out), condition[0] ? a : b, n * sizeof(T));
    else
      for (size_t i = 0; i < n; ++i)
        out[i] = condition[i] ? a[i] : b[i];
  });
}

} // namespace

void addIntegers(OperationTable &table) {
  auto on = [&table](std::string_view name, auto... rest) -> Operation & {
    return table.addElementwise(name, rest...);
  };
  using M = Machine;
  using X = const Instruction;

  on("arith.addi", Exactness::Sum, [](M &m, X &x) {
    binaryInteger(m, x, [](auto tag, auto a, auto b) {
      using W = typename decltype(tag)::Wide;
      return static_cast<W>(W(a) + W(b));
    });
  });
  on("arith.subi", Exactness::Difference, [](M &m, X &x) {
    binaryInteger(m, x, [](auto tag, auto a, auto b) {
      using W = typename decltype(tag)::Wide;
      return static_cast<W>(W(a) - W(b));
    });
  });
  on("arith.muli", Exactness::Product, [](M &m, X &x) { binaryInteger(m, x, lowProduct); });
  on("arith.divsi", [](M &m, X &x) {
    signedBinary(m, x, [](auto tag, auto a, auto b) { return divide<decltype(tag)>(a, b); });
  });
  on("arith.remsi", [](M &m, X &x) {
    signedBinary(m, x, [](auto tag, auto a, auto b) { return remainder<decltype(tag)>(a, b); });
  });
  on("arith.divui", [](M &m, X &x) {
    binaryInteger(m, x, [](auto, auto a, auto b) { return b == 0 ? 0 : a / b; });
  });
  on("arith.remui", [](M &m, X &x) {
    binaryInteger(m, x, [](auto, auto a, auto b) { return b == 0 ? a : a % b; });
  });
  on("arith.andi",
     [](M &m, X &x) { binaryInteger(m, x, [](auto, auto a, auto b) { return a & b; }); });
  on("arith.ori",
     [](M &m, X &x) { binaryInteger(m, x, [](auto, auto a, auto b) { return a | b; }); });
  on("arith.xori",
     [](M &m, X &x) { binaryInteger(m, x, [](auto, auto a, auto b) { return a ^ b; }); });
  on("arith.shli", Exactness::ShiftLeft, shiftLeft);
  on("arith.shrsi", shiftRightSigned);
  on("arith.shrui", shiftRightUnsigned);
  on("arith.maxsi",
     [](M &m, X &x) { signedBinary(m, x, [](auto, auto a, auto b) { return a > b ? a : b; }); });
  on("arith.minsi",
     [](M &m, X &x) { signedBinary(m, x, [](auto, auto a, auto b) { return a < b ? a : b; }); });
  on("arith.maxui",
     [](M &m, X &x) { binaryInteger(m, x, [](auto, auto a, auto b) { return a > b ? a : b; }); });
  on("arith.minui",
     [](M &m, X &x) { binaryInteger(m, x, [](auto, auto a, auto b) { return a < b ? a : b; }); });
  on("tt.mulhiui", [](M &m, X &x) {
    binaryInteger(m, x, [](auto tag, auto a, auto b) { return highProduct<decltype(tag)>(a, b); });
  });
  on("math.absi", [](M &m, X &x) {
    unaryInteger(m, x, [](auto tag, auto a) {
      using I = decltype(tag);
      using W = typename I::Wide;
      return I::sign(a) < 0 ? static_cast<W>(W(0) - W(a)) : W(a);
    });
  });
  on("math.ctlz", [](M &m, X &x) {
    unaryInteger(m, x, [](auto tag, auto a) {
      using I = decltype(tag);
      return std::countl_zero(a) - (static_cast<int>(8 * sizeof(a)) - static_cast<int>(I::bits));
    });
  });
  on("math.cttz", [](M &m, X &x) {
    unaryInteger(m, x, [](auto tag, auto a) {
      return a == 0 ? static_cast<int>(decltype(tag)::bits) : std::countr_zero(a);
    });
  });
  on("math.ctpop",
     [](M &m, X &x) { unaryInteger(m, x, [](auto, auto a) { return std::popcount(a); }); });
  on("math.ipowi", powInteger);
  on("arith.cmpi", compareInteger).attributes = {"predicate"};
  on("arith.select", Exactness::Selected, select);
}

} // namespace tl::backend::interpreter
