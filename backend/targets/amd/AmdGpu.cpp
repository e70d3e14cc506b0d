// SPDX-License-Identifier: MIT
#include "targets/amd/AmdGpu.h"

namespace tl::backend::amd {

AmdGpu::AmdGpu(Architecture architecture)
    : architecture(std::move(architecture)),
      target{program,
             threads,
             memory,
             atomics,
             arithmetic,
             &matrixProducts,
             this->architecture.hasTransposingReads() ? &matrixAccess : nullptr,
             /*warpGroupProducts=*/nullptr,
             this->architecture.laneCopies().empty() ? nullptr : &asyncCopies} {}

} // namespace tl::backend::amd
