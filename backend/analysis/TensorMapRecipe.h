// SPDX-License-Identifier: MIT
//
// How a launch describes a tensor to hardware that copies boxes of it: from what is known then, the
// kernel's arguments and constants. No LLVM header is needed. Next: LaunchNumbers.h, which finds
// out, and targets/nvidia/TensorMaps.h, which does it.
#pragma once

#include <cstdint>
#include <vector>

namespace tl::backend {

/// A number that is known when a kernel is launched: that of an integer parameter, which has a
/// sign, or a constant.
struct LaunchNumber {
  int parameter = -1;   // -1: the constant
  int64_t constant = 0; // where there is no parameter
};

/// Elements as the hardware that copies boxes knows them: the numbers are those of
/// CUtensorMapDataType.
enum class TensorElement {
  u8 = 0,
  u16 = 1,
  u32 = 2,
  s32 = 3,
  u64 = 4,
  s64 = 5,
  f16 = 6,
  f32 = 7,
  f64 = 8,
  bf16 = 9
};

/// A tensor in global memory whose boxes hardware copies, described by what is known at the launch:
/// the launch makes the map, and the kernel receives it as 128 bytes. Axes from the last to the
/// first. An extent below 1 is taken for 1.
struct TensorMapRecipe {
  unsigned base = 0; // a parameter
  std::vector<LaunchNumber> extents;
  std::vector<LaunchNumber> strides; // in elements, without the last axis
  std::vector<uint32_t> box;
  TensorElement element = TensorElement::u8;
  unsigned elementBytes = 1;
  bool padWithNan = false;
  unsigned swizzleBytes = 0; // of the hardware's swizzle of boxes in shared memory: 32, 64, 128
};

/// The number of a CUtensorMapSwizzle, which PTX counts in the same way.
constexpr unsigned swizzleNumber(unsigned bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

/// Of a kernel: the largest number that fits beside the user's parameters.
inline constexpr unsigned mostTensorMaps = 16;

} // namespace tl::backend
