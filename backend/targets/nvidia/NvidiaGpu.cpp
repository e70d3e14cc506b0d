// SPDX-License-Identifier: MIT
#include "targets/nvidia/NvidiaGpu.h"

namespace tl::backend::nvidia {

NvidiaGpu::NvidiaGpu(Architecture architecture)
    : architecture(std::move(architecture)),
      target{program,
             threads,
             memory,
             atomics,
             arithmetic,
             &matrixProducts,
             &matrixAccess,
             this->architecture.hasWarpGroupProducts() ? &warpGroupProducts : nullptr,
             &asyncCopies,
             this->architecture.hasTensorCopies() ? &sharedBarriers : nullptr,
             this->architecture.hasTensorCopies() ? &tensorCopies : nullptr,
             this->architecture.hasTensorMaps() ? &tensorMaps : nullptr,
             this->architecture.hasTensorCopies() ? &clusters : nullptr} {}

} // namespace tl::backend::nvidia
