// SPDX-License-Identifier: MIT
//
// Which instructions the arithmetic may count on. A CPU fills it from the processor
// (targets/cpu/HostFeatures.h); GPUs have the same. No LLVM header is
// needed here.
#pragma once

namespace tl::backend {

struct ArithmeticFeatures {
  unsigned vectorBytes = 16;   ///< the widest vector worth using
  bool rounding = false;       ///< floor, ceil, trunc and roundeven are single instructions
  bool fma = false;            ///< a fused multiply-add is one instruction (always on aarch64)
  bool halfConversion = false; ///< f16 <-> f32 in one instruction
  bool avx512 = false;         ///< F, BW, DQ, VL and CD: 64-byte vectors, masks, scalef

  /// Elements of a vector register.
  unsigned lanes(unsigned elementBytes) const { return vectorBytes / elementBytes; }
};

/// Of every GPU: nothing else that the arithmetic would use.
inline constexpr ArithmeticFeatures gpuFeatures{.rounding = true, .fma = true};

} // namespace tl::backend
