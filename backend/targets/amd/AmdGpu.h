// SPDX-License-Identifier: MIT
//
// What the shared GPU lowering needs to know of AMD, one class and one file an interface: LLVM's
// own instructions wherever they say it, intrinsics elsewhere, and no assembly text, so that
// whoever executes the LLVM IR can follow. A warp is a wave. Next: lowering/GpuInterfaces.h for
// what each function means.
#pragma once

#include "lowering/GpuInterfaces.h"
#include "targets/amd/Architecture.h"

namespace tl::backend::amd {

class Program final : public GpuProgram {
public:
  explicit Program(const Architecture &architecture) : architecture(architecture) {}

  std::string name() const override { return architecture.name; }
  unsigned lanes() const override { return architecture.lanes(); }
  uint64_t maxSharedBytes() const override { return architecture.maxSharedBytes(); }
  unsigned sharedBanks() const override { return architecture.sharedBanks(); }
  uint64_t maxParameterBytes() const override { return 4096; }
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
  explicit Threads(const Architecture &architecture) : architecture(architecture) {}

  void barrier(GpuBuilder &b) const override;
  void warpBarrier(GpuBuilder &b) const override;
  void waitAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const override;
  void meetAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const override;
  void arriveAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const override;
  void setRegisters(GpuBuilder &b, unsigned count, bool more) const override;
  llvm::Value *electLane(GpuBuilder &b) const override;
  llvm::Value *anyThread(GpuBuilder &b, llvm::Value *condition) const override;
  llvm::Value *ballot(GpuBuilder &b, llvm::Value *condition) const override;
  llvm::Value *uniform(GpuBuilder &b, llvm::Value *value) const override;
  llvm::Value *shuffleXor(GpuBuilder &b, llvm::Value *value, unsigned mask) const override;
  llvm::Value *shuffleIndex(GpuBuilder &b, llvm::Value *value, llvm::Value *lane) const override;

private:
  const Architecture &architecture;
};

class Memory final : public GpuMemory {
public:
  explicit Memory(const Architecture &architecture) : architecture(architecture) {}

  llvm::SmallVector<llvm::Value *> load(GpuBuilder &b, const GlobalAccess &access,
                                        llvm::ArrayRef<llvm::Value *> others) const override;
  void store(GpuBuilder &b, const GlobalAccess &access,
             llvm::ArrayRef<llvm::Value *> values) const override;
  bool wantsBase(const GlobalAccess &access, unsigned accesses, bool isFilled) const override;

private:
  const Architecture &architecture;
};

class Atomics final : public GpuAtomics {
public:
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
  bool isLibraryFunction(llvm::StringRef name) const override {
    return name.starts_with("__nv_") || name.starts_with("__ocml_");
  }

private:
  const Architecture &architecture;
};

class MatrixProducts final : public GpuMatrixProducts {
public:
  explicit MatrixProducts(const Architecture &architecture) : architecture(architecture) {}

  llvm::SmallVector<llvm::Value *> multiply(GpuBuilder &b, const MatrixInstruction &instruction,
                                            const MatrixFactor &a, const MatrixFactor &bs,
                                            llvm::ArrayRef<llvm::Value *> c) const override;

private:
  const Architecture &architecture;
};

/// Reads of LDS that transpose.
class MatrixAccess final : public GpuMatrixAccess {
public:
  MatrixForm form() const override { return MatrixForm::Columns; }
  llvm::SmallVector<llvm::Value *> load(GpuBuilder &b, llvm::Value *row, unsigned tiles,
                                        unsigned transposedBytes) const override;
  bool canStore() const override { return false; }
  void store(GpuBuilder &b, llvm::Value *row, llvm::ArrayRef<llvm::Value *> words,
             bool transposed) const override;
};

/// Loads that go to LDS instead of registers.
class LaneCopies final : public GpuLaneCopies {
public:
  explicit LaneCopies(const Architecture &architecture) : architecture(architecture) {}

  bool canCopy(unsigned bytes) const override;
  void copy(GpuBuilder &b, llvm::Value *shared, const GlobalAccess &access) const override;
  void wait(GpuBuilder &b, unsigned copies) const override;

private:
  const Architecture &architecture;
};

/// All of them for one architecture.
class AmdGpu {
public:
  explicit AmdGpu(Architecture architecture) : architecture(std::move(architecture)) {}
  AmdGpu(const AmdGpu &) = delete;
  AmdGpu &operator=(const AmdGpu &) = delete;

private:
  const Architecture architecture;
  const Program program{architecture};
  const Threads threads{architecture};
  const Memory memory{architecture};
  const Atomics atomics;
  const Arithmetic arithmetic{architecture};
  const MatrixProducts matrixProducts{architecture};
  const MatrixAccess matrixAccess;
  const LaneCopies laneCopies{architecture};

public:
  const GpuTarget target{
      .program = program,
      .threads = threads,
      .memory = memory,
      .atomics = atomics,
      .arithmetic = arithmetic,
      .matrixProducts = &matrixProducts,
      .matrixAccess = architecture.hasTransposingReads() ? &matrixAccess : nullptr,
      .laneCopies = architecture.laneCopies().empty() ? nullptr : &laneCopies,
  };
};

} // namespace tl::backend::amd
