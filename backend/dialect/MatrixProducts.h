// SPDX-License-Identifier: MIT
//
// Products that go on by themselves: operations of TTGIR. MatrixProducts.td has the records,
// lowering/WarpGroupProducts.cpp what becomes of them.
#pragma once

#include "dialect/Dialect.h"
#include "dialect/Gpu.h"

#define GET_OP_CLASSES
#include "dialect/MatrixProducts.h.inc"

namespace tl::ttg {

/// Whether products of groups of warps read the memory, or a view of it, through their own proxy.
bool isReadByProducts(mlir::Value memory);

} // namespace tl::ttg
