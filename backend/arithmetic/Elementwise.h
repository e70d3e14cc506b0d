// SPDX-License-Identifier: MIT
//
// One elementwise operation as LLVM IR, on scalars or on vectors of lanes: what all targets that
// emit LLVM IR share, so that the corner cases of arithmetic (division by zero, wide shifts, NaN,
// narrow floats) are the same everywhere. A target derives from it and replaces the conversions and
// functions for which its hardware has instructions.
#pragma once

#include "arithmetic/ElementTypes.h"
#include "arithmetic/Math.h"

#include "dialect/Dialect.h"
#include "llvm/IR/IRBuilder.h"

#include <string>

namespace tl::impl {
struct library_function;
}

namespace tl::backend {

class ElementwiseEmitter {
public:
  ElementwiseEmitter(llvm::LLVMContext &context, const ArithmeticFeatures &instructions,
                     std::string targetName)
      : context(context), instructions(instructions), builder(context),
        targetName(std::move(targetName)) {}
  virtual ~ElementwiseEmitter() = default;

protected:
  /// Throws Error with the user's line for what the target does not have.
  virtual llvm::Value *emitElementwise(mlir::Operation *operation,
                                       llvm::ArrayRef<llvm::Value *> operands);
  /// See emitFloatConversion.
  virtual llvm::Value *convertFloat(llvm::Value *value, FloatFormat from, FloatFormat to,
                                    Rounding rounding);
  /// See emitIntegerToFloat.
  virtual llvm::Value *convertInteger(llvm::Value *value, bool isSigned, FloatFormat to);
  /// See emitMath; operands are f32 or f64.
  virtual llvm::Value *math(MathFunction function, llvm::ArrayRef<llvm::Value *> operands);
  /// a * b + c of f16 or bf16 by one instruction, where there is one; else null.
  virtual llvm::Value *multiplyAddNarrow(llvm::ArrayRef<llvm::Value *> operands,
                                         FloatFormat format);
  /// A quotient of f32 or f64, rounded once or at most 2 ULP away.
  virtual llvm::Value *divide(llvm::Value *a, llvm::Value *b);
  /// For functions of the device library that are not in Math.h or LibraryFunctions.h.
  virtual llvm::Value *emitLibraryRest(const impl::library_function &function,
                                       llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result);
  /// For functions that are not ours.
  virtual llvm::Value *emitUnknownExtern(tt::ExternElementwiseOp operation,
                                         llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitExtern(tt::ExternElementwiseOp operation,
                          llvm::ArrayRef<llvm::Value *> operands);
  /// Of the library that the operation names; see BitcodeLibraries.h.
  llvm::Value *emitUserFunction(tt::ExternElementwiseOp operation,
                                llvm::ArrayRef<llvm::Value *> operands);

  llvm::Value *emitFloat(mlir::Operation *operation, llvm::ArrayRef<llvm::Value *> operands,
                         llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> emit);
  llvm::Value *emitDivision(mlir::Operation *operation, llvm::Value *a, llvm::Value *b);
  /// How often a loop from `lower` towards `upper` runs, so that no counter overflows near the end
  /// of its type; 0 times by a step of 0, which is the caller's to report.
  llvm::Value *emitTripCount(llvm::Value *lower, llvm::Value *upper, llvm::Value *step,
                             bool isUnsigned);
  llvm::Value *emitShift(mlir::Operation *operation, llvm::Value *a, llvm::Value *b);
  llvm::Value *emitCast(mlir::Operation *operation, llvm::Value *value);
  /// Floats of 8 and 16 bits to f32 and back; others as they are.
  llvm::Value *widen(llvm::Value *value, FloatFormat from);
  llvm::Value *narrow(llvm::Value *value, FloatFormat to);

  llvm::LLVMContext &context;
  const ArithmeticFeatures &instructions;
  llvm::IRBuilder<> builder;
  const std::string targetName;
};

} // namespace tl::backend
