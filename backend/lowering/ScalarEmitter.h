// SPDX-License-Identifier: MIT
//
// Elementwise operations on the scalars of one thread: arithmetic/Elementwise.h with what the GPU
// has instructions or a library for. It owns the builder that the whole kernel is written with.
#pragma once

#include "arithmetic/Elementwise.h"
#include "lowering/GpuInterfaces.h"
#include "llvm/IR/Module.h"

namespace tl::backend {

class ScalarEmitter final : public ElementwiseEmitter {
public:
  ScalarEmitter(llvm::Module &module, const GpuTarget &target);

  using ElementwiseEmitter::builder;
  using ElementwiseEmitter::emitElementwise;
  using ElementwiseEmitter::emitTripCount;
  using ElementwiseEmitter::narrow;
  using ElementwiseEmitter::widen;
  llvm::Value *convertFloat(llvm::Value *value, FloatFormat from, FloatFormat to,
                            Rounding rounding) override;

private:
  llvm::Value *convertInteger(llvm::Value *value, bool isSigned, FloatFormat to) override;
  llvm::Value *math(MathFunction function, llvm::ArrayRef<llvm::Value *> operands) override;
  llvm::Value *multiplyAddNarrow(llvm::ArrayRef<llvm::Value *> operands,
                                 FloatFormat format) override;
  llvm::Value *divide(llvm::Value *a, llvm::Value *b) override;
  llvm::Value *emitLibraryRest(const impl::library_function &function,
                               llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result) override;
  llvm::Value *emitUnknownExtern(tt::ExternElementwiseOp operation,
                                 llvm::ArrayRef<llvm::Value *> operands) override;
  /// Null if the module calls the symbol with other types.
  llvm::Value *callLibrary(llvm::StringRef symbol, llvm::ArrayRef<llvm::Value *> operands,
                           llvm::Type *result);

  llvm::Module &module;
  const GpuTarget &target;
};

} // namespace tl::backend
