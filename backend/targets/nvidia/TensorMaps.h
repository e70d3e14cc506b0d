// SPDX-License-Identifier: MIT
//
// Tensor maps that a launch makes from the arguments of the kernel: 128 bytes by which TMA
// knows a tensor. The driver writes them, in less than 0.1 us each.
#pragma once

#include "targets/nvidia/Driver.h"

namespace tl::backend::nvidia {

/// The maps of one launch, where the driver finds them until it has copied them.
class TensorMaps {
public:
  /// Throws Error for a base or stride that TMA cannot take; `device` is named. Throws
  /// UnfitArguments where what the text loads by pointers cannot be described.
  TensorMaps(const CudaApi &cuda, const NvidiaKernel &code, void *const *arguments,
             const std::string &device);
  /// Appends the address of each.
  void appendTo(std::vector<void *> &arguments) {
    for (unsigned i = 0; i < count; ++i)
      arguments.push_back(&maps[i]);
  }

private:
  struct alignas(64) Map {
    uint64_t words[16];
  };
  Map maps[mostTensorMaps];
  unsigned count = 0;
};

} // namespace tl::backend::nvidia
