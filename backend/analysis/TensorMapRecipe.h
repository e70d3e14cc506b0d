// SPDX-License-Identifier: MIT
//
// How a launch describes a tensor to hardware that copies boxes of it: from what is known then, the
// kernel's arguments and constants. No LLVM header is needed. Next: LaunchNumbers.h, which finds
// out, and targets/nvidia/TensorMaps.h, which does it.
#pragma once

#include <cstdint>
#include <vector>

namespace tl::backend {

/// A number that is known when a kernel is launched: the product of a constant and integer
/// parameters, as the kernel would compute it in `bits` bits.
struct LaunchNumber {
  static constexpr unsigned mostFactors = 4;

  int64_t constant = 1;
  unsigned factors = 0; // how many parameters there are
  unsigned parameters[mostFactors] = {};
  unsigned bits = 64;      // the product wraps around as in this many; 8 to 64
  bool isUnsigned = false; // narrower parameters, and the product, are extended by zeros

  static LaunchNumber ofConstant(int64_t value) { return {value, 0, {}, 64, false}; }
  static LaunchNumber ofParameter(unsigned index, unsigned bits) {
    return {1, 1, {index}, bits, false};
  }
  bool isConstant() const { return factors == 0; }
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
///
/// That of blocks which the kernel's text loads by pointers holds for most arguments, not for all
/// that such a kernel takes: see fitsArguments in targets/gpu/LaunchValues.h.
struct TensorMapRecipe {
  unsigned base = 0; // a parameter
  std::vector<LaunchNumber> extents;
  std::vector<LaunchNumber> strides; // in elements, without the last axis
  std::vector<uint32_t> box;
  TensorElement element = TensorElement::u8;
  unsigned elementBytes = 1;
  bool padWithNan = false;
  bool isOfPointers = false;    // the blocks of which a loop loads; then the base may be null
  std::vector<unsigned> counts; // if so, parameters that are taken for 0 to mostCount
  unsigned swizzleBytes = 0;    // of the hardware's swizzle of boxes in shared memory: 32, 64, 128
};

/// The number of a CUtensorMapSwizzle, which PTX counts in the same way.
constexpr unsigned swizzleNumber(unsigned bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

/// More than what things are counted by: programs, rows, elements of a row.
inline constexpr int64_t mostCount = int64_t(1) << 30;

/// Of a kernel: the largest number that fits beside the user's parameters.
inline constexpr unsigned mostTensorMaps = 16;

} // namespace tl::backend
