// SPDX-License-Identifier: MIT
//
// Products that go on by themselves: operations of TTGIR. MatrixProducts.td has the records,
// lowering/WarpGroupProducts.cpp what becomes of them.
#pragma once

#include "dialect/Dialect.h"
#include "dialect/Gpu.h"

#define GET_OP_CLASSES
#include "dialect/MatrixProducts.h.inc"
