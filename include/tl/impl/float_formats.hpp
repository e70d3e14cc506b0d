// SPDX-License-Identifier: MIT
#pragma once
// The binary floating-point formats of up to 32 bits, as numbers. Next: float_format.hpp, which
// rounds into them.

#include "tl/impl/compiler.hpp"

namespace tl::impl {

/// A sign bit, then the exponent, then the mantissa. Encodings are given without the sign bit.
struct float_format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  unsigned largest;   ///< the largest finite value that conversion makes
  unsigned infinity;  ///< 0: the format has none
  unsigned nan;       ///< 0: the format has none; otherwise the NaN that conversion makes
  bool negative_zero; ///< if not, the encoding 10…0 is the NaN
  bool saturates;     ///< overflow gives `largest` instead of infinity

  constexpr int total_bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr unsigned sign_mask() const { return 1u << (exponent_bits + mantissa_bits); }
  constexpr unsigned magnitude_mask() const { return sign_mask() - 1; }
};

inline constexpr float_format f32_format{8,           23,         127,  0x7F7FFFFF,
                                         0x7F800000u, 0x7FC00000, true, false};
inline constexpr float_format f16_format{5, 10, 15, 0x7BFF, 0x7C00, 0x7E00, true, false};
inline constexpr float_format bf16_format{8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0, true, false};
inline constexpr float_format f8e4nv_format{4, 3, 7, 0x7E, 0, 0x7F, true, true};
inline constexpr float_format f8e5_format{5, 2, 15, 0x7B, 0x7C, 0x7F, true, true};
inline constexpr float_format f8e4b8_format{4, 3, 8, 0x7F, 0, 0x80, false, true};
inline constexpr float_format f8e5b16_format{5, 2, 16, 0x7F, 0, 0x80, false, true};
inline constexpr float_format f8e4b15_format{4, 3, 15, 0x7E, 0, 0, true, true};

} // namespace tl::impl
