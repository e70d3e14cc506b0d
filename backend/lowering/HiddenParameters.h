// SPDX-License-Identifier: MIT
//
// What a launch hands to a kernel beside the user's arguments. The lowering says which of these
// parameters a kernel has, a device makes their values for each launch. They follow the user's in
// the order of the members of HiddenParameters. Next: targets/nvidia/Launch.cpp.
#pragma once

#include "analysis/TensorMapRecipe.h"
#include "lowering/FailureRecord.h"

#include <cstdint>
#include <vector>

namespace tl::backend {

struct HiddenParameters {
  bool gridBarrier = false;      // to the counter of the grid's barrier
  std::vector<AssertSite> sites; // not empty: to the record of failed assertions
  /// Global memory that each program works in; not 0: to that of the first program, the rest follow
  /// in the order of their numbers.
  uint64_t globalBytes = 0;
  std::vector<TensorMapRecipe> tensorMaps; // each by value, at most mostTensorMaps
};

} // namespace tl::backend
