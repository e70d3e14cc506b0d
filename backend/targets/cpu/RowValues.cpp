// SPDX-License-Identifier: MIT
#include "targets/cpu/RowValues.h"

#include "dialect/Dialect.h"
#include "mlir/IR/Matchers.h"

namespace tl::backend::cpu {

bool isSameAlongRows(mlir::Value value) {
  auto shape = [](mlir::Value tensor) {
    return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
  };
  for (;;) {
    mlir::DenseElementsAttr elements;
    if (value.getDefiningOp<tt::SplatOp>() ||
        (mlir::matchPattern(value, mlir::m_Constant(&elements)) && elements.isSplat()))
      return true;
    if (auto broadcast = value.getDefiningOp<tt::BroadcastOp>()) {
      if (shape(broadcast.getSrc()).back() != shape(value).back())
        return true;
      value = broadcast.getSrc();
      continue;
    }
    auto expand = value.getDefiningOp<tt::ExpandDimsOp>();
    if (!expand || expand.getAxis() + 1 == shape(value).size())
      return false;
    value = expand.getSrc();
  }
}

} // namespace tl::backend::cpu
