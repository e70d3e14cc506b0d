// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/Debug.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerDebugOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Debug.cpp.inc"
      >();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size())
    return emitOpError() << "needs one entry of isSigned per value: expected " << getArgs().size()
                         << ", found " << getIsSigned().size();
  if (getWritten() && getWritten()->size() != getArgs().size())
    return emitOpError() << "needs one type of written per value: expected " << getArgs().size()
                         << ", found " << getWritten()->size();
  for (auto [number, value] : llvm::enumerate(getArgs())) {
    const SmallVector<int64_t> printed = getPrintedShape(unsigned(number));
    auto type = dyn_cast<RankedTensorType>(value.getType());
    ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
    if (printed.size() != shape.size() || !llvm::all_of(llvm::zip(printed, shape), [](auto pair) {
          return std::get<0>(pair) <= std::get<1>(pair);
        }))
      return emitOpError() << "cannot print " << shapeText(printed) << " of " << shapeText(shape);
  }
  return success();
}

SmallVector<int64_t> PrintOp::getPrintedShape(unsigned number) {
  Type type = getWritten() ? cast<TypeAttr>((*getWritten())[number]).getValue()
                           : getArgs()[number].getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? SmallVector<int64_t>(tensor.getShape()) : SmallVector<int64_t>();
}

} // namespace tl::tt
