// SPDX-License-Identifier: MIT
#include "targets/amd/AmdGpu.h"

namespace tl::backend::amd {

AmdGpu::AmdGpu(Architecture architecture)
    : architecture(std::move(architecture)),
      target{program, threads, memory, atomics, arithmetic, &matrixProducts} {}

} // namespace tl::backend::amd
