// SPDX-License-Identifier: MIT
//
// Accesses of global memory, as loads, stores, atomics and asynchronous copies share them: which
// registers move together, and what must stay in order.
#pragma once

#include "lowering/KernelLowering.h"

namespace tl::backend {

/// Registers that one access moves: those whose numbers differ in `bits`, in this order.
///
///     bits = {0, 2}: registers 0 1 4 5 | 2 3 6 7 | ..., four at a time
struct RegisterGroups {
  llvm::SmallVector<unsigned> bits;

  unsigned width() const { return 1u << bits.size(); }
  /// Register `i` of the group that begins with `first`.
  unsigned registerOf(unsigned first, unsigned i) const {
    for (unsigned bit = 0; bit < bits.size(); ++bit)
      if (i >> bit & 1)
        first |= 1u << bits[bit];
    return first;
  }
  /// The first register of the group of a register, and its number in the group.
  std::pair<unsigned, unsigned> positionOf(unsigned reg) const {
    unsigned first = reg, index = 0;
    for (unsigned bit = 0; bit < bits.size(); ++bit) {
      index |= (reg >> bits[bit] & 1) << bit;
      first &= ~(1u << bits[bit]);
    }
    return {first, index};
  }
  bool isFirst(unsigned reg) const {
    return llvm::none_of(bits, [&](unsigned bit) { return reg >> bit & 1; });
  }
};

/// Those of a tensor in this layout that are `width` neighbours along the axis, or fewer: parts of
/// it that begin at multiples of their width.
RegisterGroups groupsAlong(mlir::RankedTensorType type, unsigned axis, int64_t width);

/// As many as the axis analysis says have addresses that follow each other, are aligned to all of
/// them, and share a predicate. The mask may be null.
RegisterGroups groupsOf(KernelLowering &kernel, mlir::Value pointer, mlir::Value mask);

/// Says that global memory is about to be accessed through the pointer or pointers.
void orderAccess(KernelLowering &kernel, mlir::Value pointer, bool writes);
/// The same of the buffer that begins at the pointer, anywhere in it.
void orderBuffer(KernelLowering &kernel, mlir::Value base, bool writes);

/// What the vendor's interfaces take as predicate: null for a constant true, or without a mask.
llvm::Value *predicateOf(llvm::ArrayRef<llvm::Value *> masks, unsigned reg);

} // namespace tl::backend
