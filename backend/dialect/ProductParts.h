// SPDX-License-Identifier: MIT
//
// A product of groups of warps over a part of k: the first k and the one after the last stand on
// ttg.warp_group_dot as `ttg.part`. Without it all of k is multiplied.
#pragma once

#include "dialect/MatrixProducts.h"

#include "mlir/IR/Builders.h"

#include <utility>

namespace tl::ttg {

inline constexpr const char *partName = "ttg.part";

/// Both are multiples of the instruction's extent along k.
inline void setPart(WarpGroupDotOp dot, int64_t first, int64_t end) {
  dot->setDiscardableAttr(
      partName, mlir::DenseI32ArrayAttr::get(dot->getContext(), {int32_t(first), int32_t(end)}));
}

inline std::pair<uint64_t, uint64_t> partOf(WarpGroupDotOp dot) {
  if (auto part = dot->getAttrOfType<mlir::DenseI32ArrayAttr>(partName); part && part.size() == 2)
    return {uint64_t(part[0]), uint64_t(part[1])};
  return {0, uint64_t(dot.getB().getType().getShape()[0])};
}

} // namespace tl::ttg
