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
//   ttg.column_reads        what reads of shared memory bring for operands of products, transposed,
//                           are columns (MatrixForm), not tiles
#pragma once

#include "layout/Queries.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

namespace tl::ttg {

inline constexpr llvm::StringLiteral banksName = "ttg.banks";
inline constexpr llvm::StringLiteral loadsInRegistersName = "ttg.loads_in_registers";
inline constexpr llvm::StringLiteral laneCopiesName = "ttg.lane_copies";
inline constexpr llvm::StringLiteral columnReadsName = "ttg.column_reads";

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

/// The form of matrix accesses that the GPU has, if any.
inline std::optional<backend::MatrixForm> matrixFormOf(mlir::ModuleOp module) {
  if (module->hasAttr(columnReadsName))
    return backend::MatrixForm::Columns;
  return loadsWaitInRegisters(module) ? std::nullopt : std::optional(backend::MatrixForm::Tiles);
}

} // namespace tl::ttg
