// SPDX-License-Identifier: MIT
//
// The code generation targets of NVIDIA, and what differs between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tl::backend::nvidia {

/// A code generation target by name, "sm_90a".
struct Architecture {
  std::string name;
  unsigned number = 80; // 80, 90, 100
  /// The target for "sm_N" or "sm_Na"; nothing for other names and for GPUs before 8.0.
  static std::optional<Architecture> parse(std::string_view name);
  /// The version of PTX that has all of its instructions, as LLVM names it: "ptx80".
  std::string ptxFeature() const;
  /// Bytes of shared memory that a program may have.
  uint64_t maxSharedBytes() const;
  /// Bytes of parameters that a kernel may have, by the version of PTX.
  uint64_t maxParameterBytes() const;

  /// Whether there is wgmma, which later architectures do not have.
  bool hasWarpGroupProducts() const { return name == "sm_90a"; }
  /// Whether there are mbarriers and TMA.
  bool hasTensorCopies() const { return number >= 90; }
  /// Whether kernels can make tensor maps: instructions of one architecture or family alone.
  bool hasTensorMaps() const {
    return hasTensorCopies() && (name.back() == 'a' || name.back() == 'f');
  }
};

} // namespace tl::backend::nvidia
