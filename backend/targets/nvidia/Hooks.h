// SPDX-License-Identifier: MIT
//
// What the shared GPU lowering needs to know of NVIDIA: special registers, shuffles, barriers,
// predicated accesses, atomics and matrix instructions, as intrinsics where LLVM's are right and as
// inline PTX where they are not. Next: lowering/GpuHooks.h for what each one means.
#pragma once

#include "lowering/GpuHooks.h"

namespace tl::backend::nvidia {

/// A code generation target by name, "sm_90a".
struct Architecture {
  std::string name;
  unsigned number = 80; // 80, 90, 100
  /// The target for "sm_N" or "sm_Na"; nothing for other names and for GPUs before 8.0.
  static std::optional<Architecture> parse(std::string_view name);
  /// The version of PTX that has all of its instructions, as LLVM names it: "ptx80".
  std::string ptxFeature() const;
  uint64_t maxSharedBytes() const;
  /// Bytes of parameters that a kernel may have, by the version of PTX.
  uint64_t maxParameterBytes() const;
};

class NvidiaHooks final : public GpuHooks {
public:
  explicit NvidiaHooks(Architecture architecture) : architecture(std::move(architecture)) {}

  std::string name() const override { return architecture.name; }
  unsigned lanes() const override { return 32; }
  uint64_t maxSharedBytes() const override { return architecture.maxSharedBytes(); }
  uint64_t maxParameterBytes() const override { return architecture.maxParameterBytes(); }
  void initialize(llvm::Module &module) const override;
  void markKernel(llvm::Function &function, unsigned threads, unsigned maxRegisters) const override;

  llvm::Value *threadId(Builder &b) const override;
  llvm::Value *programId(Builder &b, unsigned axis) const override;
  llvm::Value *programCount(Builder &b, unsigned axis) const override;

  void barrier(Builder &b) const override;
  void warpBarrier(Builder &b) const override;
  llvm::Value *anyThread(Builder &b, llvm::Value *condition) const override;
  llvm::Value *shuffleXor(Builder &b, llvm::Value *value, unsigned mask) const override;
  llvm::Value *shuffleUp(Builder &b, llvm::Value *value, unsigned delta) const override;
  llvm::Value *shuffleIndex(Builder &b, llvm::Value *value, llvm::Value *lane) const override;

  llvm::SmallVector<llvm::Value *> load(Builder &b, const GlobalAccess &access,
                                        llvm::ArrayRef<llvm::Value *> others) const override;
  void store(Builder &b, const GlobalAccess &access,
             llvm::ArrayRef<llvm::Value *> values) const override;

  llvm::Value *atomic(Builder &b, const AtomicAccess &access, tt::RMWOp operation,
                      llvm::Value *value, mlir::Type element, bool used) const override;
  unsigned atomicWidth(tt::RMWOp operation, mlir::Type element) const override;
  llvm::SmallVector<llvm::Value *> atomicVector(Builder &b, const AtomicAccess &access,
                                                tt::RMWOp operation,
                                                llvm::ArrayRef<llvm::Value *> values,
                                                mlir::Type element, bool used) const override;
  llvm::Value *compareAndSwap(Builder &b, const AtomicAccess &access, llvm::Value *expected,
                              llvm::Value *value) const override;
  llvm::Value *atomicLoad(Builder &b, const AtomicAccess &access, unsigned bits) const override;
  void atomicStore(Builder &b, const AtomicAccess &access, llvm::Value *value) const override;
  void sharedAdd(Builder &b, llvm::Value *pointer, llvm::Value *value,
                 llvm::Value *predicate) const override;
  llvm::Value *nanoseconds(Builder &b) const override;

  // HooksTransfers.cpp
  bool hasAsyncCopy(unsigned bytes) const override;
  void asyncCopy(Builder &b, llvm::Value *shared, const GlobalAccess &access) const override;
  void asyncCommit(Builder &b) const override;
  void asyncWait(Builder &b, unsigned groups) const override;
  bool hasTensorCopies() const override { return architecture.number >= 90; }
  void barrierInit(Builder &b, llvm::Value *barrier, unsigned count) const override;
  void barrierInvalidate(Builder &b, llvm::Value *barrier) const override;
  void barrierExpect(Builder &b, llvm::Value *barrier, unsigned bytes) const override;
  void barrierArrive(Builder &b, llvm::Value *barrier, unsigned count) const override;
  void barrierWait(Builder &b, llvm::Value *barrier, llvm::Value *phase) const override;
  void orderTensorCopies(Builder &b, bool global) const override;
  void markTensorMap(llvm::Argument &parameter) const override;
  bool hasTensorMaps() const override;
  void tensorMap(Builder &b, llvm::Value *map, llvm::Value *shared, llvm::Value *lane,
                 const TensorMap &parts) const override;
  void tensorLoad(Builder &b, llvm::Value *shared, llvm::Value *map,
                  llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier) const override;
  void tensorStore(Builder &b, llvm::Value *map, llvm::ArrayRef<llvm::Value *> coordinates,
                   llvm::Value *shared,
                   std::optional<tt::DescriptorReduceKind> kind) const override;
  void tensorStoreWait(Builder &b, unsigned groups, bool onlyRead) const override;
  void acceptTensorStores(Builder &b) const override;
  void prefetchTensorMap(Builder &b, llvm::Value *map) const override;

  llvm::Value *convert(Builder &b, llvm::Value *value, FloatFormat from, FloatFormat to,
                       Rounding rounding) const override;
  std::optional<std::pair<llvm::Value *, llvm::Value *>>
  convertPair(Builder &b, llvm::Value *first, llvm::Value *second, FloatFormat from, FloatFormat to,
              Rounding rounding) const override;
  llvm::Value *math(Builder &b, MathFunction function,
                    llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *divide(Builder &b, llvm::Value *x, llvm::Value *y) const override;
  bool hasMatrixProducts() const override { return true; }
  llvm::SmallVector<llvm::Value *> matrixProduct(Builder &b, mlir::Type element, unsigned k,
                                                 llvm::ArrayRef<llvm::Value *> a,
                                                 llvm::ArrayRef<llvm::Value *> bs,
                                                 llvm::ArrayRef<llvm::Value *> c) const override;
  bool isLibraryFunction(llvm::StringRef name) const override { return name.starts_with("__nv_"); }
  void print(Builder &b, llvm::StringRef format,
             llvm::ArrayRef<llvm::Value *> arguments) const override;

private:
  Architecture architecture;
};

} // namespace tl::backend::nvidia
