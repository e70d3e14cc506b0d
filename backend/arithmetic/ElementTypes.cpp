// SPDX-License-Identifier: MIT
#include "arithmetic/ElementTypes.h"

#include "support/Error.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/raw_ostream.h"

namespace tl::backend {

mlir::Type elementType(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return tensor.getElementType();
  return type;
}

llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

int64_t elementCount(mlir::Type type) {
  int64_t count = 1;
  for (int64_t extent : shapeOf(type))
    count *= extent;
  return count;
}

std::optional<FloatFormat> floatFormat(mlir::Type element) {
#define FLOAT(id, kind, bytes, name, type, ...)                                                    \
  if (mlir::isa<mlir::type>(element))                                                              \
    return FloatFormat::id;
  TL_FLOAT_TYPES(FLOAT, FLOAT)
#undef FLOAT
  return std::nullopt;
}

std::optional<FloatFormat> floatFormat(tt::ScaleDotElemType type) {
  switch (type) {
  case tt::ScaleDotElemType::E4M3:
    return FloatFormat::f8E4M3FN;
  case tt::ScaleDotElemType::E5M2:
    return FloatFormat::f8E5M2;
  case tt::ScaleDotElemType::BF16:
    return FloatFormat::bf16;
  case tt::ScaleDotElemType::FP16:
    return FloatFormat::f16;
  default:
    return std::nullopt;
  }
}

llvm::Type *registerType(llvm::LLVMContext &context, mlir::Type element) {
  if (auto format = floatFormat(element))
    return storageType(context, *format);
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element)) {
    switch (integer.getWidth()) {
    case 1:
    case 8:
    case 16:
    case 32:
    case 64:
      return llvm::Type::getIntNTy(context, integer.getWidth());
    }
  }
  if (element.isIndex())
    return llvm::Type::getInt64Ty(context);
  if (mlir::isa<tt::PointerType>(element))
    return llvm::PointerType::get(context, 0);
  std::string message;
  llvm::raw_string_ostream(message) << "no target has elements of type " << element;
  throw Error(TL_UNSUPPORTED, message);
}

llvm::Type *memoryType(llvm::LLVMContext &context, mlir::Type element) {
  if (element.isInteger(1))
    return llvm::Type::getInt8Ty(context);
  return registerType(context, element);
}

llvm::Type *withLanes(llvm::Type *type, unsigned lanes) {
  return lanes == 1 ? type : llvm::FixedVectorType::get(type, lanes);
}

} // namespace tl::backend
