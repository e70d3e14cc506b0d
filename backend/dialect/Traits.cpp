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
  for (int64_t extent : tensor.getShape()) {
    if (extent <= 0 || !llvm::isPowerOf2_64(extent))
      return emitError() << "tensor extents must be powers of two, found " << shapeText(tensor);
    if (extent > maxTensorElements || elements * extent > maxTensorElements)
      return emitError() << "tensor has more than " << maxTensorElements << " elements, found "
                         << shapeText(tensor);
    elements *= extent;
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
