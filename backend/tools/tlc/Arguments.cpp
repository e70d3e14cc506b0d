// SPDX-License-Identifier: MIT
#include "Arguments.h"

#include "CommandLine.h"
#include "Failure.h"

#include "tl/dtype.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace tlc {
namespace {

struct IntegerType {
  std::string_view name, ttir;
  unsigned bits;
  bool isSigned;
};

constexpr IntegerType integerTypes[] = {
    {"i1", "i1", 1, false},    {"u1", "i1", 1, false},    {"i8", "i8", 8, true},
    {"i16", "i16", 16, true},  {"i32", "i32", 32, true},  {"i64", "i64", 64, true},
    {"u8", "i8", 8, false},    {"u16", "i16", 16, false}, {"u32", "i32", 32, false},
    {"u64", "i64", 64, false},
};

struct FloatType {
  std::string_view name, alias, ttir;
  uint64_t (*encode)(double);
  double limit; // the least magnitude that rounds to no finite value
};

template <class T> uint64_t encodeSmall(double value) { return T(value).bits; }

constexpr FloatType floatTypes[] = {
    {"fp16", "f16", "f16", encodeSmall<tl::float16>, 65520},
    {"bf16", "bf16", "bf16", encodeSmall<tl::bfloat16>, 0x1.FFp127},
    {"fp32", "f32", "f32",
     [](double value) -> uint64_t { return std::bit_cast<uint32_t>(static_cast<float>(value)); },
     0x1.FFFFFFp127},
    {"fp64", "f64", "f64", [](double value) { return std::bit_cast<uint64_t>(value); },
     std::numeric_limits<double>::infinity()},
    {"fp8e4nv", "f8E4M3FN", "f8E4M3FN", encodeSmall<tl::float8e4nv>, 464},
    {"fp8e5", "f8E5M2", "f8E5M2", encodeSmall<tl::float8e5>, 61440},
};

/// The element types of pointers, and the arrays that may stand for them. NumPy has no bf16 and
/// no 8-bit floats: they travel as integers of their size.
struct PointeeType {
  std::string_view ttir;
  std::string_view arrays[3];
};

constexpr PointeeType pointeeTypes[] = {
    {"i1", {"bool", "int8", "uint8"}},
    {"i8", {"int8", "uint8"}},
    {"i16", {"int16", "uint16"}},
    {"i32", {"int32", "uint32"}},
    {"i64", {"int64", "uint64"}},
    {"f16", {"float16"}},
    {"bf16", {"int16", "uint16"}},
    {"f32", {"float32"}},
    {"f64", {"float64"}},
    {"f8E4M3FN", {"uint8", "int8"}},
    {"f8E5M2", {"uint8", "int8"}},
    {"f8E4M3FNUZ", {"uint8", "int8"}},
    {"f8E5M2FNUZ", {"uint8", "int8"}},
    {"f8E4M3B11FNUZ", {"uint8", "int8"}},
};

uint64_t parseIntegerValue(const IntegerType &type, const std::string &whole,
                           const std::string &text) {
  const uint64_t most = type.isSigned     ? (uint64_t(1) << (type.bits - 1)) - 1
                        : type.bits == 64 ? UINT64_MAX
                                          : (uint64_t(1) << type.bits) - 1;
  const std::string least = type.isSigned ? "-" + std::to_string(most + 1) : "0";
  if (type.isSigned) {
    std::optional<int64_t> value = parseInteger(text);
    if (value && *value <= static_cast<int64_t>(most) && *value >= -static_cast<int64_t>(most) - 1)
      return static_cast<uint64_t>(*value);
  } else {
    std::optional<uint64_t> value = parseUnsigned(text);
    if (value && *value <= most)
      return *value;
  }
  failUsage("argument " + quoted(whole) + " is not a whole number from " + least + " to " +
            std::to_string(most));
}

double parseFloatValue(const FloatType &type, const std::string &whole, std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-')
    text.remove_prefix(1);
  double value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty() || failure == std::errc::invalid_argument)
    failUsage("argument " + quoted(whole) + " is not a number");
  if (failure == std::errc::result_out_of_range ||
      (std::isfinite(value) && std::abs(value) >= type.limit))
    failUsage("argument " + quoted(whole) + " is out of the range of " + std::string(type.name));
  return value;
}

