// SPDX-License-Identifier: MIT
//
// The elementwise group's external functions that look at bits: integers, conversions, arithmetic
// with a rounding direction. Operands and results are bit patterns in the low bits of 64. Functions
// run while the machine rounds in the direction that the symbol names.
#include "arithmetic/plain/Rounded.h"
#include "interpreter/ExternFunctions.h"

#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

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

template <class To, class From> To sameBits(From x) { return std::bit_cast<To>(x); }
double joinHalves(int32_t high, int32_t low) {
  return std::bit_cast<double>(uint64_t(uint32_t(high)) << 32 | uint32_t(low));
}
int32_t lowHalf(double x) { return static_cast<int32_t>(std::bit_cast<uint64_t>(x)); }
int32_t highHalf(double x) { return static_cast<int32_t>(std::bit_cast<uint64_t>(x) >> 32); }

template <class T> T nextAfter(T x, T y) { return std::nextafter(x, y); }

template <class T> T minimum(T x, T y) { return x < y ? x : y; }
template <class T> T maximum(T x, T y) { return x > y ? x : y; }
template <class T> T absolute(T x) {
  return x < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x)) : x;
}

template <class T> int32_t leadingZeros(T x) { return std::countl_zero(x); }
template <class T> int32_t population(T x) { return std::popcount(x); }
/// Position of the lowest one, counted from 1; 0 if there is none.
template <class T> int32_t firstSet(T x) { return x == 0 ? 0 : std::countr_zero(x) + 1; }
template <class T> T reverse(T x) {
  constexpr int bits = 8 * sizeof(T);
  T result = 0;
  for (int i = 0; i < bits; ++i)
    result |= (x >> i & 1) << (bits - 1 - i);
  return result;
}

template <class T> T highProduct(T x, T y) {
  using Product = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>(static_cast<Product>(x) * y >> (8 * sizeof(T)));
}
int32_t multiply24(int32_t x, int32_t y) {
  auto low = [](int32_t value) { return int64_t(int32_t(uint32_t(value) << 8) >> 8); };
  return static_cast<int32_t>(low(x) * low(y));
}
uint32_t multiplyUnsigned24(uint32_t x, uint32_t y) {
  return static_cast<uint32_t>(uint64_t(x & 0xFFFFFF) * (y & 0xFFFFFF));
}

/// |x - y| + z.
template <class T> uint32_t sumOfDifference(T x, T y, uint32_t z) {
  return z + (x > y ? static_cast<uint32_t>(x) - static_cast<uint32_t>(y)
                    : static_cast<uint32_t>(y) - static_cast<uint32_t>(x));
}
template <class T, int Round> T average(T x, T y) {
  return static_cast<T>((static_cast<int64_t>(x) + static_cast<int64_t>(y) + Round) >> 1);
}

/// The lower three bits of each digit of the selector choose a byte of the two operands.
uint32_t bytePermutation(uint32_t x, uint32_t y, uint32_t selectors) {
  const uint64_t bytes = x | uint64_t(y) << 32;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned selector = selectors >> (4 * i) & 7;
    result |= uint32_t(bytes >> (8 * selector) & 0xFF) << (8 * i);
  }
  return result;
}

template <class> struct Signature;
template <class R, class... X> struct Signature<R (*)(X...)> {
  template <R (*Function)(X...), std::size_t... I>
  static ExternFunction entry(const char *name, std::index_sequence<I...>) {
    return {name,
            Bits([](const uint64_t *x) { return bitsOf<R>(Function(as<X>(x[I])...)); }),
            {kindOf<X>()...},
            kindOf<R>()};
  }
  template <R (*Function)(X...)> static ExternFunction entry(const char *name) {
    return entry<Function>(name, std::index_sequence_for<X...>{});
  }
};
template <auto Function> ExternFunction entry(const char *name) {
  return Signature<decltype(Function)>::template entry<Function>(name);
}

using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;

std::vector<ExternFunction> makeTable() {
  return {
#define ROUNDED(name, function) entry<function>(#name),
      TL_ROUNDED_FUNCTIONS(ROUNDED)
#undef ROUNDED
          entry<plain::reciprocal<double>>("rcp64h"),
      entry<nextAfter<float>>("nextafterf"),
      entry<nextAfter<double>>("nextafter"),

      entry<sameBits<i32, float>>("float_as_int"),
      entry<sameBits<u32, float>>("float_as_uint"),
      entry<sameBits<float, i32>>("int_as_float"),
      entry<sameBits<float, u32>>("uint_as_float"),
      entry<sameBits<i64, double>>("double_as_longlong"),
      entry<sameBits<double, i64>>("longlong_as_double"),
      entry<joinHalves>("hiloint2double"),
      entry<lowHalf>("double2loint"),
      entry<highHalf>("double2hiint"),

      entry<absolute<i32>>("abs"),
      entry<absolute<i64>>("llabs"),
      entry<minimum<i32>>("min"),
      entry<maximum<i32>>("max"),
      entry<minimum<u32>>("umin"),
      entry<maximum<u32>>("umax"),
      entry<minimum<i64>>("llmin"),
      entry<maximum<i64>>("llmax"),
      entry<minimum<u64>>("ullmin"),
      entry<maximum<u64>>("ullmax"),
      entry<leadingZeros<u32>>("clz"),
      entry<leadingZeros<u64>>("clzll"),
      entry<population<u32>>("popc"),
      entry<population<u64>>("popcll"),
      entry<firstSet<u32>>("ffs"),
      entry<firstSet<u64>>("ffsll"),
      entry<reverse<u32>>("brev"),
      entry<reverse<u64>>("brevll"),
      entry<highProduct<i32>>("mulhi"),
      entry<highProduct<u32>>("umulhi"),
      entry<highProduct<i64>>("mul64hi"),
      entry<highProduct<u64>>("umul64hi"),
      entry<multiply24>("mul24"),
      entry<multiplyUnsigned24>("umul24"),
      entry<sumOfDifference<i32>>("sad"),
      entry<sumOfDifference<u32>>("usad"),
      entry<average<i32, 0>>("hadd"),
      entry<average<u32, 0>>("uhadd"),
      entry<average<i32, 1>>("rhadd"),
      entry<average<u32, 1>>("urhadd"),
      entry<bytePermutation>("byte_perm"),
  };
}

} // namespace

const std::vector<ExternFunction> &bitFunctions() {
  static const std::vector<ExternFunction> table = makeTable();
  return table;
}

} // namespace tl::backend::interpreter
