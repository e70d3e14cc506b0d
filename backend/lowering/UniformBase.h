// SPDX-License-Identifier: MIT
//
// A block of pointers as one uniform address, the same for all threads, and an offset of each
// pointer that is known to be small, whatever the kernel is given:
//
//     x + row * stride + range(0, 1024)     base x + row * stride, offsets below 1024 elements
//     x + (pid * 1024 + range(0, 1024))     base x + pid * 1024, a multiple of 1024: adding less
//                                           than that never wraps around
//     x + range(0, 64) * stride             base x, if the kernel promises by llvm.intr.assume that
//                                           the stride is not negative and less than a constant
//     x + anything                          base x, if the parameter promises by tt.pointer_range =
//                                           32 that its memory ends within 2 GiB
//
// Nothing else is assumed: what wraps around in its type must do so before it is added to an
// address. So pid * 1000 + range(0, 1000) has no base, nor have rows at a distance of which nothing
// is promised.
#pragma once

#include "lowering/KernelLowering.h"

#include <optional>

namespace tl::backend {

struct UniformBase {
  llvm::Value *pointer = nullptr;
  uint64_t extent = 0; // bytes after it, within which all elements end
};

/// Of a tensor of pointers by which `access` accesses memory. The code for the base is written
/// where the builder stands.
std::optional<UniformBase> uniformBaseOf(KernelLowering &kernel, mlir::Value pointers,
                                         mlir::Operation *access);

} // namespace tl::backend
