// SPDX-License-Identifier: MIT
//
// Functions that kernels call by the names of CUDA's device library: mathematics by way of Math.h,
// what is a few instructions by LibraryFunctions.h, and the rest as calls.
#include "arithmetic/Elementwise.h"

#include "arithmetic/LibraryFunctions.h"
#include "arithmetic/MathBuilder.h"
#include "dialect/Context.h"
#include "tl/impl/libdevice_functions.hpp"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

/// The length of a vector of three or four numbers, or its reciprocal.
Value *ElementwiseEmitter::emitNorm(llvm::StringRef name, llvm::ArrayRef<Value *> operands) {
  const bool isReciprocal = name.consume_front("r");
  if (!name.starts_with("norm3d") && !name.starts_with("norm4d"))
    return nullptr;
  Value *length = math(MathFunction::hypot, operands.take_front(2));
  Value *rest =
      operands.size() == 3 ? operands[2] : math(MathFunction::hypot, operands.drop_front(2));
  length = math(MathFunction::hypot, {length, rest});
  return isReciprocal ? builder.CreateFDiv(llvm::ConstantFP::get(length->getType(), 1), length)
                      : length;
}

Value *ElementwiseEmitter::emitLibraryRest(const impl::library_function &function,
                                           llvm::ArrayRef<Value *> operands, llvm::Type *result) {
  if (Value *norm = emitNorm(function.symbol, operands))
    return norm;
  return emitCallPerLane(builder, "tl_" + std::string(function.symbol), operands, result);
}

Value *ElementwiseEmitter::emitUnknownExtern(tt::ExternElementwiseOp operation,
                                             llvm::ArrayRef<Value *>) {
  throw tt::errorAt(operation,
                    "the " + targetName + " target does not know the external function '" +
                        operation.getSymbol().str() + "' with these operands",
                    TL_UNSUPPORTED);
}

Value *ElementwiseEmitter::emitExtern(tt::ExternElementwiseOp operation,
                                      llvm::ArrayRef<Value *> operands) {
  llvm::StringRef symbol = operation.getSymbol();
  mlir::Type resultElement = elementType(operation.getType());
  const bool sameTypes = !operands.empty() && llvm::all_equal(operation.getSrcs().getTypes()) &&
                         elementType(operation.getSrcs().front().getType()) == resultElement;
  if (auto function = mathFunctionOfSymbol(std::string_view(symbol.data(), symbol.size())))
    if (operandCount(*function) == operands.size() && sameTypes && floatFormat(resultElement))
      return emitFloat(operation, operands, [&](auto v) { return math(*function, v); });
  if (symbol.consume_front("__nv_")) {
    llvm::Type *result = registerType(context, resultElement);
    if (const auto *function = findLibraryFunction(symbol, operands, result)) {
      if (symbol == "fast_fdividef" || symbol == "fdividef")
        return divide(operands[0], operands[1]);
      if (Value *value = emitLibraryFunction(builder, symbol, operands, result))
        return value;
      return emitLibraryRest(*function, operands, result);
    }
    if (llvm::any_of(impl::library_functions,
                     [&](const auto &function) { return symbol == function.symbol; }))
      return ElementwiseEmitter::emitUnknownExtern(operation, operands);
  }
  return emitUnknownExtern(operation, operands);
}

} // namespace tl::backend
