// SPDX-License-Identifier: MIT
//
// What the shared lowering of TTGIR asks of a vendor: the few things that LLVM IR cannot say by
// itself. Everything else (layouts, reductions, control flow, arithmetic) is written once for all
// GPUs. Next: GpuLowering.h for the lowering, targets/nvidia/Hooks.h for an implementation.
#pragma once

#include "arithmetic/FloatConversions.h"
#include "arithmetic/Math.h"
#include "dialect/Dialect.h"
#include "lowering/HiddenParameters.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace tl::backend {

/// One access of global memory by one thread: `elements` neighbours of `elementBytes` bytes each,
/// aligned to the whole. Values are integers of the element's width.
struct GlobalAccess {
  llvm::Value *pointer = nullptr;
  llvm::Value *predicate = nullptr; // null: always
  unsigned elementBytes = 4, elements = 1;
  tt::CacheModifier cache = tt::CacheModifier::NONE;
  tt::EvictionPolicy evict = tt::EvictionPolicy::NORMAL;
  bool isVolatile = false;
};

/// One atomic operation of one thread on one element.
struct AtomicAccess {
  llvm::Value *pointer = nullptr;
  llvm::Value *predicate = nullptr; // null: always
  tt::MemSemantic semantic = tt::MemSemantic::ACQUIRE_RELEASE;
  tt::MemSyncScope scope = tt::MemSyncScope::GPU;
};

/// A tensor in global memory as the copy unit wants to know it; axes from the last to the first.
struct TensorMap {
  llvm::Value *base = nullptr;
  llvm::SmallVector<llvm::Value *> extents; // i32, at least 1
  llvm::SmallVector<llvm::Value *> strides; // i64, in bytes, without the last axis
  llvm::SmallVector<unsigned> box;
  TensorElement element;
  bool padWithNan = false;
};

class GpuHooks {
public:
  using Builder = llvm::IRBuilderBase;
  virtual ~GpuHooks() = default;

  /// "sm_90a".
  virtual std::string name() const = 0;
  virtual unsigned lanes() const = 0;
  /// Bytes of shared memory that a program may have.
  virtual uint64_t maxSharedBytes() const = 0;
  /// Bytes of parameters that a kernel may have.
  virtual uint64_t maxParameterBytes() const = 0;
  /// Triple, data layout; called first.
  virtual void initialize(llvm::Module &module) const = 0;
  /// What makes a function the entry of a kernel of `threads` threads.
  virtual void markKernel(llvm::Function &function, unsigned threads,
                          unsigned maxRegisters) const = 0;

  /// i32: the number of the thread in its program; the program's coordinate and the grid's extent.
  virtual llvm::Value *threadId(Builder &b) const = 0;
  virtual llvm::Value *programId(Builder &b, unsigned axis) const = 0;
  virtual llvm::Value *programCount(Builder &b, unsigned axis) const = 0;

  /// All threads of the program meet; shared and global memory written before is seen after.
  virtual void barrier(Builder &b) const = 0;
  /// The same among the threads of each warp.
  virtual void warpBarrier(Builder &b) const = 0;
  /// i32 of the lane `lane ^ mask`; of lane `lane - delta` (its own where there is none); of any.
  virtual llvm::Value *shuffleXor(Builder &b, llvm::Value *value, unsigned mask) const = 0;
  virtual llvm::Value *shuffleUp(Builder &b, llvm::Value *value, unsigned delta) const = 0;
  virtual llvm::Value *shuffleIndex(Builder &b, llvm::Value *value, llvm::Value *lane) const = 0;

  /// Integers of the element's width; `others` (same count, may be empty) where the predicate is
  /// false, else 0.
  virtual llvm::SmallVector<llvm::Value *> load(Builder &b, const GlobalAccess &access,
                                                llvm::ArrayRef<llvm::Value *> others) const = 0;
  virtual void store(Builder &b, const GlobalAccess &access,
                     llvm::ArrayRef<llvm::Value *> values) const = 0;

  /// The old value, 0 where the predicate is false. Null if the target has no such instruction; the
  /// lowering then makes a loop of `compareAndSwap`. `element` is the type in TTIR.
  virtual llvm::Value *atomic(Builder &b, const AtomicAccess &access, tt::RMWOp operation,
                              llvm::Value *value, mlir::Type element, bool used) const = 0;
  /// How many neighbours one instruction changes, at an address aligned to all of them; a power of
  /// two, 1 if there is no such instruction.
  virtual unsigned atomicWidth(tt::RMWOp operation, mlir::Type element) const = 0;
  /// Changes at most `atomicWidth` neighbours, each for itself. See `atomic`.
  virtual llvm::SmallVector<llvm::Value *> atomicVector(Builder &b, const AtomicAccess &access,
                                                        tt::RMWOp operation,
                                                        llvm::ArrayRef<llvm::Value *> values,
                                                        mlir::Type element, bool used) const = 0;
  /// On integers of 16, 32 or 64 bits.
  virtual llvm::Value *compareAndSwap(Builder &b, const AtomicAccess &access, llvm::Value *expected,
                                      llvm::Value *value) const = 0;
  virtual llvm::Value *atomicLoad(Builder &b, const AtomicAccess &access, unsigned bits) const = 0;
  virtual void atomicStore(Builder &b, const AtomicAccess &access, llvm::Value *value) const = 0;
  /// Adds an i32 to shared memory.
  virtual void sharedAdd(Builder &b, llvm::Value *pointer, llvm::Value *value,
                         llvm::Value *predicate) const = 0;
  // Copies from global to shared memory behind the threads' backs. `shared` is a pointer to shared
  // memory; a target that has none of these answers false to the question before them.

