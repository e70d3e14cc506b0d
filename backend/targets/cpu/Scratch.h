// SPDX-License-Identifier: MIT
//
// The scratch memory of a program: where materialised tensors lie. Buffers get their offsets when
// the whole function has been emitted and it is known from when to when each is in use; buffers
// that are never in use together share memory.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tl::backend::cpu {

struct ScratchBuffer {
  llvm::Value *pointer = nullptr;
  uint64_t bytes = 0;
  /// Set for buffers of the scratch memory, null for memory that comes from outside.
  llvm::GetElementPtrInst *address = nullptr;
  /// Constant data: never written, never reused.
  bool readOnly = false;
  unsigned first = 0, last = 0;
  llvm::SmallVector<unsigned, 4> loops; // in which the buffer was made, outermost first
};

class Scratch {
public:
  /// `entry` ends with its terminator or is open; addresses are computed at its end.
  void begin(llvm::BasicBlock *entryBlock, llvm::Value *basePointer) {
    entry = entryBlock;
    base = basePointer;
  }

  /// A new buffer, 64-byte aligned, in use from now on.
  ScratchBuffer *allocate(uint64_t bytes);
  /// Memory that the caller owns.
  ScratchBuffer *external(llvm::Value *pointer, uint64_t bytes, bool readOnly);
  /// Notes that the buffer is in use now.
  void use(ScratchBuffer &buffer);

  /// Time goes on: buffers used before and after may share memory only if one ends before the other
  /// begins.
  void tick() { ++clock; }
  /// A buffer made outside of a loop and used inside is in use until the loop ends.
  void enterLoop();
  void leaveLoop();

  /// Whether the buffer was made in the present loop, not outside of it.
  bool isOfThisLoop(const ScratchBuffer &buffer) const {
    return buffer.loops.size() == loops.size();
  }

  /// Places all buffers; afterwards bytes() is known.
  void assign();
  uint64_t bytes() const { return total; }
  /// Keeps a block of bytes at the end of the memory; returns its buffer.
  void keepAll() { shared = false; }

private:
  llvm::BasicBlock *entry = nullptr;
  llvm::Value *base = nullptr;
  std::vector<std::unique_ptr<ScratchBuffer>> buffers;
  llvm::SmallVector<unsigned, 4> loops;
  std::vector<std::vector<ScratchBuffer *>> touched; // for each loop
  unsigned clock = 0;
  uint64_t total = 0;
  bool shared = true;
};

} // namespace tl::backend::cpu
