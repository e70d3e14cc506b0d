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
  return success();
}

} // namespace tl::tt
