// SPDX-License-Identifier: MIT
//
// Arithmetic and conversions of CUDA's device library that are rounded as the end of their symbol
// says, as plain C++: each rounds as the machine does at the time. The interpreter sets that for
// many elements, code for the CPU calls Directed<…>, which sets it for one.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// A row for each function: ROUNDED(symbol without its direction, function).
#define TL_ROUNDED_FUNCTIONS(ROUNDED)                                                              \
  ROUNDED(fadd, plain::add<float>)                                                                 \
  ROUNDED(fsub, plain::subtract<float>)                                                            \
  ROUNDED(fmul, plain::multiply<float>)                                                            \
  ROUNDED(fdiv, plain::divide<float>)                                                              \
  ROUNDED(frcp, plain::reciprocal<float>)                                                          \
  ROUNDED(fsqrt, plain::squareRoot<float>)                                                         \
  ROUNDED(frsqrt, plain::reciprocalRoot)                                                           \
  ROUNDED(fmaf, plain::multiplyAdd<float>)                                                         \
  ROUNDED(dadd, plain::add<double>)                                                                \
  ROUNDED(dsub, plain::subtract<double>)                                                           \
  ROUNDED(dmul, plain::multiply<double>)                                                           \
  ROUNDED(ddiv, plain::divide<double>)                                                             \
  ROUNDED(drcp, plain::reciprocal<double>)                                                         \
  ROUNDED(dsqrt, plain::squareRoot<double>)                                                        \
  ROUNDED(fma, plain::multiplyAdd<double>)                                                         \
  ROUNDED(float2int, (plain::toInteger<float, int32_t>))                                           \
  ROUNDED(float2uint, (plain::toInteger<float, uint32_t>))                                         \
  ROUNDED(float2ll, (plain::toInteger<float, int64_t>))                                            \
  ROUNDED(float2ull, (plain::toInteger<float, uint64_t>))                                          \
  ROUNDED(double2int, (plain::toInteger<double, int32_t>))                                         \
  ROUNDED(double2uint, (plain::toInteger<double, uint32_t>))                                       \
  ROUNDED(double2ll, (plain::toInteger<double, int64_t>))                                          \
  ROUNDED(double2ull, (plain::toInteger<double, uint64_t>))                                        \
  ROUNDED(int2float, (plain::convert<int32_t, float>))                                             \
  ROUNDED(uint2float, (plain::convert<uint32_t, float>))                                           \
  ROUNDED(ll2float, (plain::convert<int64_t, float>))                                              \
  ROUNDED(ull2float, (plain::convert<uint64_t, float>))                                            \
  ROUNDED(int2double, (plain::convert<int32_t, double>))                                           \
  ROUNDED(uint2double, (plain::convert<uint32_t, double>))                                         \
  ROUNDED(ll2double, (plain::convert<int64_t, double>))                                            \
  ROUNDED(ull2double, (plain::convert<uint64_t, double>))                                          \
  ROUNDED(double2float, (plain::convert<double, float>))

namespace tl::backend::plain {

/// While it lives, the machine rounds in the direction, one of <cfenv>.
class Rounding {
public:
  explicit Rounding(int direction) : before(std::fegetround()) { std::fesetround(direction); }
  Rounding(const Rounding &) = delete;
  ~Rounding() { std::fesetround(before); }

private:
  int before;
};

/// A value that the compiler must compute where it stands, under the rounding of the moment.
template <class T> T now(T value) {
  volatile T held = value;
  return held;
}

template <class T> T add(T x, T y) { return now(now(x) + now(y)); }
template <class T> T subtract(T x, T y) { return now(now(x) - now(y)); }
template <class T> T multiply(T x, T y) { return now(now(x) * now(y)); }
template <class T> T divide(T x, T y) { return now(now(x) / now(y)); }
template <class T> T reciprocal(T x) { return divide(T(1), x); }
template <class T> T squareRoot(T x) { return now(std::sqrt(now(x))); }
template <class T> T multiplyAdd(T x, T y, T z) { return now(std::fma(now(x), now(y), now(z))); }
inline float reciprocalRoot(float x) { return now(float(1 / now(std::sqrt(now(double(x)))))); }

/// Rounded to a whole number, saturating; NaN gives 0.
template <class From, class To> To toInteger(From x) {
  if (x != x)
    return 0;
  const From whole = now(std::nearbyint(now(x)));
  if (whole >= std::ldexp(From(1), std::numeric_limits<To>::digits))
    return std::numeric_limits<To>::max();
  if (whole <= static_cast<From>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(whole);
}

template <class From, class To> To convert(From x) {
  // Machine code for 64 unsigned bits gives -0 where it rounds downwards.
  if (std::is_integral_v<From> && x == 0)
    return 0;
  return now(static_cast<To>(now(x)));
}

template <auto Function, int Direction> struct Directed;
/// The function, rounded in one direction.
template <class R, class... X, R (*Function)(X...), int Direction>
struct Directed<Function, Direction> {
  static R call(X... x) {
    const Rounding rounding(Direction);
    return Function(x...);
  }
};

} // namespace tl::backend::plain
