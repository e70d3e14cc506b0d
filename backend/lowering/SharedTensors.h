// SPDX-License-Identifier: MIT
//
// Tensors in shared memory: as wide accesses as the layout of the registers and that of the memory
// allow. Where it lies and who waits for whom is in SharedMemory.h.
#pragma once

#include "layout/Queries.h"
#include "lowering/KernelLowering.h"

#include <functional>
#include <map>
#include <optional>
#include <set>

namespace tl::backend {

/// Stores the registers of a tensor of layout `from`, each element once, at `address` plus
/// `moved` bytes (known when the kernel runs; null: none). `shared` says which element lies at
/// which offset, in elements.
void storeShared(KernelLowering &kernel, llvm::ArrayRef<llvm::Value *> registers,
                 const LinearLayout &from, const LinearLayout &shared, uint64_t address,
                 mlir::Type element, llvm::Value *moved = nullptr);
/// The registers of a tensor of layout `to`; all threads come here together.
Values loadShared(KernelLowering &kernel, const LinearLayout &to, const LinearLayout &shared,
                  uint64_t address, mlir::Type element, llvm::Value *moved = nullptr);

/// How matrix accesses move a tensor between registers and shared memory, if they can and are fewer
/// than others.
std::optional<MatrixAccess> tilesOf(KernelLowering &kernel, const LinearLayout &registers,
                                    const LinearLayout &shared, unsigned bytes, bool storing);

/// `count` neighbours in shared memory by one access, to whose size the pointer is aligned.
Values loadNeighbours(KernelLowering &kernel, llvm::Value *pointer, unsigned count,
                      mlir::Type element);

/// The first thread's value in all threads, which wait for it.
llvm::Value *broadcastFromFirstThread(KernelLowering &kernel, llvm::Value *value);

/// A tensor in shared memory that a kernel asked for (!ttg.memdesc): bytes of the arena, and what
/// is added when the kernel runs.
struct LocalTensor {
  Scratch scratch;
  llvm::Value *moved = nullptr;
  bool ordered = false; // by those who access it
};

/// Those of a kernel, and the copies that go on by themselves.
struct LocalTensors {
  llvm::DenseMap<mlir::Value, LocalTensor> tensors;
  std::map<unsigned, std::set<unsigned>> arriving; // buffer of a barrier: buffers of copies for it
  std::set<unsigned> leaving;                      // buffers that copies still read
  std::vector<Scratch> inFlight;                   // what products in flight read
  std::vector<std::function<void()>> loaded;       // stores that end copies
  std::optional<unsigned> fewestCopies[2];         // of a group: see Transfers.cpp
};

/// A copy that the hardware cannot make is a load and a store. Where it makes none at all, or those
/// in lane order alone, the store is put off until threads wait for their copies: to here.
void finishCopies(KernelLowering &kernel);

} // namespace tl::backend
