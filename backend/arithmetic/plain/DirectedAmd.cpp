// SPDX-License-Identifier: MIT
//
// Arithmetic and conversions that are rounded to zero (rz), downwards (rd) and upwards (ru), for
// GPUs whose instructions all round as the mode says that a wave is in: rounded to nearest, and put
// right by the sign of what that missed. Next: DirectedNvidia.cpp, where they are instructions.
#include "Numbers.h"

namespace {

enum class To { zero, below, above };

inline uint32_t bitsOf(float x) { return __builtin_bit_cast(uint32_t, x); }
inline uint64_t bitsOf(double x) { return __builtin_bit_cast(uint64_t, x); }
inline float fromBits(uint32_t bits) { return __builtin_bit_cast(float, bits); }
inline double fromBits(uint64_t bits) { return __builtin_bit_cast(double, bits); }

/// The next float upwards or downwards.
template <class T> T neighbour(T x, bool upwards) {
  auto bits = bitsOf(x);
  using Bits = decltype(bits);
  const Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
  if ((bits & ~sign) == 0)
    return fromBits(Bits(upwards ? 1 : sign | 1));
  return fromBits(Bits(upwards == !(bits & sign) ? bits + 1 : bits - 1));
}

/// `nearest` is too large by `more` or, if that is negative, too small. NaN: nothing is known.
template <To end, class T> T corrected(T nearest, double more) {
  const bool isNegative = bitsOf(nearest) >> (sizeof(T) * 8 - 1);
  if (more > 0 && (end == To::below || (end == To::zero && !isNegative)))
    return neighbour(nearest, false);
  if (more < 0 && (end == To::above || (end == To::zero && isNegative)))
    return neighbour(nearest, true);
  return nearest;
}

struct Sum {
  double value, rest; // the sum is both, exactly
};
inline Sum exactSum(double x, double y) {
  const double sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// x + y for a sum that is 0: which of the zeros it is depends on the direction.
template <To end, class T> bool isZeroBelow(T sum, double x, double y) {
  return end == To::below && sum == 0 && bitsOf(x) >> 63 != bitsOf(y) >> 63;
}

/// What is value + rest, the rest less than half a unit of the value.
template <To end> float narrowed(double value, double rest) {
  const float nearest = float(value);
  return corrected<end>(nearest, (double(nearest) - value) - rest);
}

template <To end> float add(float x, float y) {
  const Sum sum = exactSum(x, y);
  return isZeroBelow<end>(sum.value, x, y) ? -0.0f : narrowed<end>(sum.value, sum.rest);
}
template <To end> float multiply(float x, float y) {
  return narrowed<end>(double(x) * double(y), 0);
}
template <To end> float divide(float x, float y) {
  const double quotient = double(x) / double(y);
  const double rest = __builtin_fma(-quotient, double(y), double(x)) / double(y);
  return narrowed<end>(quotient, rest == rest ? rest : 0);
}
template <To end> float squareRoot(float x) {
  const double root = __builtin_sqrt(double(x));
  const double rest = __builtin_fma(-root, root, double(x)) / (2 * root);
  return narrowed<end>(root, rest == rest ? rest : 0);
}
template <To end> float multiplyAdd(float x, float y, float z) {
  const double product = double(x) * double(y);
  const Sum sum = exactSum(product, z);
  return isZeroBelow<end>(sum.value, product, z)
             ? -0.0f
             : narrowed<end>(sum.value, sum.rest == sum.rest ? sum.rest : 0);
}

inline bool isFinite(double x) { return __builtin_fabs(x) <= 0x1.fffffffffffffp1023; }

template <To end> double add(double x, double y) {
  const Sum sum = exactSum(x, y);
  if (isZeroBelow<end>(sum.value, x, y))
    return -0.0;
  if (!isFinite(sum.value)) // of finite numbers it is too large
    return isFinite(x) && isFinite(y) ? corrected<end>(sum.value, sum.value) : sum.value;
  return corrected<end>(sum.value, -sum.rest);
}

/// Far from the smallest numbers, so that what is missed is a number, too.
constexpr double small = 0x1p-900, scale = 0x1p300;

/// Of a product that is too small to be seen beside a number: what its absence makes too large.
inline double lost(double x, double y) { return (bitsOf(x) ^ bitsOf(y)) >> 63 ? 1 : -1; }

template <To end> double multiply(double x, double y) {
  const double product = x * y;
  if (!isFinite(product))
    return isFinite(x) && isFinite(y) ? corrected<end>(product, product) : product;
  if (__builtin_fabs(product) >= small)
    return corrected<end>(product, -__builtin_fma(x, y, -product));
  if (product == 0)
    return x == 0 || y == 0 ? product : corrected<end>(product, lost(x, y));
  const double scaled = (x * scale) * (y * scale),
               rest = __builtin_fma(x * scale, y * scale, -scaled);
  return corrected<end>(product, (product * scale * scale - scaled) - rest);
}

template <To end> double divide(double x, double y) {
  const double quotient = x / y;
  double rest;
  if (__builtin_fabs(quotient) < small)
    rest = __builtin_fma(-(quotient * scale), y, x * scale);
  else if (__builtin_fabs(x) < small)
    rest = __builtin_fma(-quotient, y * scale, x * scale);
  else if (__builtin_fabs(y) > 1 / small)
    rest = __builtin_fma(-quotient, y / scale, x / scale);
  else
    rest = __builtin_fma(-quotient, y, x);
  return corrected<end>(quotient, bitsOf(y) >> 63 ? rest : -rest);
}

template <To end> double squareRoot(double x) {
  const double root = __builtin_sqrt(x);
  return x < small ? corrected<end>(
                         root, -__builtin_fma(-(root * scale), root * scale, x * scale * scale))
                   : corrected<end>(root, -__builtin_fma(-root, root, x));
}

template <To end> double multiplyAdd(double x, double y, double z) {
  const double nearest = __builtin_fma(x, y, z);
  if (x == 0 || y == 0)
    return isZeroBelow<end>(nearest, x * y, z) ? -0.0 : nearest;
  if (!isFinite(nearest))
    return isFinite(x) && isFinite(y) && isFinite(z) ? corrected<end>(nearest, nearest) : nearest;
  if (z == 0)
    return multiply<end>(x, y);
  double result = nearest;
  const double large = 1 / small, part = __builtin_fabs(x * y), size = __builtin_fabs(z);
  if (size >= 0x1p400 && part < 1)
    return corrected<end>(nearest, lost(x, y));
  if (part < small) {
    const double scaled = __builtin_fabs((x * scale) * (y * scale));
    if (scaled < 0x1p-900 || (scaled < 0x1p-400 && size >= small))
      return corrected<end>(nearest, lost(x, y));
    x *= scale;
    y *= scale;
    z = z * scale * scale;
    result = result * scale * scale;
  } else if (part > large || size > large) {
    (__builtin_fabs(x) > __builtin_fabs(y) ? x : y) /= scale;
    z = size < 1 ? __builtin_copysign(1 / scale, z) : z / scale; // beside it only the sign counts
    result /= scale;
  }
  const double product = x * y, rest = __builtin_fma(x, y, -product);
  const Sum sum = exactSum(product, z);
  if (nearest == 0 && sum.value == 0 && rest == 0)
    return isZeroBelow<end>(nearest, product, z) ? -0.0 : nearest;
  const Sum missed = exactSum(result - sum.value, -sum.rest);
  const Sum all = exactSum(missed.value, -rest);
  return corrected<end>(nearest, all.value != 0 ? all.value : all.rest + missed.rest);
}

template <class Integer> Sum sumOf(Integer x) {
  return exactSum(double(x >> 32) * 0x1p32, double(uint32_t(x)));
}

} // namespace

#define DIRECTED(end, to)                                                                          \
  float tl_fadd_##end(float x, float y) { return add<to>(x, y); }                                  \
  double tl_dadd_##end(double x, double y) { return add<to>(x, y); }                               \
  float tl_fsub_##end(float x, float y) { return add<to>(x, -y); }                                 \
  double tl_dsub_##end(double x, double y) { return add<to>(x, -y); }                              \
  float tl_fmul_##end(float x, float y) { return multiply<to>(x, y); }                             \
  double tl_dmul_##end(double x, double y) { return multiply<to>(x, y); }                          \
  float tl_fdiv_##end(float x, float y) { return divide<to>(x, y); }                               \
  double tl_ddiv_##end(double x, double y) { return divide<to>(x, y); }                            \
  float tl_frcp_##end(float x) { return divide<to>(1.0f, x); }                                     \
  double tl_drcp_##end(double x) { return divide<to>(1.0, x); }                                    \
  float tl_fsqrt_##end(float x) { return squareRoot<to>(x); }                                      \
  double tl_dsqrt_##end(double x) { return squareRoot<to>(x); }                                    \
  float tl_fmaf_##end(float x, float y, float z) { return multiplyAdd<to>(x, y, z); }              \
  double tl_fma_##end(double x, double y, double z) { return multiplyAdd<to>(x, y, z); }           \
  float tl_double2float_##end(double x) { return narrowed<to>(x, 0); }                             \
  float tl_int2float_##end(int32_t x) { return narrowed<to>(x, 0); }                               \
  float tl_uint2float_##end(uint32_t x) { return narrowed<to>(x, 0); }                             \
  float tl_ll2float_##end(int64_t x) {                                                             \
    const Sum sum = sumOf(x);                                                                      \
    return narrowed<to>(sum.value, sum.rest);                                                      \
  }                                                                                                \
  float tl_ull2float_##end(uint64_t x) {                                                           \
    const Sum sum = sumOf(x);                                                                      \
    return narrowed<to>(sum.value, sum.rest);                                                      \
  }                                                                                                \
  double tl_ll2double_##end(int64_t x) {                                                           \
    const Sum sum = sumOf(x);                                                                      \
    return corrected<to>(sum.value, -sum.rest);                                                    \
  }                                                                                                \
  double tl_ull2double_##end(uint64_t x) {                                                         \
    const Sum sum = sumOf(x);                                                                      \
    return corrected<to>(sum.value, -sum.rest);                                                    \
  }

extern "C" {

DIRECTED(rz, To::zero)
DIRECTED(rd, To::below)
DIRECTED(ru, To::above)

/// The reciprocal of the upper half of a double, as near as that half says.
double tl_rcp64h(double x) {
  return fromBits(bitsOf(1 / fromBits(bitsOf(x) >> 32 << 32)) >> 32 << 32);
}
}
