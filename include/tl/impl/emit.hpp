// SPDX-License-Identifier: MIT
#pragma once
// Which operations does a piece of arithmetic become? Constants, casts, broadcasts and binary
// operations, on values whose types are known to the tracer: no templates, so that a kernel costs
// little to compile. The typing rules, which are templates, are in promotion.hpp.

#include "tl/impl/number_text.hpp"
#include "tl/impl/tracer.hpp"
#include "tl/impl/unoptimized.hpp"

#include <charconv>
#include <cmath>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

/// A C++ number that meets tensors: it takes their type.
struct literal {
  element_kind kind = element_kind::signed_integer;
  std::int64_t integer = 0; // of an unsigned one, its bits
  double real = 0;
  // A number that is a value of a small float keeps its encoding: rounding saturates, and would
  // take an infinity for a value that is too large.
  std::string_view format = {};
  std::uint64_t encoding = 0;

  constexpr double as_double() const {
    if (kind == element_kind::floating)
      return real;
    return kind == element_kind::unsigned_integer
               ? static_cast<double>(static_cast<std::uint64_t>(integer))
               : static_cast<double>(integer);
  }
  /// The same for rounding it once more, to a type of at most 32 bits. Rounding a large integer
  /// twice could end beside its nearest number; instead one bit here stands for all low bits, which
  /// only tell on which side of a tie the integer lies.
  constexpr double as_double_to_round() const {
    const auto bits = static_cast<std::uint64_t>(integer);
    const bool negative = kind == element_kind::signed_integer && integer < 0;
    const std::uint64_t magnitude = negative ? 0 - bits : bits;
    if (kind == element_kind::floating || magnitude >> 53 == 0)
      return as_double();
    constexpr std::uint64_t sticky = 1 << 11;
    const std::uint64_t low = magnitude & (sticky - 1);
    const auto rounded = static_cast<double>((magnitude - low) | (low ? sticky : 0));
    return negative ? -rounded : rounded;
  }
};

// ---- Constants

/// The nearest value of a float type, and its encoding.
struct rounded {
  double value;
  std::uint64_t bits;
};

inline rounded round_to(const double &value, const value_type &type) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto from_float = [](std::uint32_t encoding, std::uint64_t own) {
    return rounded{std::bit_cast<double>(widen(encoding)), own};
  };
  const auto small = [&](auto converted) {
    return from_float(float_encoding<decltype(converted)::format>(converted.bits), converted.bits);
  };
  if (type.name == "fp64")
    return {value, bits};
  if (type.name == "fp32")
    return from_float(encode<f32_format>(value), encode<f32_format>(value));
  if (type.name == "fp16")
    return small(float16(value));
  if (type.name == "bf16")
    return small(bfloat16(value));
  if (type.name == "fp8e4nv")
    return small(float8e4nv(value));
  if (type.name == "fp8e5")
    return small(float8e5(value));
  if (type.name == "fp8e4b8")
    return small(float8e4b8(value));
  if (type.name == "fp8e5b16")
    return small(float8e5b16(value));
  return small(float8e4b15(value));
}

/// The nearest value to a literal. One of this very type is itself.
inline rounded round_to(const literal &value, const value_type &type) {
  if (value.format == type.name)
    return {value.real, value.encoding};
  if (value.kind == element_kind::floating)
    return round_to(value.real, type);
  return round_to(type.bits < 64 ? value.as_double_to_round() : value.as_double(), type);
}

/// The literal rounded toward zero to a float type.
inline literal truncated(literal value, const value_type &type) {
  const rounded r = round_to(value, type);
  if (is_finite(value.real) &&
      std::fabs(r.value) > std::fabs(value.real)) { // one step back: encodings are consecutive
    const bool has_negative_zero = type.name != "fp8e4b8" && type.name != "fp8e5b16";
    value.format = type.name;
    value.encoding = r.bits == 0x81 && !has_negative_zero ? 0 : r.bits - 1;
  }
  return value;
}

/// A float as MLIR reads it back exactly: short decimal where that is possible, else the encoding.
inline std::string float_text(const rounded &r, const value_type &type) {
  if (type.element == "i8") // float8e4b15 has no type of its own
    return std::to_string(static_cast<int>(static_cast<std::int8_t>(r.bits)));
  if (is_finite(r.value)) {
    const std::string text = number_text(r.value, 6, std::chars_format::scientific);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (round_to(read, type).bits == r.bits)
      return text;
  }
  std::string text = "0x";
  for (int shift = type.bits - 4; shift >= 0; shift -= 4)
    text += "0123456789ABCDEF"[r.bits >> shift & 15];
  return text;
}

