// SPDX-License-Identifier: MIT
//
// From TTGIR to LLVM IR for one thread of a GPU: what the functions that lower operations share.
//
// A tensor with a layout is, for a thread, one LLVM value for each register of the layout: register
// r of this thread holds the element at layout(r, lane, warp). So an elementwise operation is the
// same scalar operation once a register, a broadcast is a renaming of registers, and a load is a
// few vector loads, as wide as the layout puts neighbours into neighbouring registers.
//
// Data move between threads in three operations only: conversions of layouts, reductions, and
// whatever goes through shared memory by an index (gather, counting, products by plain
// arithmetic). All say when they write and read scratch (SharedMemory.h); where it lies and where
// threads wait is decided once the whole kernel is known.
//
// An operation is lowered by a free function of its group's file, found in a table
// (OperationTable.h):
//
//     static void emitUnsplat(KernelLowering &kernel, tt::UnsplatOp op) {
//       kernel.set(op, {kernel.get(op.getSrc())[0]}); // one element: every thread has it
//     }
//
// What several groups use lies in headers of its own: ThreadGeometry.h, SharedMemory.h,
// SharedTensors.h, Conversions.h, Access.h, ControlFlow.h. GpuInterfaces.h is what a vendor
// provides.
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/Gpu.h"
#include "lowering/GpuInterfaces.h"
#include "lowering/HiddenParameters.h"
#include "lowering/OperationTable.h"
#include "lowering/ScalarEmitter.h"
#include "lowering/SharedMemory.h"
#include "lowering/ThreadGeometry.h"
#include "support/CompileOptions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

#include <map>
#include <memory>
#include <vector>

namespace tl::backend {

class DescriptorLowering;
struct LocalTensors;

/// The registers of a thread for one value of TTGIR: one for a scalar.
using Values = llvm::SmallVector<llvm::Value *, 8>;

/// Registers of a thread for a value of this type.
unsigned registersOf(mlir::Type type);

class KernelLowering {
public:
  KernelLowering(llvm::Module &module, tt::FuncOp function, const GpuTarget &target,
                 const CompileOptions &options, const AxisInfoAnalysis &axes,
                 const OperationTable &operations);
  ~KernelLowering();

  // ---- What is lowered, and for whom
  llvm::Module &module;
  llvm::LLVMContext &context;
  tt::FuncOp function;
  const GpuTarget &target;
  const CompileOptions &options;
  const AxisInfoAnalysis &axes;
  const unsigned warps; // of a program

  // ---- Parts that groups use directly
  ScalarEmitter scalars;
  llvm::IRBuilder<> &builder; // of `scalars`
  ThreadGeometry threads;
  SharedMemory shared;

  // ---- Operations
  void emitOperation(mlir::Operation *op);
  /// All operations but the terminator.
  void emitBlock(mlir::Block &block);
  /// The region on scalars, of one block, whose results are the terminator's operands. Threads may
  /// come here one by one; enterScalars has been called before.
  Values emitScalars(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);
  /// Checks a region in which each thread computes for itself, and orders its loads before it.
  void enterScalars(mlir::Region &region);
  /// Throws "the sm_90a target <message>" with the operation's line.
  [[noreturn]] void unsupported(mlir::Operation *op, const llvm::Twine &message) const;

  // ---- Values
  /// The registers of a value that has been computed. The reference holds until the next `set`.
  const Values &get(mlir::Value value) const;
  /// Those of an operand that may be absent: empty then.
  Values getOptional(mlir::Value value) const { return value ? get(value) : Values(); }
  llvm::Value *scalar(mlir::Value value) const { return get(value)[0]; }
  void set(mlir::Value value, Values registers) { values[value] = std::move(registers); }
  llvm::Type *registerTypeOf(mlir::Type type) const;
  /// The bits of an element as memory has them, and back.
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element);
  llvm::Value *fromMemory(llvm::Value *bits, mlir::Type element);

  // ---- Code
  llvm::Value *i32(int64_t value) { return builder.getInt32(uint32_t(value)); }
  llvm::BasicBlock *newBlock(const char *name);
  /// Runs `body` in a block of its own if the condition, which threads may see differently, holds
  /// (null: always).
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> body);
  /// Runs `body`, with a pointer to shared memory, in the program's first thread.
  void emitInFirstThread(llvm::Value *pointer, llvm::function_ref<void(llvm::Value *)> body);

  // ---- The function and what it gets beside the user's arguments (HiddenParameters.h)
  llvm::Function *code = nullptr;
  HiddenParameters hidden;
  llvm::Value *gridCounter = nullptr;    // of arrivals at the grid's barrier
  llvm::Value *failureRecord = nullptr;  // of failed assertions
  llvm::Value *workspace = nullptr;      // of this program, in global memory
  std::vector<SourceLocation> inlineAsm; // of the user's texts of assembly, by number

  // ---- State of single groups
  /// Numbers of buffers, pointers and the origins of their spans, to tell accesses of global memory
  /// apart: see orderAccess.
  llvm::DenseMap<mlir::Value, unsigned> baseNumbers, pointerNumbers;
  std::map<std::vector<std::pair<const void *, int64_t>>, unsigned> originNumbers;
  mlir::Value mayAlias; // the parameter that stands for all that may alias
  const std::unique_ptr<DescriptorLowering> descriptors;
  const std::unique_ptr<LocalTensors> locals;

private:
  const OperationTable &operations;
  llvm::DenseMap<mlir::Value, Values> values;
};

} // namespace tl::backend
