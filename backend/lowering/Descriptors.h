// SPDX-License-Identifier: MIT
//
// Blocks of described tensors by TMA: the state of a kernel's descriptors and of the boxes that are
// on their way. Descriptors.cpp says how it works.
#pragma once

#include "dialect/Transfers.h"
#include "lowering/KernelLowering.h"

namespace tl::backend {

class DescriptorLowering {
public:
  // ---- For the kernel as a whole
  /// Finds out which maps the launch makes, and how much global memory the others need.
  void listMaps(KernelLowering &kernel);
  /// In the entry block: the parameters from `firstMap` on are maps.
  void enter(KernelLowering &kernel, unsigned firstMap);
  /// After it: memory for what loops store or add while the next iteration computes. It is theirs
  /// alone, from before the loop to the end.
  void keepPlaces(KernelLowering &kernel);
  /// Before the kernel returns.
  void leave(KernelLowering &kernel);

  // ---- For blocks of operations
  /// Whether boxes must have arrived before an operation: it uses one, or may write where they are
  /// read, or contains others.
  bool needsBoxes(mlir::Operation *op) const;
  /// Waits for all boxes that are on their way and reads them into registers.
  void finishBoxes(KernelLowering &kernel);

  // ---- For operations
  void makeDescriptor(KernelLowering &kernel, tt::MakeTensorDescOp op);
  void load(KernelLowering &kernel, tt::DescriptorLoadOp op);
  /// A block to shared memory, where a barrier counts its bytes.
  void copy(KernelLowering &kernel, ttg::AsyncDescriptorLoadOp op);
  /// A store, or a reduction by `kind`.
  void store(KernelLowering &kernel, mlir::Operation *op, mlir::Value descriptor,
             mlir::ValueRange indices, mlir::Value source,
             std::optional<tt::DescriptorReduceKind> kind);

private:
  struct Descriptor {
    llvm::Value *map = nullptr; // 128 bytes
    Values isEmpty;             // of each axis from the last one: whether its extent is 0 or less
    mlir::Value base;
  };
  struct Box {
    tt::DescriptorLoadOp op;
    Scratch memory, arrival; // the latter a barrier
  };

  void finish(KernelLowering &kernel, const Box &box);
  Values coordinates(KernelLowering &kernel, const Descriptor &descriptor,
                     mlir::ValueRange indices) const;

  /// Of the descriptors whose map the launch makes: the parameter that holds it.
  llvm::DenseMap<mlir::Operation *, unsigned> givenMaps;
  unsigned firstMap = 0;    // the first parameter that is a map
  unsigned writtenMaps = 0; // maps that the kernel makes itself, so far
  llvm::DenseMap<mlir::Value, Descriptor> descriptors;
  std::vector<Box> boxes;       // on their way, in the order of the loads
  std::vector<Scratch> lasting; // shared memory that is in use until the end
  llvm::DenseMap<mlir::Operation *, std::vector<Scratch>> places; // of stores that go on
};

} // namespace tl::backend
