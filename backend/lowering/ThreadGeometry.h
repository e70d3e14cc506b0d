// SPDX-License-Identifier: MIT
//
// Which elements of a tensor a thread holds. Register r of a thread holds the element at
// layout(r, lane, warp), and coordinates are linear in the bits of all three:
//
//     coordinate = xor over the bits of lane and warp   (computed once, in the entry block)
//                  xor over the bits of r                (a constant)
//
// Layouts may hold elements more than once (small tensors, many threads). Copies are equal, so only
// what is seen from outside (stores, atomics, printing) is done by one holder: the one whose free
// bits are zero.
#pragma once

#include "layout/LinearLayout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

#include <map>
#include <vector>

namespace tl::backend {

/// Whether a register holds the same element as one with a lower number.
bool isCopy(const LinearLayout &layout, unsigned reg);

class GpuThreads;

class ThreadGeometry {
public:
  explicit ThreadGeometry(llvm::IRBuilder<> &builder) : builder(builder) {}

  /// Called once, at the end of the entry block that computes all that coordinates share. `lanes`
  /// of a warp, a power of two.
  void enter(const GpuThreads &target, llvm::Value *thread, unsigned lanes, unsigned warps);

  /// i32: the number of this thread in its program, of its lane in its warp, of its warp.
  llvm::Value *thread = nullptr, *lane = nullptr, *warp = nullptr;
  /// i1: in code that one warp runs by itself, true in the lane that was elected for what the first
  /// thread does; elsewhere null.
  llvm::Value *elected = nullptr;

  /// i32: the coordinate `out` of the element in a register. "dim0" to "dim4" are axes; any other
  /// output of a layout works too ("offset", "register").
  llvm::Value *coordinate(const LinearLayout &layout, unsigned reg, llvm::StringRef out);
  /// The same of the first lane of the warp: one number for all lanes, as the code generator knows.
  llvm::Value *coordinateOfWarp(const LinearLayout &layout, unsigned reg, llvm::StringRef out);
  /// i32: the number of that element in row-major order.
  llvm::Value *flatElement(const LinearLayout &layout, unsigned reg, llvm::ArrayRef<int64_t> shape);
  /// i1: true in the one thread that speaks for its elements; null if that is every thread.
  llvm::Value *isFirstHolder(const LinearLayout &layout);
  /// i1: true in the one thread that does what is to be done once: number 0, or the elected one.
  llvm::Value *isFirstThread();

private:
  llvm::Value *i32(uint64_t value) { return builder.getInt32(uint32_t(value)); }

  llvm::IRBuilder<> &builder;
  llvm::BasicBlock *entry = nullptr;
  const GpuThreads *target = nullptr;
  llvm::Value *uniformWarp = nullptr;                   // `warp`, once it is asked for
  std::map<std::vector<uint64_t>, llvm::Value *> bases; // of coordinates, by images
};

} // namespace tl::backend