/// "f32" of "!tt.ptr<f32>" and "!tt.ptr<f32, 1>", or nothing if it is no pointer.
std::optional<std::string> pointee(const std::string &parameter) {
  constexpr std::string_view prefix = "!tt.ptr<";
  if (!parameter.starts_with(prefix) || !parameter.ends_with('>'))
    return std::nullopt;
  std::string inner = parameter.substr(prefix.size(), parameter.size() - prefix.size() - 1);
  size_t comma = inner.rfind(',');
  if (comma != std::string::npos && inner.find_first_not_of(" 0123456789", comma + 1) == inner.npos)
    inner.resize(comma);
  return inner;
}

void checkArray(size_t index, const Argument &argument, const std::string &parameter,
                const std::string &element) {
  for (const PointeeType &type : pointeeTypes) {
    if (type.ttir != element)
      continue;
    std::string expected;
    for (std::string_view name : type.arrays) {
      if (name.empty())
        continue;
      if (name == argument.array->typeName())
        return;
      expected += (expected.empty() ? "" : " or ") + std::string(name);
    }
    failUsage("argument " + std::to_string(index) + " is an array of " +
              argument.array->typeName() + " (" + quoted(argument.spelling) +
              "), but the parameter is " + parameter + ", expected " + expected);
  }
  failUsage("parameter " + std::to_string(index) + " is " + parameter +
            ", for which tlc run cannot pass an array");
}

} // namespace

const char *scalarTypeNames() {
  return "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e4nv fp8e5";
}

Argument parseArgument(const std::string &text) {
  Argument argument;
  argument.spelling = text;
  if (text.starts_with('@')) {
    if (text.size() == 1)
      failUsage("argument '@' names no file", "write @FILE.npy");
    argument.array = readNpy(text.substr(1));
    return argument;
  }
  if (text == "null") {
    argument.isNull = true;
    return argument;
  }
  size_t colon = text.find(':');
  if (colon == std::string::npos)
    failUsage("argument " + quoted(text) + " is none of @FILE.npy, TYPE:VALUE and null",
              std::string("the types of scalars are ") + scalarTypeNames());
  std::string type = text.substr(0, colon), value = text.substr(colon + 1);
  argument.typedAs = type;
  for (const IntegerType &integer : integerTypes)
    if (integer.name == type) {
      argument.type = integer.ttir;
      argument.value = parseIntegerValue(integer, text, value);
      return argument;
    }
  for (const FloatType &real : floatTypes)
    if (real.name == type || real.alias == type) {
      argument.type = real.ttir;
      argument.value = real.encode(parseFloatValue(real, text, value));
      return argument;
    }
  failUsage("argument " + quoted(text) + " has the unknown type " + quoted(type),
            std::string("the types of scalars are ") + scalarTypeNames());
}

void checkArgument(size_t index, const Argument &argument, const std::string &parameter) {
  const std::string which = "argument " + std::to_string(index);
  std::optional<std::string> element = pointee(parameter);
  if (argument.array) {
    if (!element)
      failUsage(which + " is an array (" + quoted(argument.spelling) + "), but the parameter is " +
                parameter);
    checkArray(index, argument, parameter, *element);
  } else if (argument.isNull) {
    if (!element)
      failUsage(which + " is null, but the parameter is " + parameter + ", not a pointer");
  } else if (element) {
    failUsage(which + " is the scalar " + quoted(argument.spelling) + ", but the parameter is " +
                  parameter,
              "pass an array with @FILE.npy, or null");
  } else if (argument.type != parameter) {
    failUsage(which + " is " + quoted(argument.spelling) + ", but the parameter is " + parameter);
  }
}

} // namespace tlc
