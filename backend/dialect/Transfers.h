// SPDX-License-Identifier: MIT
//
// Copies between global and shared memory that go on by themselves: operations of TTGIR.
// Transfers.td has the records, lowering/Transfers.cpp what becomes of them.
#pragma once

#include "dialect/Dialect.h"
#include "dialect/Gpu.h"

namespace tl::ttg {

/// A tensor of pointers.
bool isPointerTensor(mlir::Type type);

/// Whether masked elements are zeros, given what is there instead of them; null stands for zeros.
bool areZeros(mlir::Value other);

} // namespace tl::ttg

#define GET_OP_CLASSES
#include "dialect/Transfers.h.inc"
