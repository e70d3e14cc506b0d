// SPDX-License-Identifier: MIT
//
// The operations of TTGIR beyond those of TTIR; Gpu.td has the records, Layouts.h the layouts.
#pragma once

#include "dialect/Layouts.h"
#include "dialect/Traits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tl::ttg {

/// The memory that the threads of a program share, as the resource of side effects.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

} // namespace tl::ttg

#define GET_OP_CLASSES
#include "dialect/Gpu.h.inc"
