// SPDX-License-Identifier: MIT
//
// Kernels that begin before the launch ahead of them has ended, programmatic dependent launch, as
// PTX. Launch.cpp asks for it where a kernel waits.
#pragma once

#include "dialect/Dialect.h"
#include "targets/nvidia/Architecture.h"

namespace tl::backend::nvidia {

/// Replaces the waits and signals of a kernel by assembly, where the hardware has them: the last
/// step before LLVM IR. Whether the kernel waits.
bool spellGridDependencies(tt::FuncOp kernel, const Architecture &architecture);

} // namespace tl::backend::nvidia
