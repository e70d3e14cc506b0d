// SPDX-License-Identifier: MIT
//
// How a tensor goes from one layout to another through shared memory: which offset each element
// gets so that both sides move wide pieces and no two lanes meet in a bank. Next: Queries.h for
// counting conflicts, lowering/Conversions.cpp for the user.
//
// The construction. Write n for the bits of an element's number, K for those of a line of all 32
// banks (128 bytes). A layout of shared memory is a basis of these n bits: the first K are the
// offset within a line, the rest, H, the line. Lanes that are served at the same time collide if
// they differ by a sum with a part in H; so let A be the span of the lanes that the writer has in
// one pass, with the elements of its one access, and B the same for the reader. Then
//
//     no conflict on either side   <=>   H meets A and B in zero alone
//
// and such an H always exists: with A and B filled up to K bits, take a basis f of A and t of B
// beyond what they share; H is spanned by the sums f + t and by what lies outside of both. A
// transposition of 32 x 32 words has A = the columns, B = the rows, H = column bit + row bit: the
// diagonal swizzle.
//
// The lowest bits of an offset are the elements of one access, V; no other bit may move within
// them, so all of the above happens in the complement of V that the layout with the wide access
// has. They suit both sides as far as both hold the same neighbours in registers; beyond that one
// side may have wide accesses and the other not, sometimes at the price of conflicts. All choices
// are counted, and the one with the fewest passes wins, then the one with the fewest instructions.
#pragma once

#include "layout/LinearLayout.h"
#include "layout/Queries.h"

namespace tl::backend {

/// Shared memory for tensors of elements of `elementBytes` bytes (a power of two, at most 16) that
/// are written in layout `from` and read in layout `to` by at most `widestRead` bytes, where it has
/// `banks` banks.
LinearLayout exchangeLayout(const LinearLayout &from, const LinearLayout &to, unsigned elementBytes,
                            unsigned banks = 32, unsigned widestRead = 16);

/// Passes through the banks that a warp needs for all accesses of a layout, conflicts included.
unsigned bankPasses(const LinearLayout &distributed, const LinearLayout &shared,
                    unsigned elementBytes, unsigned banks = 32, unsigned widest = 16);

/// The same of reads, which are matrix accesses of that form where these are fewer.
unsigned readPasses(const LinearLayout &distributed, const LinearLayout &shared,
                    unsigned elementBytes, std::optional<MatrixForm> form, unsigned banks = 32);

} // namespace tl::backend