/// Whether an integer type holds the value of the literal.
inline bool holds(const value_type &type, const literal &value) {
  if (type.is_bool())
    return value.integer == 0 || value.integer == 1;
  const bool huge = value.kind == element_kind::unsigned_integer && value.integer < 0;
  if (type.kind == element_kind::unsigned_integer)
    return huge ? type.bits == 64
                : value.integer >= 0 && (type.bits == 64 || (value.integer >> type.bits) == 0);
  if (huge)
    return false;
  if (type.bits == 64)
    return true;
  const std::int64_t limit = std::int64_t(1) << (type.bits - 1);
  return value.integer >= -limit && value.integer < limit;
}

/// The number of an integer type that has the low bits of a known constant: what the casts of
/// values that are known only when the kernel runs give.
inline literal wrapped(std::int64_t value, const value_type &type) {
  const int unused = 64 - type.bits;
  const auto high = static_cast<std::uint64_t>(value) << unused;
  return {type.kind, type.is_signed() ? static_cast<std::int64_t>(high) >> unused
                                      : static_cast<std::int64_t>(high >> unused)};
}

/// The number as readable text.
inline std::string literal_text(const literal &value) {
  if (value.kind == element_kind::floating)
    return number_text(value.real);
  return value.kind == element_kind::unsigned_integer
             ? std::to_string(static_cast<std::uint64_t>(value.integer))
             : std::to_string(value.integer);
}

/// A constant of the type; a tensor of equal elements if the type has extents.
inline handle constant(tracer &t, const literal &value, const value_type &type, location where) {
  std::string text;
  std::int64_t known = value.integer;
  if (type.is_float()) {
    const rounded r = round_to(value, type);
    // The formats of 8 bits saturate, as their C++ types say.
    if (is_infinite(r.value) && (value.kind != element_kind::floating || is_finite(value.real)))
      fail(t.seen(where),
           "the number " + literal_text(value) + " does not fit " + std::string(type.name));
    text = float_text(r, type);
  } else {
    if (value.kind == element_kind::floating) {
      // 0.0f as what a masked load of integers gives is fine.
      if (!(is_finite(value.real) && std::fabs(value.real) < 0x1p62 &&
            std::trunc(value.real) == value.real))
        fail(t.seen(where),
             "the number " + literal_text(value) + " cannot become " + std::string(type.name),
             "convert it in C++, or cast the tensor");
      return constant(t, {element_kind::signed_integer, static_cast<std::int64_t>(value.real), 0},
                      type, where);
    }
    if (type.is_bool()) {
      known = value.integer != 0;
      text = known ? "true" : "false";
    } else {
      if (!holds(type, value))
        fail(t.seen(where),
             "the number " + literal_text(value) + " does not fit " + std::string(type.name));
      if (type.bits < 64 && type.kind == element_kind::unsigned_integer)
        known = static_cast<std::int64_t>(static_cast<std::uint64_t>(known) << (64 - type.bits)) >>
                (64 - type.bits);
      text = std::to_string(known);
      known = value.integer;
    }
  }
  std::string attributes;
  if (type.rank > 0)
    attributes = "dense<" + text + "> : ";
  else if (type.is_bool())
    attributes = text;
  else
    attributes = text + " : ";
  const handle result =
      t.emit(type.rank == 0 && type.is_bool() ? "arith.constant @" : "arith.constant @=", {}, type,
             where, std::move(attributes));
  if (!type.is_float() && type.rank == 0) {
    value_info &info = t.program.values[result.value];
    info.is_constant = true;
    info.constant = known;
    info.is_positive = known > 0;
  }
  return result;
}

inline handle integer_constant(tracer &t, std::int64_t value, const value_type &type,
                               location where) {
  return constant(t, {element_kind::signed_integer, value, 0}, type, where);
}
inline handle float_constant(tracer &t, double value, const value_type &type, location where) {
  return constant(t, {element_kind::floating, 0, value}, type, where);
}

// ---- Casts

enum class float_rounding : std::uint8_t { nearest_even, toward_zero };

