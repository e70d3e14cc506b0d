// SPDX-License-Identifier: MIT
//
// The elementwise group's external functions that look at bits: integers, conversions, arithmetic
// with a rounding direction. Operands and results are bit patterns in the low bits of 64. Functions
// run while the machine rounds in the direction that the symbol names.
#include "interpreter/ExternFunctions.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tl::backend::interpreter {

namespace {

template <class T> T as(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

template <class T> uint64_t bitsOf(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else
    return static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
}

template <class T> constexpr Kind kindOf() {
  if constexpr (std::is_same_v<T, float>)
    return Kind::F32;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::F64;
  else
    return sizeof(T) == 4 ? Kind::I32 : Kind::I64;
}

/// A value that the compiler must compute where it stands, under the rounding of the moment.
template <class T> T now(T value) {
  volatile T held = value;
  return held;
}

template <class T> uint64_t add(const uint64_t *x) {
  return bitsOf<T>(now(now(as<T>(x[0])) + now(as<T>(x[1]))));
}
template <class T> uint64_t subtract(const uint64_t *x) {
  return bitsOf<T>(now(now(as<T>(x[0])) - now(as<T>(x[1]))));
}
template <class T> uint64_t multiply(const uint64_t *x) {
  return bitsOf<T>(now(now(as<T>(x[0])) * now(as<T>(x[1]))));
}
template <class T> uint64_t divide(const uint64_t *x) {
  return bitsOf<T>(now(now(as<T>(x[0])) / now(as<T>(x[1]))));
}
template <class T> uint64_t reciprocal(const uint64_t *x) {
  return bitsOf<T>(now(T(1) / now(as<T>(x[0]))));
}
template <class T> uint64_t squareRoot(const uint64_t *x) {
  return bitsOf<T>(now(std::sqrt(now(as<T>(x[0])))));
}
template <class T> uint64_t reciprocalRoot(const uint64_t *x) {
  return bitsOf<T>(
      static_cast<T>(now(1.0L / std::sqrt(now(static_cast<long double>(as<T>(x[0])))))));
}
template <class T> uint64_t nextAfter(const uint64_t *x) {
  return bitsOf<T>(std::nextafter(as<T>(x[0]), as<T>(x[1])));
}
template <class T> uint64_t multiplyAdd(const uint64_t *x) {
  return bitsOf<T>(now(std::fma(now(as<T>(x[0])), now(as<T>(x[1])), now(as<T>(x[2])))));
}

/// Rounded to a whole number, saturating; NaN gives 0.
template <class From, class To> uint64_t toInteger(const uint64_t *x) {
  const From value = as<From>(x[0]);
  if (value != value)
    return 0;
  const From whole = now(std::nearbyint(now(value)));
  if (whole >= std::ldexp(From(1), std::numeric_limits<To>::digits))
    return bitsOf<To>(std::numeric_limits<To>::max());
  if (whole <= static_cast<From>(std::numeric_limits<To>::min()))
    return bitsOf<To>(std::numeric_limits<To>::min());
  return bitsOf<To>(static_cast<To>(whole));
}

template <class From, class To> uint64_t convert(const uint64_t *x) {
  return bitsOf<To>(now(static_cast<To>(now(as<From>(x[0])))));
}

uint64_t sameBits(const uint64_t *x) { return x[0]; }

template <class T> uint64_t minimum(const uint64_t *x) {
  return bitsOf<T>(as<T>(x[0]) < as<T>(x[1]) ? as<T>(x[0]) : as<T>(x[1]));
}
template <class T> uint64_t maximum(const uint64_t *x) {
  return bitsOf<T>(as<T>(x[0]) > as<T>(x[1]) ? as<T>(x[0]) : as<T>(x[1]));
}
template <class T> uint64_t absolute(const uint64_t *x) {
  const T value = as<T>(x[0]);
  return bitsOf<T>(value < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value))
                             : value);
}

