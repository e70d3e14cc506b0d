// SPDX-License-Identifier: MIT
//
// What a kind of element is in C++: how it is held in a register, and what it computes with.
// Handlers are written once, as generic lambdas, and `visitInteger` or `visitFloat` picks the
// instance.
//
// Floats below 32 bits are computed in float, and in double where that is needed, and rounded
// once; that gives the same result as an operation on the type itself, since float has more than
// twice their precision. The rounding, saturation of the 8-bit types included, is tl/dtype.hpp's.
#pragma once

#include "interpreter/Interpreter.h"
#include "tl/dtype.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tl::backend::interpreter {

template <unsigned Bits> struct Integer {
  static constexpr unsigned bits = Bits;
  using Unsigned = std::conditional_t<
      (Bits <= 8), uint8_t,
      std::conditional_t<Bits == 16, uint16_t, std::conditional_t<Bits == 32, uint32_t, uint64_t>>>;
  using Signed = std::make_signed_t<Unsigned>;
  /// Unsigned arithmetic without the promotion to int that overflows.
  using Wide = std::conditional_t<(Bits < 32), uint32_t, Unsigned>;

  static constexpr Unsigned wrap(Wide value) {
    if constexpr (Bits < 8)
      return static_cast<Unsigned>(value & ((1u << Bits) - 1));
    else
      return static_cast<Unsigned>(value);
  }
  static constexpr Signed sign(Unsigned value) {
    if constexpr (Bits < 8)
      return static_cast<Signed>(static_cast<Signed>(value << (8 - Bits)) >> (8 - Bits));
    else
      return static_cast<Signed>(value);
  }
  static constexpr Signed lowest = sign(wrap(Wide(1) << (Bits - 1)));
  static constexpr Signed highest = static_cast<Signed>(~lowest);
  static constexpr Unsigned allOnes = wrap(static_cast<Wide>(~Wide(0)));
};

template <class Small> struct SmallFloat {
  using Storage = typename Small::storage;
  using Bits = Storage;
  using Compute = float;
  static constexpr bool hasNegativeZero = Small::format.negative_zero;
  static constexpr Bits signBit = static_cast<Bits>(Small::format.sign_mask());
  static float smallestNormal() { return std::ldexp(1.0f, 1 - Small::format.bias); }
  static float load(Storage bits) { return static_cast<float>(Small::from_bits(bits)); }
  template <class T> static Storage store(T value) { return Small(value).bits; }
  static Bits bitsOf(Storage value) { return value; }
  static Storage fromBits(Bits bits) { return bits; }
  static Storage negate(Storage value) { return (-Small::from_bits(value)).bits; }
};

template <class Native, class Unsigned> struct NativeFloat {
  using Storage = Native;
  using Bits = Unsigned;
  using Compute = Native;
  static constexpr bool hasNegativeZero = true;
  static constexpr Bits signBit = Bits(1) << (8 * sizeof(Bits) - 1);
  static Native load(Native value) { return value; }
  template <class T> static Native store(T value) { return static_cast<Native>(value); }
  static Bits bitsOf(Native value) { return std::bit_cast<Bits>(value); }
  static Native fromBits(Bits bits) { return std::bit_cast<Native>(bits); }
  static Native negate(Native value) { return fromBits(bitsOf(value) ^ signBit); }
};

using Single = NativeFloat<float, uint32_t>;
using Double = NativeFloat<double, uint64_t>;

template <class F> void visitInteger(Kind kind, F &&f) {
  switch (kind) {
  case Kind::I1:
    return f(Integer<1>());
  case Kind::I4:
    return f(Integer<4>());
  case Kind::I8:
    return f(Integer<8>());
  case Kind::I16:
    return f(Integer<16>());
  case Kind::I32:
    return f(Integer<32>());
  default:
    return f(Integer<64>());
  }
}

