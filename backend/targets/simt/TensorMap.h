// SPDX-License-Identifier: MIT
//
// The emulator's own form of a tensor map, in the 128 bytes that NVIDIA's has: what a launch makes
// from the kernel's arguments, or a kernel field by field, and copies of boxes read.
#pragma once

#include "analysis/TensorMapRecipe.h"

#include <cstdint>

namespace tl::backend::simt {

/// Axes from the last to the first.
struct TensorMap {
  uint64_t base = 0;
  uint64_t strides[4] = {}; // in bytes, without the last axis
  uint32_t extents[5] = {};
  uint16_t box[5] = {};
  uint8_t rank = 0;    // less one, as instructions count
  uint8_t element = 0; // as in TensorElement
  uint8_t swizzle = 0; // as in CUtensorMapSwizzle
  uint8_t fillsWithNan = 0;
  uint8_t unused[128 - 8 - 32 - 20 - 10 - 4 - 6] = {};
};
static_assert(sizeof(TensorMap) <= 128);

constexpr unsigned bytesOf(TensorElement element) {
  switch (element) {
  case TensorElement::u8:
    return 1;
  case TensorElement::u16:
  case TensorElement::f16:
  case TensorElement::bf16:
    return 2;
  case TensorElement::u32:
  case TensorElement::s32:
  case TensorElement::f32:
    return 4;
  case TensorElement::u64:
  case TensorElement::s64:
  case TensorElement::f64:
    return 8;
  }
  return 1;
}

} // namespace tl::backend::simt