inline handle emit_cast(tracer &t, const char *format, handle value, const value_type &to,
                        location where, std::string attributes = {}) {
  return t.emit(format, {value}, to, where, std::move(attributes));
}

inline handle cast_float8e4b15(tracer &t, handle value, const value_type &from,
                               const value_type &to, location where, float_rounding rounding);

/// float to float.
inline handle cast_float(tracer &t, handle value, const value_type &from, const value_type &to,
                         location where, float_rounding rounding) {
  if (from.name == "fp8e4b15" || to.name == "fp8e4b15")
    return cast_float8e4b15(t, value, from, to, where, rounding);
  const bool narrows = to.bits < from.bits;
  const char *mode =
      rounding == float_rounding::toward_zero ? ", rounding = rtz" : ", rounding = rtne";
  if (from.is_small_float() && to.is_small_float()) {
    // A small float is exact in f16, so that this rounds once.
    const value_type half = with_element(to, scalar_type<float16>);
    value = t.emit("tt.fp_to_fp %0 : $0 -> =", {value}, half, where);
    return t.emit("tt.fp_to_fp %0^@ : $0 -> =", {value}, to, where, mode);
  }
  if (from.is_small_float() || to.is_small_float() ||
      (narrows && rounding == float_rounding::toward_zero))
    return t.emit("tt.fp_to_fp %0^@ : $0 -> =", {value}, to, where, narrows ? mode : "");
  if (from.bits == 16 && to.bits == 16) { // f16 and bf16 meet in f32
    const value_type single = with_element(to, scalar_type<float>);
    value = emit_cast(t, "arith.extf %0 : $0 to =", value, single, where);
    return emit_cast(t, "arith.truncf %0 : $0 to =", value, to, where);
  }
  return emit_cast(t, narrows ? "arith.truncf %0 : $0 to =" : "arith.extf %0 : $0 to =", value, to,
                   where);
}

inline handle compare_with_zero(tracer &t, handle value, const value_type &from,
                                const value_type &to, location where) {
  const handle zero =
      from.is_float() ? float_constant(t, 0, from, where) : integer_constant(t, 0, from, where);
  return t.emit(from.is_float() ? "arith.cmpf une, %0, %1 : $0" : "arith.cmpi ne, %0, %1 : $0",
                {value, zero}, to, where);
}

/// A value with another element, and the same extents.
inline handle cast(tracer &t, handle value, const value_type &element, location where,
                   float_rounding rounding = float_rounding::nearest_even) {
  value_type from = t.type_of_value(value);
  const value_type to = with_element(from, element);
  if (from.same_element(to))
    return value;
  if (from.form == value_form::pointer && to.form == value_form::pointer)
    return from.element == to.element ? value
                                      : t.emit("tt.bitcast %0 : $0 -> =", {value}, to, where);
  if (from.form == value_form::pointer) {
    const handle address = t.emit("tt.ptr_to_int %0 : $0 -> =", {value},
                                  with_element(to, scalar_type<std::int64_t>), where);
    return cast(t, address, element, where);
  }
  if (to.form == value_form::pointer) {
    value = cast(t, value, scalar_type<std::int64_t>, where);
    return t.emit("tt.int_to_ptr %0 : $0 -> =", {value}, to, where);
  }
  if (from.is_float() && to.is_float())
    return cast_float(t, value, from, to, where, rounding);
  // fp8 meets integers by way of f32, f16 and bf16 do for what f32 holds anyway.
  if (from.is_float() && from.bits == 8) {
    value = cast_float(t, value, from, with_element(to, scalar_type<float>), where, rounding);
    from = t.type_of_value(value);
  }
  if (to.is_bool())
    return compare_with_zero(t, value, from, to, where);
  if (to.is_float() && to.bits == 8)
    return cast(t, cast(t, value, scalar_type<float>, where), element, where);
  if (from.is_float())
    return emit_cast(t, to.is_signed() ? "arith.fptosi %0 : $0 to =" : "arith.fptoui %0 : $0 to =",
                     value, to, where);
  if (to.is_float())
    return emit_cast(
        t, from.is_signed() ? "arith.sitofp %0 : $0 to =" : "arith.uitofp %0 : $0 to =", value, to,
        where);
  if (const value_info &info = t.program.values[value.value]; info.is_constant)
    return constant(t, wrapped(info.constant, to), to, where);
  if (to.bits == from.bits) { // only the sign differs, and TTIR has none: a new name
    const handle renamed = t.make_handle(t.add_value(to, t.current_region()));
    t.program.values[renamed.value].alias = t.program.resolve(t.checked(value, where));
    return renamed;
  }
  const char *format = to.bits < from.bits ? "arith.trunci %0 : $0 to ="
                       : from.is_signed()  ? "arith.extsi %0 : $0 to ="
                                           : "arith.extui %0 : $0 to =";
  return emit_cast(t, format, value, to, where);
}

