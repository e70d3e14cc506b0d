// SPDX-License-Identifier: MIT
#include "targets/simt/Elements.h"

#include "tl/dtype.hpp"

#include <bit>
#include <cstring>
#include <vector>

// Vectors of 32 bytes where the processor has them; and no fused operations, which round otherwise.
#if defined(__x86_64__) && defined(__linux__)
#define WIDE_WHERE_POSSIBLE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_WHERE_POSSIBLE
#endif

namespace tl::backend::simt {

namespace {

/// All values of a type of at most 16 bits, by their bits.
template <class T> const float *valuesOf() {
  static const std::vector<float> &table = []() -> const std::vector<float> & {
    auto &made = *new std::vector<float>(size_t(1) << (8 * sizeof(T)));
    for (size_t i = 0; i < made.size(); ++i)
      made[i] = float(T::from_bits(static_cast<decltype(T::bits)>(i)));
    return made;
  }();
  return table.data();
}

template <class Bits, class Factor, class Value>
void widenWords(Factor *to, unsigned step, const unsigned char *from, unsigned count,
                Value &&value) {
  for (unsigned i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + i * sizeof(Bits), sizeof(Bits));
    to[i * step] = value(bits);
  }
}

} // namespace

void widen(float *to, unsigned step, const unsigned char *from, unsigned count, Element element) {
  auto byTable = [&]<class Bits>(Bits, const float *table) {
    widenWords<Bits>(to, step, from, count, [&](Bits bits) { return table[bits]; });
  };
  auto byWord = [&](uint32_t mask) {
    widenWords<uint32_t>(to, step, from, count,
                         [&](uint32_t bits) { return std::bit_cast<float>(bits & mask); });
  };
  switch (element) {
  case Element::f16:
    return byTable(uint16_t(), valuesOf<float16>());
  case Element::bf16:
    return widenWords<uint16_t>(to, step, from, count, [](uint16_t bits) {
      return std::bit_cast<float>(uint32_t(bits) << 16);
    });
  case Element::tf32: // the bits that it has
    return byWord(0xffffe000u);
  case Element::e4m3:
    return byTable(uint8_t(), valuesOf<float8e4nv>());
  case Element::e5m2:
    return byTable(uint8_t(), valuesOf<float8e5>());
  case Element::e4m3b8:
    return byTable(uint8_t(), valuesOf<float8e4b8>());
  case Element::e5m2b16:
    return byTable(uint8_t(), valuesOf<float8e5b16>());
  case Element::s8:
    return widenWords<int8_t>(to, step, from, count, [](int8_t bits) { return float(bits); });
  case Element::e2m1: { // the lower half of a byte first
    constexpr float magnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    for (unsigned i = 0; i < count; ++i) {
      const unsigned bits = from[i / 2] >> 4 * (i % 2) & 15;
      to[i * step] = bits & 8 ? -magnitudes[bits & 7] : magnitudes[bits & 7];
    }
    return;
  }
  case Element::f32:
  case Element::f64:
    return byWord(~0u);
  }
}

void widen(double *to, unsigned step, const unsigned char *from, unsigned count, Element) {
  widenWords<double>(to, step, from, count, [](double value) { return value; });
}

void widen(int32_t *to, unsigned step, const unsigned char *from, unsigned count, Element) {
  widenWords<int8_t>(to, step, from, count, [](int8_t value) { return int32_t(value); });
}

WIDE_WHERE_POSSIBLE
void multiply(float *c, const float *a, const float *b, unsigned m, unsigned n, unsigned k) {
#pragma STDC FP_CONTRACT OFF
  for (unsigned row = 0; row < m; ++row)
    for (unsigned at = 0; at < k; ++at) {
      const float factor = a[row * k + at], *other = b + at * n;
      float *sums = c + row * n;
      for (unsigned column = 0; column < n; ++column)
        sums[column] += factor * other[column];
    }
}

void multiply(double *c, const double *a, const double *b, unsigned m, unsigned n, unsigned k) {
  for (unsigned row = 0; row < m; ++row)
    for (unsigned at = 0; at < k; ++at)
      for (unsigned column = 0; column < n; ++column)
        c[row * n + column] =
            __builtin_fma(a[row * k + at], b[at * n + column], c[row * n + column]);
}

WIDE_WHERE_POSSIBLE
void multiply(int32_t *c, const int32_t *a, const int32_t *b, unsigned m, unsigned n, unsigned k) {
  for (unsigned row = 0; row < m; ++row)
    for (unsigned at = 0; at < k; ++at) {
      const int32_t factor = a[row * k + at], *other = b + at * n;
      int32_t *sums = c + row * n;
      for (unsigned column = 0; column < n; ++column)
        sums[column] += factor * other[column];
    }
}

} // namespace tl::backend::simt
