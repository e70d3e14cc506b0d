// SPDX-License-Identifier: MIT
//
// The elementwise group's casts. Every conversion rounds once, from the source's exact value.
// Floats to integers truncate and saturate, NaN gives 0. fp8 saturates: what is too large,
// infinities included, becomes the largest finite value of its sign.
#include "interpreter/ops/Elements.h"

namespace tl::backend::interpreter {

namespace {

// Values of the enumerations RoundingMode of the dialects.
constexpr int64_t arithTowardZero = 3, tritonTowardZero = 0;

/// Calls f(from, to) with the tags of two integer kinds, f(tag, tag) of floats alike below.
template <class F> void integerToInteger(Machine &m, const Instruction &instruction, F f) {
  const ValueId source = instruction.operands[0], result = instruction.results[0];
  visitInteger(m.type(source).kind, [&](auto from) {
    visitInteger(m.type(result).kind, [&](auto to) {
      using I = decltype(from);
      using O = decltype(to);
      auto *out = m.write<typename O::Unsigned>(result);
      const auto *a = m.read<typename I::Unsigned>(source);
      const size_t n = m.count(result);
      for (size_t i = 0; i < n; ++i)
        out[i] = O::wrap(static_cast<typename O::Wide>(f(from, a[i])));
    });
  });
}

/// Truncation toward zero: where rounding to nearest went away from zero, one step back.
template <class E, class T> typename E::Storage storeTowardZero(T value) {
  const typename E::Storage rounded = E::store(value);
  if (!(std::fabs(static_cast<double>(E::load(rounded))) > std::fabs(static_cast<double>(value))))
    return rounded;
  using B = typename E::Bits;
  const B bits = static_cast<B>(E::bitsOf(rounded) - 1);
  if (!E::hasNegativeZero && bits == E::signBit)
    return E::fromBits(0);
  return E::fromBits(bits);
}

void floatToFloat(Machine &m, const Instruction &instruction, bool towardZero) {
  const ValueId source = instruction.operands[0], result = instruction.results[0];
  visitFloat(m.type(source).kind, [&](auto from) {
    visitFloat(m.type(result).kind, [&](auto to) {
      using I = decltype(from);
      using O = decltype(to);
      auto *out = m.write<typename O::Storage>(result);
      const auto *a = m.read<typename I::Storage>(source);
      const size_t n = m.count(result);
      if (towardZero)
        for (size_t i = 0; i < n; ++i)
          out[i] = storeTowardZero<O>(I::load(a[i]));
      else
        for (size_t i = 0; i < n; ++i)
          out[i] = O::store(I::load(a[i]));
    });
  });
}

template <bool Signed> void integerToFloat(Machine &m, const Instruction &instruction) {
  const ValueId source = instruction.operands[0], result = instruction.results[0];
  visitInteger(m.type(source).kind, [&](auto from) {
    visitFloat(m.type(result).kind, [&](auto to) {
      using I = decltype(from);
      using O = decltype(to);
      auto *out = m.write<typename O::Storage>(result);
      const auto *a = m.read<typename I::Unsigned>(source);
      const size_t n = m.count(result);
      for (size_t i = 0; i < n; ++i)
        if constexpr (Signed)
          out[i] = O::store(static_cast<int64_t>(I::sign(a[i])));
        else
          out[i] = O::store(static_cast<uint64_t>(a[i]));
    });
  });
}

template <bool Signed> void floatToInteger(Machine &m, const Instruction &instruction) {
  const ValueId source = instruction.operands[0], result = instruction.results[0];
  visitFloat(m.type(source).kind, [&](auto from) {
    visitInteger(m.type(result).kind, [&](auto to) {
      using I = decltype(from);
      using O = decltype(to);
      using U = typename O::Unsigned;
      // The first value that is too large, a power of two and so exact, and the lowest one.
      const double tooLarge = std::ldexp(1.0, static_cast<int>(O::bits) - (Signed ? 1 : 0));
      const double lowest = Signed ? -tooLarge : 0;
      const U highestResult = Signed ? static_cast<U>(O::highest) : O::allOnes;
      const U lowestResult = Signed ? O::wrap(static_cast<typename O::Wide>(O::lowest)) : U(0);
      U *out = m.write<U>(result);
      const auto *a = m.read<typename I::Storage>(source);
      const size_t n = m.count(result);
      for (size_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(I::load(a[i]));
        if (x != x)
          out[i] = 0;
        else if (x >= tooLarge)
          out[i] = highestResult;
        else if (x <= lowest)
          out[i] = lowestResult;
        else if constexpr (Signed)
          out[i] = O::wrap(static_cast<typename O::Wide>(static_cast<int64_t>(x)));
        else
          out[i] = O::wrap(static_cast<typename O::Wide>(static_cast<uint64_t>(x)));
      }
    });
  });
}

void bitcast(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  std::memcpy(m.write(result), m.read(instruction.operands[0]),
              m.count(result) * m.type(result).elementBytes());
}

void integerToPointer(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  Pointer *out = m.write<Pointer>(result);
  const uint64_t *a = m.read<uint64_t>(instruction.operands[0]);
  const size_t n = m.count(result);
  for (size_t i = 0; i < n; ++i)
    out[i] = {a[i], a[i] == 0 ? nullOrigin : unknownOrigin, 0};
}

void pointerToInteger(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  uint64_t *out = m.write<uint64_t>(result);
  const Pointer *a = m.read<Pointer>(instruction.operands[0]);
  const size_t n = m.count(result);
  for (size_t i = 0; i < n; ++i)
    out[i] = a[i].address;
}

/// Offsets are signed and count elements; the address wraps like a 64-bit number.
void addPointer(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const uint64_t scale = bytesInMemory(m.type(result).pointee);
  visitInteger(m.type(instruction.operands[1]).kind, [&](auto tag) {
    using I = decltype(tag);
    Pointer *out = m.write<Pointer>(result);
    const Pointer *a = m.read<Pointer>(instruction.operands[0]);
    const auto *b = m.read<typename I::Unsigned>(instruction.operands[1]);
    const Exact *exact = m.exact(instruction.operands[1]);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i)
      out[i] = {a[i].address + static_cast<uint64_t>(static_cast<int64_t>(I::sign(b[i]))) * scale,
                a[i].origin, exact && exact[i].wrap ? exact[i].wrap : a[i].wrap};
  });
}

} // namespace

