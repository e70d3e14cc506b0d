// SPDX-License-Identifier: MIT
//
// Kernels that only some GPUs have the shared memory for.
#pragma once

#include "sweep.hpp"

namespace numeric {

/// As `run`; a device with less shared memory than `tiles` bytes, the operands of one product, may
/// refuse the kernel.
void run_where_it_fits(const test_case &c, std::size_t tiles);

} // namespace numeric