/// The same bits as another type of equal width.
inline handle bitcast(tracer &t, handle value, const value_type &element, location where) {
  const value_type from = t.type_of_value(value);
  const value_type to = with_element(from, element);
  if (from.same_element(to))
    return value;
  if (from.form == to.form && from.element == to.element) {
    const handle renamed = t.make_handle(t.add_value(to, t.current_region()));
    t.program.values[renamed.value].alias = t.program.resolve(t.checked(value, where));
    return renamed;
  }
  return t.emit("tt.bitcast %0 : $0 -> =", {value}, to, where);
}

// ---- Shapes

/// A new axis of extent 1.
inline handle expand_dims(tracer &t, handle value, int axis, location where) {
  value_type type = t.type_of_value(value);
  int *extents = t.keep_extents(type.rank + 1);
  for (int from = 0, to = 0; to <= type.rank; ++to)
    extents[to] = to == axis ? 1 : type.extents[from++];
  type.extents = extents;
  ++type.rank;
  return t.emit("tt.expand_dims %0 {@} : $0 -> =", {value}, type, where,
                "axis = " + std::to_string(axis) + " : i32");
}

/// A value repeated to the extents of `target`, which has been checked to be possible.
inline handle broadcast(tracer &t, handle value, const value_type &target, location where) {
  value_type from = t.type_of_value(value);
  if (from.same_shape(target))
    return value;
  value_type to = from;
  to.rank = target.rank;
  to.extents = target.extents;
  if (from.rank == 0)
    return t.emit("tt.splat %0 : $0 -> =", {value}, to, where);
  while (from.rank < target.rank) {
    value = expand_dims(t, value, 0, where);
    from = t.type_of_value(value);
  }
  if (from.same_shape(target))
    return value;
  return t.emit("tt.broadcast %0 : $0 -> =", {value}, to, where);
}

/// A tensor or a literal, on its way into an operation.
struct operand {
  handle value = {};
  literal number = {};
  bool is_literal = false;
};

/// The operand with the element and extents of `type`.
inline handle coerce(tracer &t, const operand &from, const value_type &type, location where) {
  if (from.is_literal)
    return constant(t, from.number, type, where);
  t.checked(from.value, where);
  return broadcast(t, cast(t, from.value, type, where), type, where);
}

// ---- Binary operations

enum class binary_kind : std::uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  minimum,
  maximum,
  minimum_nan,
  maximum_nan
};

struct spelling {
  const char *floating, *is_signed, *is_unsigned;
};

