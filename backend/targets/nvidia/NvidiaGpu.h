// SPDX-License-Identifier: MIT
//
// What the shared GPU lowering needs to know of NVIDIA, one class and one file an interface: as
// intrinsics where LLVM's make the right instruction, and as inline PTX where they do not. Next:
// lowering/GpuInterfaces.h for what each function means.
#pragma once

#include "lowering/GpuInterfaces.h"
#include "targets/nvidia/Architecture.h"

namespace tl::backend::nvidia {

class Program final : public GpuProgram {
public:
  explicit Program(const Architecture &architecture) : architecture(architecture) {}

  std::string name() const override { return architecture.name; }
  unsigned lanes() const override { return 32; }
  uint64_t maxSharedBytes() const override { return architecture.maxSharedBytes(); }
  uint64_t maxParameterBytes() const override { return architecture.maxParameterBytes(); }
  void initialize(llvm::Module &module) const override;
  void markKernel(llvm::Function &function, unsigned threads, unsigned maxRegisters) const override;
  llvm::Value *threadId(GpuBuilder &b) const override;
  llvm::Value *programId(GpuBuilder &b, unsigned axis) const override;
  llvm::Value *programCount(GpuBuilder &b, unsigned axis) const override;
  llvm::Value *nanoseconds(GpuBuilder &b) const override;
  void print(GpuBuilder &b, llvm::StringRef format,
             llvm::ArrayRef<llvm::Value *> arguments) const override;

private:
  const Architecture &architecture;
};

class Threads final : public GpuThreads {
public:
  void barrier(GpuBuilder &b) const override;
  void warpBarrier(GpuBuilder &b) const override;
  void reconverge(GpuBuilder &b) const override;
  llvm::Value *pointerInFirstThread(GpuBuilder &b, llvm::Value *pointer,
                                    llvm::Value *thread) const override;
  void waitAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const override;
  void meetAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const override;
  void arriveAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const override;
  void setRegisters(GpuBuilder &b, unsigned count, bool more) const override;
  llvm::Value *electLane(GpuBuilder &b) const override;
  llvm::Value *anyThread(GpuBuilder &b, llvm::Value *condition) const override;
  llvm::Value *ballot(GpuBuilder &b, llvm::Value *condition) const override;
  llvm::Value *shuffleXor(GpuBuilder &b, llvm::Value *value, unsigned mask) const override;
  llvm::Value *shuffleIndex(GpuBuilder &b, llvm::Value *value, llvm::Value *lane) const override;
};

class Memory final : public GpuMemory {
public:
  llvm::SmallVector<llvm::Value *> load(GpuBuilder &b, const GlobalAccess &access,
                                        llvm::ArrayRef<llvm::Value *> others) const override;
  void store(GpuBuilder &b, const GlobalAccess &access,
             llvm::ArrayRef<llvm::Value *> values) const override;
};

class Atomics final : public GpuAtomics {
public:
  explicit Atomics(const Architecture &architecture) : architecture(architecture) {}

  llvm::Value *readModifyWrite(GpuBuilder &b, const AtomicAccess &access, tt::RMWOp operation,
                               llvm::Value *value, mlir::Type element, bool used) const override;
  unsigned vectorWidth(tt::RMWOp operation, mlir::Type element) const override;
  llvm::SmallVector<llvm::Value *> readModifyWriteVector(GpuBuilder &b, const AtomicAccess &access,
                                                         tt::RMWOp operation,
                                                         llvm::ArrayRef<llvm::Value *> values,
                                                         mlir::Type element,
                                                         bool used) const override;
  llvm::Value *compareAndSwap(GpuBuilder &b, const AtomicAccess &access, llvm::Value *expected,
                              llvm::Value *value) const override;
  llvm::Value *load(GpuBuilder &b, const AtomicAccess &access, unsigned bits) const override;
  void store(GpuBuilder &b, const AtomicAccess &access, llvm::Value *value) const override;
  void release(GpuBuilder &b, const AtomicAccess &access) const override;
  void addShared(GpuBuilder &b, llvm::Value *shared, llvm::Value *value,
                 llvm::Value *predicate) const override;

private:
  const Architecture &architecture;
};

class Arithmetic final : public GpuArithmetic {
public:
  explicit Arithmetic(const Architecture &architecture) : architecture(architecture) {}

  llvm::Value *convert(GpuBuilder &b, llvm::Value *value, FloatFormat from, FloatFormat to,
                       Rounding rounding) const override;
  llvm::Value *convertInteger(GpuBuilder &b, llvm::Value *value, bool isSigned,
                              FloatFormat to) const override;
  std::optional<std::pair<llvm::Value *, llvm::Value *>>
  convertPair(GpuBuilder &b, llvm::Value *first, llvm::Value *second, FloatFormat from,
              FloatFormat to, Rounding rounding) const override;
  std::optional<std::pair<llvm::Value *, llvm::Value *>>
  convertIntegers(GpuBuilder &b, llvm::Value *first, llvm::Value *second, bool isSigned,
                  FloatFormat to) const override;
  llvm::Value *math(GpuBuilder &b, MathFunction function,
                    llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *divide(GpuBuilder &b, llvm::Value *x, llvm::Value *y) const override;
  bool isLibraryFunction(llvm::StringRef name) const override { return name.starts_with("__nv_"); }

private:
  const Architecture &architecture;
};

class MatrixProducts final : public GpuMatrixProducts {
public:
  llvm::SmallVector<llvm::Value *> multiply(GpuBuilder &b, const MatrixInstruction &instruction,
                                            const MatrixFactor &a, const MatrixFactor &bs,
                                            llvm::ArrayRef<llvm::Value *> c) const override;
};

class MatrixAccess final : public GpuMatrixAccess {
public:
  explicit MatrixAccess(const Architecture &architecture) : architecture(architecture) {}

