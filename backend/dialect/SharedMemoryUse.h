// SPDX-License-Identifier: MIT
//
// How code uses the shared memory of the GPU that a module is compiled for, where that is not the
// usual way: attributes of the module, beside `ttg.gpu` (GpuTarget.h), which the target writes.
//
//   ttg.banks               i32: how many banks of 4 bytes shared memory has; 32 unless it says so
//   ttg.loads_in_registers  there are no asynchronous copies from global to shared memory: what is
//                           loaded ahead waits in registers
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tl::ttg {

inline constexpr llvm::StringLiteral banksName = "ttg.banks";
inline constexpr llvm::StringLiteral loadsInRegistersName = "ttg.loads_in_registers";

inline unsigned banksOf(mlir::ModuleOp module) {
  auto banks = module->getAttrOfType<mlir::IntegerAttr>(banksName);
  return banks ? unsigned(banks.getInt()) : 32;
}

inline bool loadsWaitInRegisters(mlir::ModuleOp module) {
  return module->hasAttr(loadsInRegistersName);
}

} // namespace tl::ttg
