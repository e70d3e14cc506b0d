// SPDX-License-Identifier: MIT
//
// Functions that kernels call by the names of CUDA's device library: mathematics by way of Math.h,
// what is a few instructions by LibraryFunctions.h, and the rest as calls.
#include "arithmetic/Elementwise.h"

#include "arithmetic/BitcodeLibraries.h"
#include "arithmetic/LibraryFunctions.h"
#include "arithmetic/MathBuilder.h"
#include "dialect/Context.h"
#include "tl/impl/libdevice_functions.hpp"

namespace tl::backend {

using llvm::Value;

Value *ElementwiseEmitter::emitLibraryRest(const impl::library_function &function,
                                           llvm::ArrayRef<Value *> operands, llvm::Type *result) {
  return emitCallPerLane(builder, "tl_" + std::string(function.symbol()), operands, result);
}

Value *ElementwiseEmitter::emitUnknownExtern(tt::ExternElementwiseOp operation,
                                             llvm::ArrayRef<Value *>) {
  throw tt::errorAt(operation,
                    "the " + targetName + " target does not know the external function '" +
                        operation.getSymbol().str() + "' with these operands",
                    TL_UNSUPPORTED);
}

/// Floats of 16 bits are integers in registers, and halves and bfloats for a function of a library.
Value *ElementwiseEmitter::emitUserFunction(tt::ExternElementwiseOp operation,
                                            llvm::ArrayRef<Value *> operands) {
  auto natural = [&](mlir::Type type) -> llvm::Type * {
    if (type.isF16())
      return builder.getHalfTy();
    return type.isBF16() ? builder.getBFloatTy() : registerType(context, type);
  };
  llvm::SmallVector<Value *> values;
  for (auto [operand, value] : llvm::zip(operation.getSrcs(), operands)) {
    llvm::Type *type = natural(elementType(operand.getType()));
    values.push_back(builder.CreateBitCast(value, value->getType()->getWithNewType(type)));
  }
  const mlir::Type resultElement = elementType(operation.getType());
  try {
    Value *result = emitBitcodeCall(builder, operation.getLibpath(), operation.getSymbol(), values,
                                    natural(resultElement), operation.getPure());
    return builder.CreateBitCast(
        result, result->getType()->getWithNewType(registerType(context, resultElement)));
  } catch (const BitcodeLibraryError &error) {
    throw tt::errorAt(operation, error.message, TL_UNSUPPORTED);
  }
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
    if (llvm::any_of(impl::library_functions, [&](const auto &function) {
          return function.symbol() == std::string_view(symbol);
        }))
      return ElementwiseEmitter::emitUnknownExtern(operation, operands);
  }
  if (!operation.getLibpath().empty())
    return emitUserFunction(operation, operands);
  return emitUnknownExtern(operation, operands);
}

} // namespace tl::backend
