// SPDX-License-Identifier: MIT
//
// What a launch hands to a kernel beside the user's arguments. The lowering says which of these
// parameters a kernel has, a device makes their values for each launch. They follow the user's in
// the order of the members of HiddenParameters. Next: targets/nvidia/Launch.cpp.
#pragma once

#include "lowering/FailureRecord.h"

#include <cstdint>
#include <vector>

namespace tl::backend {

/// A number that is known when a kernel is launched: that of an integer parameter, which has a
/// sign, or a constant.
struct LaunchNumber {
  int parameter = -1;   // -1: the constant
  int64_t constant = 0; // where there is no parameter
};

/// Elements as the hardware that copies boxes knows them.
enum class TensorElement { u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16 };

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
};

struct HiddenParameters {
  bool gridBarrier = false;      // to the counter of the grid's barrier
  std::vector<AssertSite> sites; // not empty: to the record of failed assertions
  /// Global memory that each program works in; not 0: to that of the first program, the rest follow
  /// in the order of their numbers.
  uint64_t globalBytes = 0;
  std::vector<TensorMapRecipe> tensorMaps; // each by value, at most mostTensorMaps

  /// So many fit beside the user's parameters, of which kernels take 4 KiB at least.
  static constexpr unsigned mostTensorMaps = 16;
};

} // namespace tl::backend