  MatrixForm form() const override { return MatrixForm::Tiles; }
  llvm::SmallVector<llvm::Value *> load(GpuBuilder &b, llvm::Value *row, unsigned tiles,
                                        unsigned transposedBytes) const override;
  bool canStore() const override;
  void store(GpuBuilder &b, llvm::Value *row, llvm::ArrayRef<llvm::Value *> words,
             bool transposed) const override;

private:
  const Architecture &architecture;
};

class WarpGroupProducts final : public GpuWarpGroupProducts {
public:
  void fence(GpuBuilder &b) const override;
  llvm::SmallVector<llvm::Value *> start(GpuBuilder &b, const WarpGroupInstruction &instruction,
                                         llvm::ArrayRef<WarpGroupTile> tiles,
                                         bool endsGroup) const override;
  llvm::SmallVector<llvm::Value *> wait(GpuBuilder &b, unsigned pendings,
                                        llvm::ArrayRef<llvm::Value *> sums) const override;
};

class AsyncCopies final : public GpuAsyncCopies {
public:
  bool canCopy(unsigned bytes) const override;
  void copy(GpuBuilder &b, llvm::Value *shared, const GlobalAccess &access) const override;
  void commit(GpuBuilder &b) const override;
  void wait(GpuBuilder &b, unsigned groups) const override;
  void arrive(GpuBuilder &b, llvm::Value *barrier) const override;
};

class SharedBarriers final : public GpuSharedBarriers {
public:
  void init(GpuBuilder &b, llvm::Value *barrier, unsigned count) const override;
  void publish(GpuBuilder &b) const override;
  void invalidate(GpuBuilder &b, llvm::Value *barrier) const override;
  void expect(GpuBuilder &b, llvm::Value *barrier, unsigned bytes) const override;
  void arrive(GpuBuilder &b, llvm::Value *barrier, unsigned count) const override;
  void wait(GpuBuilder &b, llvm::Value *barrier, llvm::Value *phase) const override;
};

class TensorCopies final : public GpuTensorCopies {
public:
  void markMap(llvm::Argument &parameter) const override;
  void prefetchMap(GpuBuilder &b, llvm::Value *map) const override;
  void order(GpuBuilder &b, bool global) const override;
  void load(GpuBuilder &b, llvm::Value *shared, llvm::Value *map,
            llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier) const override;
  void store(GpuBuilder &b, llvm::Value *map, llvm::ArrayRef<llvm::Value *> coordinates,
             llvm::Value *shared, std::optional<tt::DescriptorReduceKind> kind) const override;
  void waitForStores(GpuBuilder &b, unsigned groups, bool onlyRead) const override;
  void acceptStores(GpuBuilder &b) const override;
};

class Clusters final : public GpuClusters {
public:
  llvm::Value *block(GpuBuilder &b) const override;
  void barrier(GpuBuilder &b) const override;
  void arrive(GpuBuilder &b, llvm::Value *barrier, llvm::Value *block) const override;
  void load(GpuBuilder &b, llvm::Value *shared, llvm::Value *map,
            llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier,
            unsigned blocks) const override;
};

class TensorMaps final : public GpuTensorMaps {
public:
  void write(GpuBuilder &b, llvm::Value *map, llvm::Value *shared, llvm::Value *lane,
             const TensorMap &parts) const override;
};

/// All of them for one architecture.
class NvidiaGpu {
public:
  explicit NvidiaGpu(Architecture architecture) : architecture(std::move(architecture)) {}
  NvidiaGpu(const NvidiaGpu &) = delete;
  NvidiaGpu &operator=(const NvidiaGpu &) = delete;

private:
  const Architecture architecture;
  const Program program{architecture};
  const Threads threads;
  const Memory memory;
  const Atomics atomics{architecture};
  const Arithmetic arithmetic{architecture};
  const MatrixProducts matrixProducts;
  const MatrixAccess matrixAccess{architecture};
  const WarpGroupProducts warpGroupProducts;
  const AsyncCopies asyncCopies;
  const SharedBarriers sharedBarriers;
  const TensorCopies tensorCopies;
  const TensorMaps tensorMaps;
  const Clusters clusters;

public:
  const GpuTarget target{
      .program = program,
      .threads = threads,
      .memory = memory,
      .atomics = atomics,
      .arithmetic = arithmetic,
      .matrixProducts = &matrixProducts,
      .matrixAccess = &matrixAccess,
      .warpGroupProducts = architecture.hasWarpGroupProducts() ? &warpGroupProducts : nullptr,
      .asyncCopies = &asyncCopies,
      .sharedBarriers = architecture.hasTensorCopies() ? &sharedBarriers : nullptr,
      .tensorCopies = architecture.hasTensorCopies() ? &tensorCopies : nullptr,
      .tensorMaps = architecture.hasTensorMaps() ? &tensorMaps : nullptr,
      .clusters = architecture.hasTensorCopies() ? &clusters : nullptr,
  };
};

} // namespace tl::backend::nvidia