inline constexpr spelling binary_spellings[] = {
    {"arith.addf %0, %1 : =", "arith.addi %0, %1 : =", "arith.addi %0, %1 : ="},
    {"arith.subf %0, %1 : =", "arith.subi %0, %1 : =", "arith.subi %0, %1 : ="},
    {"arith.mulf %0, %1 : =", "arith.muli %0, %1 : =", "arith.muli %0, %1 : ="},
    {"arith.divf %0, %1 : =", "arith.divsi %0, %1 : =", "arith.divui %0, %1 : ="},
    {"arith.remf %0, %1 : =", "arith.remsi %0, %1 : =", "arith.remui %0, %1 : ="},
    {nullptr, "arith.andi %0, %1 : =", "arith.andi %0, %1 : ="},
    {nullptr, "arith.ori %0, %1 : =", "arith.ori %0, %1 : ="},
    {nullptr, "arith.xori %0, %1 : =", "arith.xori %0, %1 : ="},
    {nullptr, "arith.shli %0, %1 : =", "arith.shli %0, %1 : ="},
    {nullptr, "arith.shrsi %0, %1 : =", "arith.shrui %0, %1 : ="},
    {"arith.cmpf olt, %0, %1 : $0", "arith.cmpi slt, %0, %1 : $0", "arith.cmpi ult, %0, %1 : $0"},
    {"arith.cmpf ole, %0, %1 : $0", "arith.cmpi sle, %0, %1 : $0", "arith.cmpi ule, %0, %1 : $0"},
    {"arith.cmpf ogt, %0, %1 : $0", "arith.cmpi sgt, %0, %1 : $0", "arith.cmpi ugt, %0, %1 : $0"},
    {"arith.cmpf oge, %0, %1 : $0", "arith.cmpi sge, %0, %1 : $0", "arith.cmpi uge, %0, %1 : $0"},
    {"arith.cmpf oeq, %0, %1 : $0", "arith.cmpi eq, %0, %1 : $0", "arith.cmpi eq, %0, %1 : $0"},
    {"arith.cmpf une, %0, %1 : $0", "arith.cmpi ne, %0, %1 : $0", "arith.cmpi ne, %0, %1 : $0"},
    {"arith.minnumf %0, %1 : =", "arith.minsi %0, %1 : =", "arith.minui %0, %1 : ="},
    {"arith.maxnumf %0, %1 : =", "arith.maxsi %0, %1 : =", "arith.maxui %0, %1 : ="},
    {"arith.minimumf %0, %1 : =", "arith.minsi %0, %1 : =", "arith.minui %0, %1 : ="},
    {"arith.maximumf %0, %1 : =", "arith.maxsi %0, %1 : =", "arith.maxui %0, %1 : ="},
};

/// The value of an operation on two known integers of the type, where folding is safe.
inline bool fold(binary_kind kind, std::int64_t a, std::int64_t b, const value_type &type,
                 std::int64_t &result) {
  if (type.is_bool() || type.kind == element_kind::unsigned_integer)
    return false;
  switch (kind) {
  case binary_kind::add:
    return !__builtin_add_overflow(a, b, &result) &&
           holds(type, {element_kind::signed_integer, result, 0});
  case binary_kind::sub:
    return !__builtin_sub_overflow(a, b, &result) &&
           holds(type, {element_kind::signed_integer, result, 0});
  case binary_kind::mul:
    return !__builtin_mul_overflow(a, b, &result) &&
           holds(type, {element_kind::signed_integer, result, 0});
  case binary_kind::div:
    if (b == 0 || b == -1)
      return false;
    result = a / b;
    return true;
  case binary_kind::rem:
    if (b == 0 || b == -1)
      return false;
    result = a % b;
    return true;
  default:
    return false;
  }
}

/// acc + dot(a, b), in either order, is a dot with an accumulator. The product alone is dropped
/// when nothing else uses it. Empty if neither is a product.
inline handle accumulate(tracer &t, handle a, handle b, location where) {
  for (int side = 0; side < 2; ++side) {
    const index producer =
        t.program.values[t.program.resolve(side == 0 ? b.value : a.value)].operation;
    if (producer == none || !t.program.operations[producer].is_product)
      continue;
    const operation &product = t.program.operations[producer];
    const handle left = t.make_handle(product.operands[0]),
                 right = t.make_handle(product.operands[1]);
    const value_type type = t.type_of_value(a);
    return t.emit(product.format, {left, right, side == 0 ? a : b}, type, where,
                  product.attributes);
  }
  return {};
}

/// An operation on two operands that are first converted to `compute`; the result differs from it
/// only for comparisons.
inline handle binary(tracer &t, binary_kind kind, const operand &a, const operand &b,
                     const value_type &compute, const value_type &result, location where) {
  const handle l = coerce(t, a, compute, where);
  const handle r = coerce(t, b, compute, where);
  const value_info &left = t.program.values[l.value], &right = t.program.values[r.value];
  if (std::int64_t folded; left.is_constant && right.is_constant &&
                           fold(kind, left.constant, right.constant, compute, folded))
    return integer_constant(t, folded, result, where);
  // What specialisation to 1 makes common.
  if (compute.rank == 0 && !compute.is_float() && !compute.is_bool()) {
    if (right.is_constant && right.constant == 1 &&
        (kind == binary_kind::mul || kind == binary_kind::div))
      return l;
    if (left.is_constant && left.constant == 1 && kind == binary_kind::mul)
      return r;
  }
  if (kind == binary_kind::add)
    if (handle fused = impl::accumulate(t, l, r, where); !fused.empty())
      return fused;
  const spelling &s = binary_spellings[static_cast<int>(kind)];
  return t.emit(compute.is_float()    ? s.floating
                : compute.is_signed() ? s.is_signed
                                      : s.is_unsigned,
                {l, r}, result, where);
}

