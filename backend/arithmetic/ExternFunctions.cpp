// SPDX-License-Identifier: MIT
//
// Functions that kernels call by the names of CUDA's device library: mathematics by way of Math.h,
// those that are an instruction here, and what else there is in LibraryFunctions.h.
#include "arithmetic/Elementwise.h"

#include "arithmetic/LibraryFunctions.h"
#include "dialect/Context.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace tl::backend {

using llvm::Value;

/// The length of a vector of three or four numbers, or its reciprocal.
Value *ElementwiseEmitter::emitNorm(llvm::StringRef name, llvm::ArrayRef<Value *> operands,
                                    llvm::Type *result) {
  const bool isReciprocal = name.consume_front("r");
  const auto count = llvm::StringSwitch<size_t>(name)
                         .Cases({"norm3d", "norm3df"}, 3)
                         .Cases({"norm4d", "norm4df"}, 4)
                         .Default(0);
  const bool hasTypes = (name.ends_with("f") ? result->isFloatTy() : result->isDoubleTy()) &&
                        llvm::all_of(operands, [&](Value *operand) {
                          return operand->getType()->getScalarType() == result;
                        });
  if (count == 0 || operands.size() != count || !hasTypes)
    return nullptr;
  Value *length = math(MathFunction::hypot, operands.take_front(2));
  Value *rest = count == 3 ? operands[2] : math(MathFunction::hypot, operands.drop_front(2));
  length = math(MathFunction::hypot, {length, rest});
  return isReciprocal ? builder.CreateFDiv(llvm::ConstantFP::get(length->getType(), 1), length)
                      : length;
}

Value *ElementwiseEmitter::emitUnknownExtern(tt::ExternElementwiseOp operation,
                                             llvm::ArrayRef<Value *> operands) {
  llvm::StringRef name = operation.getSymbol();
  if (name.consume_front("__nv_")) {
    llvm::Type *result = registerType(context, elementType(operation.getType()));
    if (Value *norm = emitNorm(name, operands, result))
      return norm;
    if (Value *value = emitLibraryFunction(builder, name, operands, result))
      return value;
  }
  throw tt::errorAt(operation,
                    "the " + targetName + " target does not know the external function '" +
                        operation.getSymbol().str() + "' with these operands",
                    TL_UNSUPPORTED);
}

Value *ElementwiseEmitter::emitExtern(tt::ExternElementwiseOp operation,
                                      llvm::ArrayRef<Value *> operands) {
  llvm::StringRef symbol = operation.getSymbol();
  mlir::Type resultElement = elementType(operation.getType());
  const bool sameOperands = !operands.empty() && llvm::all_equal(operation.getSrcs().getTypes());
  const bool sameTypes =
      sameOperands && elementType(operation.getSrcs().front().getType()) == resultElement;
  if (auto function = mathFunctionOfSymbol(std::string_view(symbol.data(), symbol.size())))
    if (operandCount(*function) == operands.size() && sameTypes && floatFormat(resultElement))
      return emitFloat(operation, operands, [&](auto v) { return math(*function, v); });
  llvm::Type *type = operands.empty() ? nullptr : operands[0]->getType();
  auto fit = [&](Value *value) {
    return builder.CreateZExtOrTrunc(
        value, value->getType()->getWithNewType(registerType(context, resultElement)));
  };
  enum class Integer { none, clz, popc, brev, ffs, abs, min, max, umin, umax, mulhi, umulhi };
  auto which = llvm::StringSwitch<Integer>(symbol)
                   .Cases({"__nv_clz", "__nv_clzll"}, Integer::clz)
                   .Cases({"__nv_popc", "__nv_popcll"}, Integer::popc)
                   .Cases({"__nv_brev", "__nv_brevll"}, Integer::brev)
                   .Cases({"__nv_ffs", "__nv_ffsll"}, Integer::ffs)
                   .Cases({"__nv_abs", "__nv_llabs"}, Integer::abs)
                   .Cases({"__nv_min", "__nv_llmin"}, Integer::min)
                   .Cases({"__nv_max", "__nv_llmax"}, Integer::max)
                   .Cases({"__nv_umin", "__nv_ullmin"}, Integer::umin)
                   .Cases({"__nv_umax", "__nv_ullmax"}, Integer::umax)
                   .Cases({"__nv_mulhi", "__nv_mul64hi"}, Integer::mulhi)
                   .Cases({"__nv_umulhi", "__nv_umul64hi"}, Integer::umulhi)
                   .Default(Integer::none);
  // Counts and places have another width than what they are of.
  const bool hasTypes = which < Integer::abs
                            ? sameOperands && mlir::isa<mlir::IntegerType>(resultElement)
                            : sameTypes;
  bool integers = type && type->isIntOrIntVectorTy();
  size_t wanted = which >= Integer::min ? 2 : 1;
  if (which == Integer::none || !integers || !hasTypes || operands.size() != wanted)
    return emitUnknownExtern(operation, operands);
  Value *x = operands[0];
  switch (which) {
  case Integer::clz:
    return fit(builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, builder.getFalse()));
  case Integer::popc:
    return fit(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x));
  case Integer::brev:
    return fit(builder.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, x));
  case Integer::ffs: {
    Value *zeros = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, x, builder.getFalse());
    Value *position = builder.CreateAdd(zeros, llvm::ConstantInt::get(type, 1));
    Value *none = llvm::Constant::getNullValue(type);
    return fit(builder.CreateSelect(builder.CreateICmpEQ(x, none), none, position));
  }
  case Integer::abs:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, builder.getFalse());
  case Integer::min:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, operands[1]);
  case Integer::max:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, operands[1]);
  case Integer::umin:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, operands[1]);
  case Integer::umax:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, operands[1]);
  default: {
    unsigned width = type->getScalarSizeInBits();
    llvm::Type *wide = type->getWithNewBitWidth(2 * width);
    auto extend = [&](Value *value) {
      return which == Integer::mulhi ? builder.CreateSExt(value, wide)
                                     : builder.CreateZExt(value, wide);
    };
    Value *product = builder.CreateMul(extend(x), extend(operands[1]));
    return builder.CreateTrunc(builder.CreateLShr(product, llvm::ConstantInt::get(wide, width)),
                               type);
  }
  }
}

} // namespace tl::backend
