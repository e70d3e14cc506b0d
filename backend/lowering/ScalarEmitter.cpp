// SPDX-License-Identifier: MIT
#include "lowering/ScalarEmitter.h"

#include "dialect/Context.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// Fused multiply-adds and rounding instructions, and nothing else that the arithmetic would use.
constexpr ArithmeticFeatures gpuFeatures = [] {
  ArithmeticFeatures features;
  features.fma = true;
  features.rounding = true;
  return features;
}();

} // namespace

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

Value *ScalarEmitter::divide(Value *a, Value *b) {
  if (Value *native = target.arithmetic.divide(builder, a, b))
    return native;
  return ElementwiseEmitter::divide(a, b);
}

/// A call that the target resolves, from the vendor's library.
Value *ScalarEmitter::emitUnknownExtern(tt::ExternElementwiseOp operation,
                                        llvm::ArrayRef<Value *> operands) {
  llvm::StringRef symbol = operation.getSymbol();
  if (!target.arithmetic.isLibraryFunction(symbol))
    return ElementwiseEmitter::emitUnknownExtern(operation, operands);
  llvm::SmallVector<llvm::Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(registerType(context, elementType(operation.getType())),
                                       types, false);
  auto callee = module.getOrInsertFunction(symbol, type);
  auto *known = llvm::dyn_cast<llvm::Function>(callee.getCallee());
  if (!known || known->getFunctionType() != type)
    throw tt::errorAt(operation,
                      "the " + target.program.name() + " target cannot call the function '" +
                          symbol.str() + "' with operands of two kinds",
                      TL_UNSUPPORTED);
  return builder.CreateCall(callee, operands);
}

} // namespace tl::backend
