// SPDX-License-Identifier: MIT
//
// Which row of a matrix is one of an instruction's rows is for us to choose, as long as the operand
// and the result agree: a product of matrices whose rows are exchanged is the product with its rows
// exchanged.
#pragma once

#include "layout/LinearLayout.h"

namespace tl::backend {

/// wgmmaAccumulator, or wgmmaOperand of 32-bit elements, with the rows exchanged so that a lane
/// reads neighbours at a time from memory in which rows run fastest. The first two bits of rows are
/// registers', as far as there are as many, and the fifth is the first of the lanes' (bit 2). In
/// patterns of 128 bytes, whose 16-byte pieces the number of k exchanges, the eight lanes that read
/// 16 bytes each at four k are in different banks then.
LinearLayout withNeighbouringRows(const LinearLayout &layout);

} // namespace tl::backend