template <class T> uint64_t leadingZeros(const uint64_t *x) {
  return static_cast<uint64_t>(std::countl_zero(as<T>(x[0])));
}
template <class T> uint64_t population(const uint64_t *x) {
  return static_cast<uint64_t>(std::popcount(as<T>(x[0])));
}
/// Position of the lowest one, counted from 1; 0 if there is none.
template <class T> uint64_t firstSet(const uint64_t *x) {
  const T value = as<T>(x[0]);
  return value == 0 ? 0 : static_cast<uint64_t>(std::countr_zero(value)) + 1;
}
template <class T> uint64_t reverse(const uint64_t *x) {
  constexpr int bits = 8 * sizeof(T);
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i)
    result |= (x[0] >> i & 1) << (bits - 1 - i);
  return result;
}

template <class T> uint64_t highProduct(const uint64_t *x) {
  using Product = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return bitsOf<T>(
      static_cast<T>(static_cast<Product>(as<T>(x[0])) * as<T>(x[1]) >> (8 * sizeof(T))));
}
int64_t signed24(uint64_t value) { return static_cast<int64_t>(value << 40) >> 40; }
uint64_t multiply24(const uint64_t *x) {
  return static_cast<uint32_t>(signed24(x[0]) * signed24(x[1]));
}
uint64_t multiplyUnsigned24(const uint64_t *x) {
  return static_cast<uint32_t>((x[0] & 0xFFFFFF) * (x[1] & 0xFFFFFF));
}

/// |a - b| + c.
template <class T> uint64_t sumOfDifference(const uint64_t *x) {
  const T a = as<T>(x[0]), b = as<T>(x[1]);
  const uint32_t difference = a > b ? static_cast<uint32_t>(a) - static_cast<uint32_t>(b)
                                    : static_cast<uint32_t>(b) - static_cast<uint32_t>(a);
  return difference + static_cast<uint32_t>(x[2]);
}
template <class T, int Round> uint64_t average(const uint64_t *x) {
  return bitsOf<T>(static_cast<T>(
      (static_cast<int64_t>(as<T>(x[0])) + static_cast<int64_t>(as<T>(x[1])) + Round) >> 1));
}

/// The lower three bits of each digit of the selector choose a byte of the two operands.
uint64_t bytePermutation(const uint64_t *x) {
  const uint64_t bytes = (x[0] & 0xFFFFFFFF) | x[1] << 32;
  uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned selector = static_cast<unsigned>(x[2] >> (4 * i)) & 7;
    result |= (bytes >> (8 * selector) & 0xFF) << (8 * i);
  }
  return result;
}

uint64_t joinHalves(const uint64_t *x) { return x[0] << 32 | (x[1] & 0xFFFFFFFF); }
uint64_t lowHalf(const uint64_t *x) { return x[0] & 0xFFFFFFFF; }
uint64_t highHalf(const uint64_t *x) { return x[0] >> 32; }

template <class Result, class... Operands> ExternFunction entry(const char *name, Bits function) {
  return {name, function, {kindOf<Operands>()...}, kindOf<Result>()};
}

using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;