/// The negative of an integer literal. Below -2^63 there is no literal: of such a number, any that
/// no signed type holds either is returned, so that the checks of its use refuse it.
inline literal negative(const literal &number) {
  const auto bits = static_cast<std::uint64_t>(number.integer);
  constexpr std::uint64_t limit = std::uint64_t(1) << 63;
  if (number.kind == element_kind::unsigned_integer && bits > limit)
    return number;
  if (number.kind != element_kind::unsigned_integer && bits == limit)
    return {element_kind::unsigned_integer, number.integer, 0};
  return {element_kind::signed_integer, static_cast<std::int64_t>(0 - bits), 0};
}

/// pointer + offset. Offsets count elements and are signed, so that narrow unsigned ones are
/// widened first.
inline handle add_to_pointer(tracer &t, const operand &pointer, const operand &offset, bool negate,
                             const value_type &result, location where) {
  t.checked(pointer.value, where);
  handle distance;
  if (offset.is_literal) {
    const literal number = negate ? negative(offset.number) : offset.number;
    const bool wide = !holds(scalar_type<std::int32_t>, number);
    value_type type =
        with_element(result, wide ? scalar_type<std::int64_t> : scalar_type<std::int32_t>);
    distance = constant(t, number, type, where);
  } else {
    t.checked(offset.value, where);
    const value_type type = t.type_of_value(offset.value);
    distance = offset.value;
    if (!type.is_signed() && type.bits < 64)
      distance = cast(t, distance, scalar_type<std::int64_t>, where);
    if (negate) {
      const value_type integer = t.type_of_value(distance);
      distance = binary(t, binary_kind::sub, {.number = {}, .is_literal = true},
                        {.value = distance}, integer, integer, where);
    }
    distance = broadcast(t, distance, result, where);
  }
  const handle base = broadcast(t, pointer.value, result, where);
  return t.emit("tt.addptr %0, %1 : $0, $1", {base, distance}, result, where);
}

/// A tensor descriptor of base, extents and strides, in this order.
inline handle make_descriptor(tracer &t, const sequence<handle> &parts, const value_type &type,
                              bool pads_with_nan, bool rounds_reads, location where) {
  std::string text = "%0, [";
  const auto list = [&](int from) {
    for (int axis = 0; axis < type.rank; ++axis)
      text += axis ? ", %" : "%", text += static_cast<char>('0' + from + axis); // past 9 by code
  };
  list(1);
  text += "], [";
  list(1 + type.rank);
  text += pads_with_nan ? "] {padding ~ 2 : i32}" : "]";
  const index op = t.append("@@", parts.data(), parts.size(), where,
                            "tt.make_tensor_descriptor " + text + " : $0, =", true);
  const handle made = t.add_result(op, type);
  t.program.values[made.value].rounds_reads = rounds_reads;
  return made;
}

/// condition ? a : b, elementwise. All three have their final extents.
inline handle select(tracer &t, handle condition, handle a, handle b, location where) {
  const value_type type = t.type_of_value(a);
  return t.emit(t.type_of_value(condition).rank == 0 ? "arith.select %0, %1, %2 : ="
                                                     : "arith.select %0, %1, %2 : $0, =",
                {condition, a, b}, type, where);
}

/// An 8-bit float with its sign bit changed by arith's xori or andi, exactly: a way through float
/// would saturate. Only of formats with a negative zero.
inline handle change_sign(tracer &t, handle value, const char *format, std::int64_t bits,
                          location where) {
  const value_type type = t.type_of_value(value);
  const value_type byte = with_element(type, scalar_type<std::int8_t>);
  const handle changed =
      t.emit(format, {bitcast(t, value, byte, where), integer_constant(t, bits, byte, where)}, byte,
             where);
  return bitcast(t, changed, type, where);
}

