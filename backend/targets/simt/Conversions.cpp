// SPDX-License-Identifier: MIT
//
// Conversions of numbers and approximations of functions. What the vendor's manual gives a bound
// for is computed more exactly than it asks; what it defines (which denormals become zeros, what is
// saturated) is kept.
#include "targets/simt/Functions.h"

#include "arithmetic/plain/Rounded.h"
#include "tl/dtype.hpp"

#include <bit>
#include <cfenv>
#include <cmath>

namespace tl::backend::simt {

namespace {

/// Denormals become zeros of their sign.
float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

float exp2Flushed(float x) { return flush(float(std::exp2(double(flush(x))))); }
float log2Flushed(float x) { return float(std::log2(double(flush(x)))); }
float reciprocalFlushed(float x) { return flush(float(1.0 / double(flush(x)))); }
float reciprocalRootFlushed(float x) { return float(1.0 / std::sqrt(double(flush(x)))); }
float rootFlushed(float x) { return std::sqrt(flush(x)); }
float sinApproximate(float x) { return float(std::sin(double(x))); }
float cosApproximate(float x) { return float(std::cos(double(x))); }
float tanhApproximate(float x) { return float(std::tanh(double(x))); }

/// Toward zero.
float multiplyDown(float a, float b) {
  const double exact = double(a) * double(b);
  float rounded = float(exact);
  if (std::isfinite(exact) && std::fabs(double(rounded)) > std::fabs(exact))
    rounded = std::nextafter(rounded, 0.0f);
  return rounded;
}

int32_t toIntegerNearest(float x) {
  if (std::isnan(x))
    return 0;
  const double rounded = std::nearbyint(double(x));
  return rounded >= 0x1p31 ? INT32_MAX : rounded <= -0x1p31 ? INT32_MIN : int32_t(rounded);
}

/// The bytes of b:a that the four low digits of the selector name; a digit's high bit: their sign.
uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t both = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned digit = selector >> (4 * i) & 15;
    auto byte = uint32_t(both >> (8 * (digit & 7)) & 255);
    if (digit & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

template <class Small> uint32_t pairOf(float high, float low) {
  constexpr unsigned bits = sizeof(typename Small::storage) * 8;
  return uint32_t(Small(high).bits) << bits | Small(low).bits;
}

template <class Small> uint32_t halvesOf(uint32_t pair) {
  auto half = [&](unsigned i) {
    return uint32_t(float16(float(Small::from_bits(uint8_t(pair >> 8 * i)))).bits) << 16 * i;
  };
  return half(0) | half(1);
}

// ---- AMD's floats of 8 bits

/// What is too large becomes infinity, or NaN where there is none.
template <class Small> uint32_t narrowUnbounded(double x) {
  constexpr impl::float_format format = Small::format;
  const auto largest = double(float(Small::from_bits(uint8_t(format.largest)))),
             before = double(float(Small::from_bits(uint8_t(format.largest - 1))));
  const double tie = largest + (largest - before) / 2, size = std::fabs(x);
  if (size < tie || (size == tie && format.largest % 2 == 0) || std::isnan(x))
    return Small(x).bits;
  const unsigned sign = std::signbit(x) && format.negative_zero ? format.sign_mask() : 0;
  return sign | (format.infinity ? format.infinity : format.nan);
}

uint32_t narrowFp8(uint32_t element, double x) {
  switch (Element(element)) {
  case Element::e4m3:
    return narrowUnbounded<float8e4nv>(x);
  case Element::e5m2:
    return narrowUnbounded<float8e5>(x);
  case Element::e4m3b8:
    return narrowUnbounded<float8e4b8>(x);
  default:
    return narrowUnbounded<float8e5b16>(x);
  }
}

float widenFp8(uint32_t element, uint32_t bits) {
  switch (Element(element)) {
  case Element::e4m3:
    return float8e4nv::from_bits(uint8_t(bits));
  case Element::e5m2:
    return float8e5::from_bits(uint8_t(bits));
  case Element::e4m3b8:
    return float8e4b8::from_bits(uint8_t(bits));
  default:
    return float8e5b16::from_bits(uint8_t(bits));
  }
}

// ---- Rounded in a direction

enum class Rounded : uint32_t { add, multiply, divide, fuse, root, reciprocal };

template <class Float>
Float computeRounded(uint32_t what, uint32_t direction, Float x, Float y, Float z) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(modes[direction]);
  volatile Float a = x, b = y, c = z, result = 0;
  switch (Rounded(what)) {
  case Rounded::add:
    result = a + b;
    break;
  case Rounded::multiply:
    result = a * b;
    break;
  case Rounded::divide:
    result = a / b;
    break;
  case Rounded::fuse:
    result = std::fma(a, b, c);
    break;
  case Rounded::root:
    result = std::sqrt(a);
    break;
  case Rounded::reciprocal:
    result = Float(1) / a;
    break;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

/// A conversion that the host makes in the direction that it is set to.
template <class To, class From> To convertRounded(uint32_t direction, From x) {
  if (x == From(0)) // which hosts may give a sign
    return To(x);
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(modes[direction]);
  volatile From from = x;
  volatile To result = To(from);
  std::fesetround(FE_TONEAREST);
  return result;
}

/// The upper 32 bits of a reciprocal.
double reciprocalOfUpper(double x) { return plain::reciprocal<double>(x); }

/// With one rounding, also for sums that double does not hold: then to odd, which no later rounding
/// takes for a tie.
double fusedForRounding(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  const double kept = sum - product, lost = (product - (sum - kept)) + (c - kept);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (lost == 0 || (bits & 1))
    return sum;
  const bool grows = (lost > 0) == (sum > 0);
  return std::bit_cast<double>(grows ? bits + 1 : bits - 1);
}

template <class Small> uint16_t fuse(uint16_t a, uint16_t b, uint16_t c) {
  return Small(fusedForRounding(float(Small::from_bits(a)), float(Small::from_bits(b)),
                                float(Small::from_bits(c))))
      .bits;
}

// ---- What the host's code generator calls for types of 16 bits: these travel in the low half of a
// vector register, as a float does in the whole.

float inRegister(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits)); }
uint16_t ofRegister(float value) { return uint16_t(std::bit_cast<uint32_t>(value)); }

template <class Small, class Float> float narrow(Float x) { return inRegister(Small(x).bits); }
template <class Small> float widen(float x) { return float(Small::from_bits(ofRegister(x))); }

} // namespace

void addConversions(SymbolList &list) {
  auto add = [&](const char *name, auto *function) {
    list.emplace_back(name, reinterpret_cast<void *>(function));
  };
  add("tl_simt_exp2", &exp2Flushed);
  add("tl_simt_log2", &log2Flushed);
  add("tl_simt_reciprocal", &reciprocalFlushed);
  add("tl_simt_reciprocal_root", &reciprocalRootFlushed);
  add("tl_simt_root", &rootFlushed);
  add("tl_simt_sin", &sinApproximate);
  add("tl_simt_cos", &cosApproximate);
  add("tl_simt_tanh", &tanhApproximate);
  add("tl_simt_multiply_down", &multiplyDown);
  add("tl_simt_to_integer", &toIntegerNearest);
  add("tl_simt_permute", &permuteBytes);
  add("tl_simt_pair_bf16", &pairOf<bfloat16>);
  add("tl_simt_pair_e4m3", &pairOf<float8e4nv>);
  add("tl_simt_pair_e5m2", &pairOf<float8e5>);
  add("tl_simt_halves_of_e4m3", &halvesOf<float8e4nv>);
  add("tl_simt_halves_of_e5m2", &halvesOf<float8e5>);
  add("tl_simt_narrow_fp8", &narrowFp8);
  add("tl_simt_widen_fp8", &widenFp8);
  add("tl_simt_rounded_f", &computeRounded<float>);
  add("tl_simt_rounded_d", &computeRounded<double>);
  add("tl_simt_narrowed", &convertRounded<float, double>);
  add("tl_simt_of_signed_f", &convertRounded<float, int64_t>);
  add("tl_simt_of_signed_d", &convertRounded<double, int64_t>);
  add("tl_simt_of_unsigned_f", &convertRounded<float, uint64_t>);
  add("tl_simt_of_unsigned_d", &convertRounded<double, uint64_t>);
  add("tl_simt_reciprocal_upper", &reciprocalOfUpper);
  add("tl_simt_fma_f16", &fuse<float16>);
  add("tl_simt_fma_bf16", &fuse<bfloat16>);
  add("__truncsfhf2", &narrow<float16, float>);
  add("__truncdfhf2", &narrow<float16, double>);
  add("__truncsfbf2", &narrow<bfloat16, float>);
  add("__truncdfbf2", &narrow<bfloat16, double>);
  add("__extendhfsf2", &widen<float16>);
  add("__gnu_f2h_ieee", +[](float x) -> uint16_t { return float16(x).bits; });
  add("__gnu_h2f_ieee", +[](uint16_t x) -> float { return float16::from_bits(x); });
}

} // namespace tl::backend::simt