template <class F> void visitFloat(Kind kind, F &&f) {
  switch (kind) {
  case Kind::F8E4M3FN:
    return f(SmallFloat<float8e4nv>());
  case Kind::F8E5M2:
    return f(SmallFloat<float8e5>());
  case Kind::F8E4M3FNUZ:
    return f(SmallFloat<float8e4b8>());
  case Kind::F8E5M2FNUZ:
    return f(SmallFloat<float8e5b16>());
  case Kind::F16:
    return f(SmallFloat<float16>());
  case Kind::BF16:
    return f(SmallFloat<bfloat16>());
  case Kind::F32:
    return f(Single());
  default:
    return f(Double());
  }
}

/// Elements as bytes to be moved: calls f with an object of the size.
template <class F> void visitBytes(size_t elementBytes, F &&f) {
  switch (elementBytes) {
  case 1:
    return f(uint8_t());
  case 2:
    return f(uint16_t());
  case 4:
    return f(uint32_t());
  case 8:
    return f(uint64_t());
  case sizeof(Pointer):
    return f(Pointer());
  default:
    return f(Descriptor());
  }
}

// ---- Loops

/// out[i] = wrap(f(a[i])) on integers of the result's kind; f takes (tag, unsigned).
template <class F> void unaryInteger(Machine &m, const Instruction &instruction, F f) {
  const ValueId result = instruction.results[0];
  visitInteger(m.type(result).kind, [&](auto tag) {
    using I = decltype(tag);
    using U = typename I::Unsigned;
    U *out = m.write<U>(result);
    const U *a = m.read<U>(instruction.operands[0]);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i)
      out[i] = I::wrap(static_cast<typename I::Wide>(f(tag, a[i])));
  });
}

template <class F> void binaryInteger(Machine &m, const Instruction &instruction, F f) {
  const ValueId result = instruction.results[0];
  visitInteger(m.type(result).kind, [&](auto tag) {
    using I = decltype(tag);
    using U = typename I::Unsigned;
    U *out = m.write<U>(result);
    const U *a = m.read<U>(instruction.operands[0]);
    const U *b = m.read<U>(instruction.operands[1]);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i)
      out[i] = I::wrap(static_cast<typename I::Wide>(f(tag, a[i], b[i])));
  });
}

/// out[i] = f(tag, a[i], …) on N operands, floats of the result's kind as they are stored.
template <size_t N, class F> void storedFloats(Machine &m, const Instruction &instruction, F f) {
  const ValueId result = instruction.results[0];
  visitFloat(m.type(result).kind, [&](auto tag) {
    using S = typename decltype(tag)::Storage;
    S *out = m.write<S>(result);
    [&]<size_t... K>(std::index_sequence<K...>) {
      const std::array<const S *, N> in{m.read<S>(instruction.operands[K])...};
      const size_t n = m.count(result);
      for (size_t i = 0; i < n; ++i)
        out[i] = f(tag, in[K][i]...);
    }(std::make_index_sequence<N>());
  });
}

/// out[i] = f(a[i], b[i]) on floats of the result's kind, in the type they are computed in.
template <class F> void binaryFloat(Machine &m, const Instruction &instruction, F f) {
  storedFloats<2>(m, instruction, [f]<class E, class S>(E, S a, S b) {
    return E::store(f(E::load(a), E::load(b)));
  });
}

// ---- Scalar rules shared by groups

/// The operand that is not NaN wins; the zeros are ordered.
template <class T> T maxNumber(T a, T b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T> T minNumber(T a, T b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
/// NaN wins.
template <class T> T maxPropagate(T a, T b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : maxNumber(a, b);
}
template <class T> T minPropagate(T a, T b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : minNumber(a, b);
}

/// a * b + c, exact but for the low bits, which are set so that rounding the result to a format of
/// at most 24 bits rounds once ("round to odd"). The product of two such numbers is exact in
/// double.
inline double multiplyAddToOdd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (c - back);
  if (error == 0)
    return sum;
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (bits & 1)
    return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

} // namespace tl::backend::interpreter
