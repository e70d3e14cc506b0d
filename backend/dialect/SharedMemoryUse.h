// SPDX-License-Identifier: MIT
//
// How code uses the shared memory of the GPU that a module is compiled for, where that is not the
// usual way: attributes of the module, beside `ttg.gpu` (GpuTarget.h), which the target writes.
//
//   ttg.banks               i32: how many banks of 4 bytes shared memory has; 32 unless it says so
//   ttg.loads_in_registers  there are no asynchronous copies from global to shared memory, or only
//                           those of ttg.lane_copies: what is loaded ahead waits in registers
//   ttg.lane_copies         array of i32: how many bytes a thread can copy from global to shared
//                           memory where the lanes of a warp, in order, write one piece of it
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

namespace tl::ttg {

inline constexpr llvm::StringLiteral banksName = "ttg.banks";
inline constexpr llvm::StringLiteral loadsInRegistersName = "ttg.loads_in_registers";
inline constexpr llvm::StringLiteral laneCopiesName = "ttg.lane_copies";

inline unsigned banksOf(mlir::ModuleOp module) {
  auto banks = module->getAttrOfType<mlir::IntegerAttr>(banksName);
  return banks ? unsigned(banks.getInt()) : 32;
}

inline bool loadsWaitInRegisters(mlir::ModuleOp module) {
  return module->hasAttr(loadsInRegistersName);
}

/// Whether there are copies in lane order of that many bytes.
inline bool hasLaneCopies(mlir::ModuleOp module, unsigned bytes) {
  auto sizes = module->getAttrOfType<mlir::DenseI32ArrayAttr>(laneCopiesName);
  return sizes && llvm::is_contained(sizes.asArrayRef(), int32_t(bytes));
}

} // namespace tl::ttg