std::vector<ExternFunction> makeTable() {
  return {
      entry<float, float, float>("fadd", add<float>),
      entry<float, float, float>("fsub", subtract<float>),
      entry<float, float, float>("fmul", multiply<float>),
      entry<float, float, float>("fdiv", divide<float>),
      entry<float, float>("frcp", reciprocal<float>),
      entry<float, float>("fsqrt", squareRoot<float>),
      entry<float, float>("frsqrt", reciprocalRoot<float>),
      entry<float, float, float>("nextafterf", nextAfter<float>),
      entry<float, float, float, float>("fmaf", multiplyAdd<float>),
      entry<double, double, double>("dadd", add<double>),
      entry<double, double, double>("dsub", subtract<double>),
      entry<double, double, double>("dmul", multiply<double>),
      entry<double, double, double>("ddiv", divide<double>),
      entry<double, double>("drcp", reciprocal<double>),
      entry<double, double>("dsqrt", squareRoot<double>),
      entry<double, double>("rcp64h", reciprocal<double>),
      entry<double, double, double>("nextafter", nextAfter<double>),
      entry<double, double, double, double>("fma", multiplyAdd<double>),

      entry<i32, float>("float2int", toInteger<float, i32>),
      entry<u32, float>("float2uint", toInteger<float, u32>),
      entry<i64, float>("float2ll", toInteger<float, i64>),
      entry<u64, float>("float2ull", toInteger<float, u64>),
      entry<i32, double>("double2int", toInteger<double, i32>),
      entry<u32, double>("double2uint", toInteger<double, u32>),
      entry<i64, double>("double2ll", toInteger<double, i64>),
      entry<u64, double>("double2ull", toInteger<double, u64>),
      entry<float, i32>("int2float", convert<i32, float>),
      entry<float, u32>("uint2float", convert<u32, float>),
      entry<float, i64>("ll2float", convert<i64, float>),
      entry<float, u64>("ull2float", convert<u64, float>),
      entry<double, i32>("int2double", convert<i32, double>),
      entry<double, u32>("uint2double", convert<u32, double>),
      entry<double, i64>("ll2double", convert<i64, double>),
      entry<double, u64>("ull2double", convert<u64, double>),
      entry<float, double>("double2float", convert<double, float>),

      entry<i32, float>("float_as_int", sameBits),
      entry<i32, float>("float_as_uint", sameBits),
      entry<float, i32>("int_as_float", sameBits),
      entry<float, i32>("uint_as_float", sameBits),
      entry<i64, double>("double_as_longlong", sameBits),
      entry<double, i64>("longlong_as_double", sameBits),
      entry<double, i32, i32>("hiloint2double", joinHalves),
      entry<i32, double>("double2loint", lowHalf),
      entry<i32, double>("double2hiint", highHalf),

      entry<i32, i32>("abs", absolute<i32>),
      entry<i64, i64>("llabs", absolute<i64>),
      entry<i32, i32, i32>("min", minimum<i32>),
      entry<i32, i32, i32>("max", maximum<i32>),
      entry<i32, i32, i32>("umin", minimum<u32>),
      entry<i32, i32, i32>("umax", maximum<u32>),
      entry<i64, i64, i64>("llmin", minimum<i64>),
      entry<i64, i64, i64>("llmax", maximum<i64>),
      entry<i64, i64, i64>("ullmin", minimum<u64>),
      entry<i64, i64, i64>("ullmax", maximum<u64>),
      entry<i32, i32>("clz", leadingZeros<u32>),
      entry<i32, i64>("clzll", leadingZeros<u64>),
      entry<i32, i32>("popc", population<u32>),
      entry<i32, i64>("popcll", population<u64>),
      entry<i32, i32>("ffs", firstSet<u32>),
      entry<i32, i64>("ffsll", firstSet<u64>),
      entry<i32, i32>("brev", reverse<u32>),
      entry<i64, i64>("brevll", reverse<u64>),
      entry<i32, i32, i32>("mulhi", highProduct<i32>),
      entry<i32, i32, i32>("umulhi", highProduct<u32>),
      entry<i64, i64, i64>("mul64hi", highProduct<i64>),
      entry<i64, i64, i64>("umul64hi", highProduct<u64>),
      entry<i32, i32, i32>("mul24", multiply24),
      entry<i32, i32, i32>("umul24", multiplyUnsigned24),
      entry<i32, i32, i32, i32>("sad", sumOfDifference<i32>),
      entry<i32, i32, i32, i32>("usad", sumOfDifference<u32>),
      entry<i32, i32, i32>("hadd", average<i32, 0>),
      entry<i32, i32, i32>("uhadd", average<u32, 0>),
      entry<i32, i32, i32>("rhadd", average<i32, 1>),
      entry<i32, i32, i32>("urhadd", average<u32, 1>),
      entry<i32, i32, i32, i32>("byte_perm", bytePermutation),
  };
}

} // namespace

const std::vector<ExternFunction> &bitFunctions() {
  static const std::vector<ExternFunction> table = makeTable();
  return table;
}

} // namespace tl::backend::interpreter
