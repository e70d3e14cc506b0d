// SPDX-License-Identifier: MIT
//
// A block of pointers as one uniform address, the same for all threads, and an offset of each
// pointer that is known to be small, whatever the kernel is given:
//
//     x + row * stride + range(0, 1024)     base x + row * stride, offsets below 1024 elements
//     x + (pid * 1024 + range(0, 1024))     base x + pid * 1024, a multiple of 1024: adding less
//                                           than that never wraps around
//
// Nothing is assumed: what wraps around in its type must do so before it is added to an address. So
// pid * 1000 + range(0, 1000) has no base, nor have rows at a distance that is known to the launch
// alone.
#pragma once

#include "lowering/KernelLowering.h"

#include <optional>

namespace tl::backend {

struct UniformBase {
  llvm::Value *pointer = nullptr;
  uint64_t extent = 0; // bytes after it, within which all elements end
};

/// Of a tensor of pointers. The code for the base is written where the builder stands.
std::optional<UniformBase> uniformBaseOf(KernelLowering &kernel, mlir::Value pointers);

} // namespace tl::backend
