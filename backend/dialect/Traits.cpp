// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

using namespace mlir;

namespace tl::tt {

LogicalResult verifyTensorSize(Type type, llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return success();
  if (!tensor.hasStaticShape())
    return emitError() << "tensor has an extent that is not known when compiling";
  int64_t elements = 1;
  bool isPadded = false;
  for (int64_t extent : tensor.getShape()) {
    if (extent <= 0)
      return emitError() << "tensor extents must be at least 1, found " << shapeText(tensor);
    // Layouts know powers of two alone; without one a tensor is padded before it gets one.
    isPadded |= !llvm::isPowerOf2_64(uint64_t(extent));
    if (isPadded && cast<RankedTensorType>(type).getEncoding())
      return emitError() << "tensor extents must be powers of two, found " << shapeText(tensor);
    const int64_t grown = int64_t(llvm::PowerOf2Ceil(uint64_t(extent)));
    if (extent > maxTensorElements || elements * grown > maxTensorElements)
      return emitError() << "tensor has more than " << maxTensorElements << " elements"
                         << (isPadded ? " when its extents grow to powers of two, found "
                                      : ", found ")
                         << shapeText(tensor);
    elements *= grown;
  }
  return success();
}

LogicalResult verifyWellFormed(Operation *op) {
  auto emitError = [op] { return op->emitOpError(); };
  for (Type type : op->getOperandTypes())
    if (failed(verifyTensorSize(type, emitError)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyTensorSize(type, emitError)))
      return failure();
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.') || (isa<FuncOp>(op) && name == "noinline"))
      continue;
    return op->emitOpError() << "has an unknown attribute '" << name << "'";
  }
  return success();
}

} // namespace tl::tt
