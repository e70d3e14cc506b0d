// SPDX-License-Identifier: MIT
#include "lowering/ScalarEmitter.h"

#include "dialect/Context.h"
#include "tl/impl/libdevice_functions.hpp"

namespace tl::backend {

using llvm::Value;

ScalarEmitter::ScalarEmitter(llvm::Module &module, const GpuTarget &target)
    : ElementwiseEmitter(module.getContext(), gpuFeatures, target.program.name()), module(module),
      target(target) {}

Value *ScalarEmitter::convertFloat(Value *value, FloatFormat from, FloatFormat to,
                                   Rounding rounding) {
  if (Value *native = target.arithmetic.convert(builder, value, from, to, rounding))
    return native;
  return ElementwiseEmitter::convertFloat(value, from, to, rounding);
}

Value *ScalarEmitter::convertInteger(Value *value, bool isSigned, FloatFormat to) {
  if (Value *native = target.arithmetic.convertInteger(builder, value, isSigned, to))
    return native;
  return ElementwiseEmitter::convertInteger(value, isSigned, to);
}

Value *ScalarEmitter::math(MathFunction function, llvm::ArrayRef<Value *> operands) {
  if (Value *native = target.arithmetic.math(builder, function, operands))
    return native;
  return ElementwiseEmitter::math(function, operands);
}

Value *ScalarEmitter::multiplyAddNarrow(llvm::ArrayRef<Value *> operands, FloatFormat format) {
  if (format != FloatFormat::f16 && format != FloatFormat::bf16)
    return nullptr;
  llvm::Type *type = format == FloatFormat::f16 ? builder.getHalfTy() : builder.getBFloatTy();
  llvm::SmallVector<Value *, 3> floats;
  for (Value *operand : operands)
    floats.push_back(builder.CreateBitCast(operand, type));
  Value *native = target.arithmetic.math(builder, MathFunction::fma, floats);
  return native ? builder.CreateBitCast(native, operands[0]->getType()) : nullptr;
}

Value *ScalarEmitter::divide(Value *a, Value *b) {
  if (Value *native = target.arithmetic.divide(builder, a, b))
    return native;
  return ElementwiseEmitter::divide(a, b);
}

Value *ScalarEmitter::callLibrary(llvm::StringRef symbol, llvm::ArrayRef<Value *> operands,
                                  llvm::Type *result) {
  llvm::SmallVector<llvm::Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(result, types, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction(symbol, type);
  auto *known = llvm::dyn_cast<llvm::Function>(callee.getCallee());
  return known && known->getFunctionType() == type ? builder.CreateCall(callee, operands) : nullptr;
}

/// A call that the target resolves.
Value *ScalarEmitter::emitLibraryRest(const impl::library_function &function,
                                      llvm::ArrayRef<Value *> operands, llvm::Type *result) {
  return callLibrary("__nv_" + std::string(function.symbol()), operands, result);
}

/// A call that the target resolves, from the vendor's library.
Value *ScalarEmitter::emitUnknownExtern(tt::ExternElementwiseOp operation,
                                        llvm::ArrayRef<Value *> operands) {
  llvm::StringRef symbol = operation.getSymbol();
  if (!target.arithmetic.isLibraryFunction(symbol))
    return ElementwiseEmitter::emitUnknownExtern(operation, operands);
  llvm::Type *result = registerType(context, elementType(operation.getType()));
  if (Value *call = callLibrary(symbol, operands, result))
    return call;
  throw tt::errorAt(operation,
                    "the " + target.program.name() + " target cannot call the function '" +
                        symbol.str() + "' with operands of two kinds",
                    TL_UNSUPPORTED);
}

} // namespace tl::backend
