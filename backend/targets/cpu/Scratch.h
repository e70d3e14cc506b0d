// SPDX-License-Identifier: MIT
//
// The scratch memory of a program: where materialised tensors lie. Slots get their offsets when the
// whole function has been emitted and it is known from when to when each is in use; slots that are
// never in use together share memory.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tl::backend::cpu {

struct Slot {
  llvm::Value *pointer = nullptr;
  uint64_t bytes = 0;
  /// Set for slots of the scratch memory, null for memory that comes from outside.
  llvm::GetElementPtrInst *address = nullptr;
  /// Constant data: never written, never reused.
  bool readOnly = false;
  unsigned first = 0, last = 0;
  llvm::SmallVector<unsigned, 4> loops; // in which the slot was made, outermost first
};

class Scratch {
public:
  /// `entry` ends with its terminator or is open; addresses are computed at its end.
  void begin(llvm::BasicBlock *entryBlock, llvm::Value *basePointer) {
    entry = entryBlock;
    base = basePointer;
  }

  /// A new slot, 64-byte aligned, in use from now on.
  Slot *allocate(uint64_t bytes);
  /// Memory that the caller owns.
  Slot *external(llvm::Value *pointer, uint64_t bytes, bool readOnly);
  /// Notes that the slot is in use now.
  void use(Slot &slot);

  /// Time goes on: slots used before and after may share memory only if one ends before the other
  /// begins.
  void tick() { ++clock; }
  /// A slot made outside of a loop and used inside is in use until the loop ends.
  void enterLoop();
  void leaveLoop();

  /// Whether the slot was made in the present loop, not outside of it.
  bool isOfThisLoop(const Slot &slot) const { return slot.loops.size() == loops.size(); }

  /// Places all slots; afterwards bytes() is known.
  void assign();
  uint64_t bytes() const { return total; }
  /// Keeps a block of bytes at the end of the memory; returns its slot.
  void keepAll() { shared = false; }

private:
  llvm::BasicBlock *entry = nullptr;
  llvm::Value *base = nullptr;
  std::vector<std::unique_ptr<Slot>> slots;
  llvm::SmallVector<unsigned, 4> loops;
  std::vector<std::vector<Slot *>> touched; // for each loop
  unsigned clock = 0;
  uint64_t total = 0;
  bool shared = true;
};

} // namespace tl::backend::cpu