/// double to float, rounded to odd: truncated, the last bit set where something was lost. Rounding
/// that to fewer bits gives what rounding the double once would.
inline handle round_to_odd(tracer &t, handle value, location where) {
  const value_type from = t.type_of_value(value);
  const value_type bits = with_element(from, scalar_type<std::int32_t>);
  const handle cut = cast(t, value, scalar_type<float>, where, float_rounding::toward_zero);
  const handle lost = t.emit("arith.cmpf une, %0, %1 : $0", {cast(t, cut, from, where), value},
                             with_element(from, scalar_type<bool>), where);
  const handle sticky = t.emit("arith.extui %0 : $0 to =", {lost}, bits, where);
  return bitcast(t,
                 t.emit("arith.ori %0, %1 : =",
                        {bitcast(t, cut, scalar_type<std::int32_t>, where), sticky}, bits, where),
                 scalar_type<float>, where);
}

/// float8e4b15 has no type in MLIR: its bytes are taken apart and put together here. It shares its
/// bias with float16, so that reading is a shift.
inline handle cast_float8e4b15(tracer &t, handle value, const value_type &from,
                               const value_type &to, location where, float_rounding rounding) {
  const auto as = [&](const value_type &element) { return with_element(to, element); };
  const value_type i16 = as(scalar_type<std::int16_t>), i32 = as(scalar_type<std::int32_t>);
  const value_type f32 = as(scalar_type<float>), i1 = as(scalar_type<bool>);
  const auto number = [&](std::int64_t n, const value_type &type) {
    return integer_constant(t, n, type, where);
  };
  const auto op = [&](const char *format, handle a, handle b, const value_type &type) {
    return t.emit(format, {a, b}, type, where);
  };
  if (from.name == "fp8e4b15") {
    const handle wide = t.emit("arith.extsi %0 : $0 to =", {value}, i16, where);
    const handle sign = op("arith.andi %0, %1 : =", wide, number(-32768, i16), i16);
    const handle rest =
        op("arith.shli %0, %1 : =", op("arith.andi %0, %1 : =", wide, number(0x7F, i16), i16),
           number(7, i16), i16);
    const handle half =
        bitcast(t, op("arith.ori %0, %1 : =", sign, rest, i16), scalar_type<float16>, where);
    return cast(t, half, to, where);
  }
  const bool nearest = rounding == float_rounding::nearest_even;
  const handle x = from.bits == 64 && nearest ? round_to_odd(t, value, where)
                                              : cast(t, value, scalar_type<float>, where, rounding);
  const handle bits = bitcast(t, x, scalar_type<std::int32_t>, where);
  // minnum, so that NaN gives the largest value.
  const handle size = op("arith.minnumf %0, %1 : =", t.emit("math.absf %0 : =", {x}, f32, where),
                         float_constant(t, 1.75, f32, where), f32);
  handle rounded = bitcast(t, size, scalar_type<std::int32_t>, where);
  if (nearest) {
    const handle odd =
        op("arith.andi %0, %1 : =", op("arith.shrui %0, %1 : =", rounded, number(20, i32), i32),
           number(1, i32), i32);
    const handle carry = op("arith.addi %0, %1 : =", odd, number(0x7FFFF, i32), i32);
    rounded = op("arith.addi %0, %1 : =", rounded, carry, i32);
  }
  const handle normal =
      op("arith.subi %0, %1 : =", op("arith.shrui %0, %1 : =", rounded, number(20, i32), i32),
         number(112 << 3, i32), i32);
  // Below 2^-14 the unit is 2^-17: adding 2^23 rounds to it.
  const handle units =
      op("arith.mulf %0, %1 : =", size, float_constant(t, 131072, f32, where), f32);
  handle subnormal;
  if (nearest)
    subnormal = op(
        "arith.andi %0, %1 : =",
        bitcast(t, op("arith.addf %0, %1 : =", units, float_constant(t, 8388608, f32, where), f32),
                scalar_type<std::int32_t>, where),
        number(15, i32), i32);
  else
    subnormal = t.emit("arith.fptosi %0 : $0 to =", {units}, i32, where);
  const handle is_small =
      op("arith.cmpf olt, %0, %1 : $0", size, float_constant(t, 0x1p-14f, f32, where), i1);
  const handle sign =
      op("arith.andi %0, %1 : =", op("arith.shrui %0, %1 : =", bits, number(24, i32), i32),
         number(128, i32), i32);
  const handle all =
      op("arith.ori %0, %1 : =", select(t, is_small, subnormal, normal, where), sign, i32);
  return t.emit("arith.trunci %0 : $0 to =", {all}, to, where);
}

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