void addCasts(OperationTable &table) {
  auto on = [&table](std::string_view name, auto... rest) -> Operation & {
    return table.addElementwise(name, rest...);
  };
  using M = Machine;
  using X = const Instruction;

  for (const char *name : {"arith.trunci", "arith.extui", "arith.index_castui"})
    on(name, [](M &m, X &x) { integerToInteger(m, x, [](auto, auto a) { return a; }); });
  for (const char *name : {"arith.extsi", "arith.index_cast"})
    on(name, Exactness::Extension, [](M &m, X &x) {
      integerToInteger(m, x, [](auto from, auto a) { return decltype(from)::sign(a); });
    });
  on("arith.extf", [](M &m, X &x) { floatToFloat(m, x, false); });
  on("arith.truncf", [](M &m, X &x) {
    floatToFloat(m, x, x.numbers[0] == arithTowardZero);
  }).attributes = {"roundingmode"};
  on("tt.fp_to_fp", [](M &m, X &x) {
    floatToFloat(m, x, x.numbers[0] == tritonTowardZero);
  }).attributes = {"rounding"};
  on("arith.sitofp", integerToFloat<true>);
  on("arith.uitofp", integerToFloat<false>);
  on("arith.fptosi", floatToInteger<true>);
  on("arith.fptoui", floatToInteger<false>);
  on("arith.bitcast", bitcast);
  on("tt.bitcast", bitcast);
  on("tt.int_to_ptr", integerToPointer);
  on("tt.ptr_to_int", pointerToInteger);
  on("tt.addptr", addPointer);
}

} // namespace tl::backend::interpreter
