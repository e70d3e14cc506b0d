// SPDX-License-Identifier: MIT
//
// `ttg.barrier`, the only operation with a `ttg` name that kernels without layouts contain.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialect/BarrierDialect.h.inc"
#include "dialect/BarrierEnums.h.inc"
#define GET_OP_CLASSES
#include "dialect/Barrier.h.inc"
