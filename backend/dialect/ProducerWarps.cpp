// SPDX-License-Identifier: MIT
#include "dialect/ProducerWarps.h"

#include "dialect/Dialect.h"
#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/ProducerWarps.cpp.inc"

using namespace mlir;

namespace tl::ttg {

LogicalResult ProducerWarpsOp::verify() {
  for (int32_t count : {int32_t(getRegisters()), int32_t(getOthers())})
    if (count < 24 || count > 256 || count % 8)
      return emitOpError() << "gives a thread a multiple of 8 registers, from 24 to 256, found "
                           << count;
  if (producerWarps * getRegisters() + warpsBesideProducers * getOthers() >
      (producerWarps + warpsBesideProducers) * registersAtFirst)
    return emitOpError() << "gives " << getRegisters() << " and " << getOthers()
                         << " registers, more than the threads begin with";
  if (!isa<tt::FuncOp>((*this)->getParentOp()))
    return emitOpError("stands in a kernel, outside of loops and branches");
  return success();
}

} // namespace tl::ttg
