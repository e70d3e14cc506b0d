// SPDX-License-Identifier: MIT
//
// Shared memory and barriers, in two halves. While the kernel is emitted, operations say what they
// are about to do: each event is a marker in the code, each piece of scratch a global variable of
// its own. At the end the events of the finished flow graph are planned (analysis/SharedPlan.h),
// barriers are put before the markers that need them, and the variables become offsets in one
// arena.
//
//     Scratch scratch = shared.acquire(bytes);   // a buffer, about to be written
//     ... stores through shared.pointer(scratch.begin) ...
//     shared.reads(scratch);                     // the plan puts a barrier here if one is needed
//     ... loads ...
//     shared.release(scratch);                   // all threads have read
//
// Markers stand only where all threads of the program come past together: inside a condition that
// threads may see differently, recording one is an error of the lowering.
#pragma once

#include "analysis/SharedPlan.h"
#include "lowering/GpuInterfaces.h"
#include "mlir/IR/Types.h"

#include <map>
#include <utility>
#include <vector>

namespace tl::backend {

/// Bytes of shared memory, by addresses that stand for real ones until all is planned: the number
/// of the buffer is in the upper half of an address, the offset in the lower.
struct Scratch {
  uint64_t begin = 0, end = 0;

  unsigned buffer() const { return unsigned(begin >> 32); }
};

class SharedMemory {
public:
  SharedMemory(llvm::Module &module, llvm::IRBuilder<> &builder, const GpuTarget &target,
               unsigned warps)
      : module(module), builder(builder), target(target), warps(warps) {}

  /// A buffer of its own. `withinWarp`: each warp has a part of its own. `written`: the caller
  /// writes it next.
  Scratch acquire(uint64_t bytes, uint64_t alignment = 16, bool withinWarp = false,
                  bool written = true);
  /// Called before accesses, at points that all threads pass.
  void reads(Scratch scratch, bool withinWarp = false);
  void writes(Scratch scratch, bool withinWarp = false);
  /// Accesses end here.
  void release(Scratch scratch, bool withinWarp = false) { reads(scratch, withinWarp); }
  /// A barrier in any case.
  void barrier();
  /// The block has threads beside the program's, which do not come to its barriers.
  void standApart() { isApart = true; }
  /// A group of warps waits here for its turn in a loop of the kernel, or passes it on. While it
  /// has the turn it must not wait for others: the plan takes all turns of a loop away if there is
  /// a barrier of the program in it.
  void turn(unsigned loop, llvm::Instruction *instruction) { turns[loop].push_back(instruction); }
  /// Records any other event.
  void mark(SharedEvent event);
  void mark(SharedEventKind kind, Scratch scratch);

  /// All of a buffer.
  Scratch whole(unsigned buffer) const;
  /// `moved`: bytes to add to the address, known when the kernel runs; null: none.
  llvm::Value *pointer(uint64_t address, llvm::Value *moved = nullptr);
  /// Pointer to an element of an array that begins at the scratch.
  llvm::Value *element(Scratch scratch, llvm::Value *index, mlir::Type element);

  /// Called once, when the function is whole: makes the barriers, and one arena of all buffers.
  void plan(llvm::Function &code);
  /// Of the arena, after `plan`.
  uint64_t bytes() const { return arenaBytes; }

  /// While it lives, threads may see the conditions around the current point differently.
  class Divergence {
  public:
    explicit Divergence(SharedMemory &shared) : shared(shared) { ++shared.divergent; }
    ~Divergence() { --shared.divergent; }
    Divergence(const Divergence &) = delete;
    Divergence &operator=(const Divergence &) = delete;

  private:
    SharedMemory &shared;
  };
  bool isDivergent() const { return divergent != 0; }

  /// While it lives, nothing is planned: the code orders its accesses by itself.
  class Unplanned {
  public:
    explicit Unplanned(SharedMemory &shared) : shared(shared) { shared.isPlanned = false; }
    ~Unplanned() { shared.isPlanned = true; }
    Unplanned(const Unplanned &) = delete;
    Unplanned &operator=(const Unplanned &) = delete;

  private:
    SharedMemory &shared;
  };

private:
  void emitBarrier();
  void placeBuffers(const SharedPlan &plan);
  void dropTurns(llvm::Function &code, llvm::ArrayRef<llvm::BasicBlock *> withBarriers);

  llvm::Module &module;
  llvm::IRBuilder<> &builder;
  const GpuTarget &target;
  const unsigned warps;
  std::vector<std::pair<llvm::Instruction *, SharedEvent>> events; // before which instruction
  std::vector<llvm::GlobalVariable *> buffers;                     // stand for parts of the arena
  std::vector<SharedBuffer> sizes;
  std::map<unsigned, std::vector<llvm::Instruction *>> turns; // by loop; the first waits
  unsigned divergent = 0;
  bool isPlanned = true, isApart = false;
  uint64_t arenaBytes = 0;
};

} // namespace tl::backend