  /// Whether a thread can start a copy of so many bytes.
  virtual bool hasAsyncCopy(unsigned bytes) const = 0;
  /// Zeros are written where the predicate is false.
  virtual void asyncCopy(Builder &b, llvm::Value *shared, const GlobalAccess &access) const = 0;
  virtual void asyncCommit(Builder &b) const = 0;
  virtual void asyncWait(Builder &b, unsigned groups) const = 0;

  /// Whether there are barriers in shared memory and copies of boxes of a tensor.
  virtual bool hasTensorCopies() const = 0;
  virtual void barrierInit(Builder &b, llvm::Value *barrier, unsigned count) const = 0;
  virtual void barrierInvalidate(Builder &b, llvm::Value *barrier) const = 0;
  virtual void barrierExpect(Builder &b, llvm::Value *barrier, unsigned bytes) const = 0;
  virtual void barrierArrive(Builder &b, llvm::Value *barrier, unsigned count) const = 0;
  virtual void barrierWait(Builder &b, llvm::Value *barrier, llvm::Value *phase) const = 0;
  /// What this thread has read and written in shared memory so far comes before copies that start
  /// from here on; with `global`, which is dear, what it has done to global memory too.
  virtual void orderTensorCopies(Builder &b, bool global) const = 0;
  /// Marks a kernel's parameter, a pointer, as a map of 128 bytes that is handed over by value.
  virtual void markTensorMap(llvm::Argument &parameter) const = 0;
  /// Whether kernels can make tensor maps.
  virtual bool hasTensorMaps() const = 0;
  /// Writes a map of 128 bytes to global memory, by way of as many of shared memory. All lanes of
  /// one warp come here, and only their threads start copies.
  virtual void tensorMap(Builder &b, llvm::Value *map, llvm::Value *shared, llvm::Value *lane,
                         const TensorMap &parts) const = 0;
  /// Coordinates from the last axis to the first.
  virtual void tensorLoad(Builder &b, llvm::Value *shared, llvm::Value *map,
                          llvm::ArrayRef<llvm::Value *> coordinates,
                          llvm::Value *barrier) const = 0;
  /// A store, or a reduction by `kind`; a group of its own.
  virtual void tensorStore(Builder &b, llvm::Value *map, llvm::ArrayRef<llvm::Value *> coordinates,
                           llvm::Value *shared,
                           std::optional<tt::DescriptorReduceKind> kind) const = 0;
  /// Waits until all groups but the last so many are done, or, with `onlyRead`, until they have
  /// read shared memory.
  virtual void tensorStoreWait(Builder &b, unsigned groups, bool onlyRead) const = 0;
  /// What finished copies have written to global memory is what this thread reads from here on.
  virtual void acceptTensorStores(Builder &b) const = 0;
  /// Says that a map will be used.
  virtual void prefetchTensorMap(Builder &b, llvm::Value *map) const = 0;

  /// Nanoseconds that count up, i64.
  virtual llvm::Value *nanoseconds(Builder &b) const = 0;

  /// A conversion or function for which the hardware has instructions; null for none.
  virtual llvm::Value *convert(Builder &b, llvm::Value *value, FloatFormat from, FloatFormat to,
                               Rounding rounding) const = 0;
  /// Two conversions as one; nothing if there is no such instruction.
  virtual std::optional<std::pair<llvm::Value *, llvm::Value *>>
  convertPair(Builder &b, llvm::Value *first, llvm::Value *second, FloatFormat from, FloatFormat to,
              Rounding rounding) const = 0;
  virtual llvm::Value *math(Builder &b, MathFunction function,
                            llvm::ArrayRef<llvm::Value *> operands) const = 0;
  /// A quotient at most 2 ULP away, for any operands; null for none.
  virtual llvm::Value *divide(Builder &b, llvm::Value *x, llvm::Value *y) const = 0;

  /// Whether the vendor's library of mathematical functions has names like this.
  virtual bool isLibraryFunction(llvm::StringRef name) const = 0;

  /// Whether there is `matrixProduct`; without it products are multiply-adds.
  virtual bool hasMatrixProducts() const = 0;
  /// A 16x8 product by the matrix units, operands packed into i32 and accumulators as i32 or f32.
  /// `k` is the extent of the instruction. Of f64, an 8x8 product: one element of each operand, two
  /// of the accumulator.
  virtual llvm::SmallVector<llvm::Value *> matrixProduct(Builder &b, mlir::Type element, unsigned k,
                                                         llvm::ArrayRef<llvm::Value *> a,
                                                         llvm::ArrayRef<llvm::Value *> bs,
                                                         llvm::ArrayRef<llvm::Value *> c) const = 0;

  /// Prints one line; `format` is C's, arguments are i32, i64 or double.
  virtual void print(Builder &b, llvm::StringRef format,
                     llvm::ArrayRef<llvm::Value *> arguments) const = 0;
  /// Whether the condition holds in any thread of the program; a barrier.
  virtual llvm::Value *anyThread(Builder &b, llvm::Value *condition) const = 0;
};

} // namespace tl::backend
