// SPDX-License-Identifier: MIT
#pragma once
// What does a debug build of a kernel do about sums, differences and products that their type does
// not hold? It asserts that there are none, for signed integers, whose overflow C++ leaves
// undefined as well; unsigned ones wrap by their meaning. ops/arithmetic.hpp says so for a single
// operation.

#include "tl/impl/emit.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

/// Whether `result` is the sum, difference or product of a and b, and not what is left of it.
inline handle fits(tracer &t, binary_kind kind, handle a, handle b, handle result, location where) {
  const value_type type = t.type_of_value(result);
  const value_type flags = with_element(type, scalar_type<bool>);
  const auto op = [&](const char *format, handle x, handle y) {
    return t.emit(format, {x, y}, type, where);
  };
  if (type.bits < 64) {
    const value_type wide = with_element(type, scalar_type<std::int64_t>);
    const auto widened = [&](handle x) { return cast(t, x, wide, where); };
    const handle exact = t.emit(binary_spellings[static_cast<int>(kind)].is_signed,
                                {widened(a), widened(b)}, wide, where);
    return t.emit("arith.cmpi eq, %0, %1 : $0", {exact, widened(result)}, flags, where);
  }
  const handle zero = integer_constant(t, 0, type, where);
  if (kind != binary_kind::mul) {
    // The result has the wrong sign where both others disagree with it.
    const handle left = op("arith.xori %0, %1 : =", a, kind == binary_kind::add ? result : b);
    const handle right = op("arith.xori %0, %1 : =", kind == binary_kind::add ? b : a, result);
    return t.emit("arith.cmpi sge, %0, %1 : $0", {op("arith.andi %0, %1 : =", left, right), zero},
                  flags, where);
  }
  // The upper half of the signed product, out of that of the unsigned one, repeats the sign.
  const auto if_negative = [&](handle x, handle y) {
    const handle negative = t.emit("arith.cmpi slt, %0, %1 : $0", {x, zero}, flags, where);
    return select(t, negative, y, zero, where);
  };
  const handle high =
      op("arith.subi %0, %1 : =",
         op("arith.subi %0, %1 : =", op("tt.mulhiui %0, %1 : =", a, b), if_negative(a, b)),
         if_negative(b, a));
  const handle sign = op("arith.shrsi %0, %1 : =", result, integer_constant(t, 63, type, where));
  return t.emit("arith.cmpi eq, %0, %1 : $0", {high, sign}, flags, where);
}

/// binary, and in a debug build the assertion. Functions given to reductions assert nothing.
inline handle binary_that_fits(tracer &t, binary_kind kind, const operand &a, const operand &b,
                               const value_type &type, location where) {
  const handle l = coerce(t, a, type, where), r = coerce(t, b, type, where);
  const handle result = binary(t, kind, {.value = l}, {.value = r}, type, type, where);
  bool checks = t.environment.checks_overflow;
  for (const frame &f : t.frames)
    checks &= f.what != frame::kind::combine;
  if (checks && !t.program.values[result.value].is_constant) {
    const char *what = kind == binary_kind::add   ? "sum"
                       : kind == binary_kind::sub ? "difference"
                                                  : "product";
    t.emit_effect("tt.assert %0, @ : $0", {fits(t, kind, l, r, result, where)}, where,
                  "\"the " + std::string(what) + " of two " + std::string(type.name) +
                      " does not fit\"");
  }
  return result;
}

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
