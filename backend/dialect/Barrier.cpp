// SPDX-License-Identifier: MIT
#include "dialect/Barrier.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include "dialect/BarrierDialect.cpp.inc"
#include "dialect/BarrierEnums.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/Barrier.cpp.inc"

void tl::ttg::TTGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Barrier.cpp.inc"
      >();
}
