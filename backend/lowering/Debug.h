// SPDX-License-Identifier: MIT
//
// Assertions of a kernel.
#pragma once

#include "lowering/KernelLowering.h"

namespace tl::backend {

/// Whether there is code for the assertion: in debug mode, or if it guards the kernel itself.
bool isChecked(const KernelLowering &kernel, tt::AssertOp op);

} // namespace tl::backend
