// SPDX-License-Identifier: MIT
//
// The layouts that have names in the field, as constructors of LinearLayout: how a tile is
// distributed over registers, lanes and warps (blocked, slices of it, the operands and accumulators
// of matrix instructions) and how it lies in shared memory (row by row, swizzled). Each one is said
// as bits, so every question about them is answered by LinearLayout and Queries.h, with no case per
// name.
//
// Input dimensions of distributed layouts are "register", "lane", "warp", "block", in this order;
// of shared ones "offset" (in elements) and "block". Outputs are "dim0", "dim1", ... with the last
// the most minor. Shapes are powers of two. A layout that is smaller than the shape repeats in
// registers; one that is larger than the shape holds elements more than once (images of zero).
#pragma once

#include "layout/LinearLayout.h"

#include <vector>

namespace tl::backend {

using Shape = std::vector<int64_t>;

/// "dim0", "dim1", ...
std::string dimName(unsigned axis);

/// How many warps share a block's work along each axis, and how many lanes and registers: the
/// layout of elementwise code. `order` lists axes from the most minor. Extents are powers of two.
struct Blocked {
  std::vector<unsigned> registers, lanes, warps, order;
};
LinearLayout blockedLayout(const Shape &shape, const Blocked &blocked);

/// The blocked layout that gives each thread up to as many neighbours along the first axes of
/// `order` as `perThread` says of each, and then distributes lanes and warps along the axes in this
/// order. Where the tensor is smaller than the threads, it is held more than once.
LinearLayout distributedLayout(const Shape &shape, const std::vector<unsigned> &order,
                               const std::vector<unsigned> &perThread, unsigned lanes,
                               unsigned warps);
/// The same with rows in the usual order, one element a thread at a time.
LinearLayout plainLayout(const Shape &shape, unsigned lanes, unsigned warps);
/// The layout of a product (the last two axes; those before them number products) that is computed
/// by multiply-adds: registers, lanes and warps are distributed along both axes, so that a thread,
/// which reads a row of the first operand for each of its rows and a column of the second for each
/// of its columns, reads few; and among the best by that, rows lie in few warps and lanes. Up to
/// four neighbouring columns are a thread's, and up to four neighbouring rows.
///
///   128 x 128, 4 warps: registers 8 x 16, lanes 4 x 8, warps 4 x 1
///
/// Lanes are numbered so that 0 and 1 share columns, 0 and 2 rows, and so on: shared memory answers
/// half a warp at once where such neighbours read the same 16 bytes, otherwise a quarter.
LinearLayout productLayout(const Shape &shape, unsigned lanes, unsigned warps);
/// What each thread reads of an operand (index 0: the first, 1: the second) of extent `k` for its
/// elements of a product: all of k, the lowest bits of the registers' numbers, for its rows or
/// columns.
LinearLayout productOperand(const LinearLayout &product, unsigned index, int64_t k);
/// Axes from the last to the first: the order of rows in memory.
std::vector<unsigned> lastAxisFirst(unsigned rank);

/// The layout of a tensor that is `parent` with axis `axis` reduced away (or about to be expanded):
/// the axis is forgotten and what then repeats in registers is dropped.
LinearLayout sliceLayout(const LinearLayout &parent, unsigned axis);

/// Accumulator of mma.sync m16n8 (sm_80 and later) for 32-bit results: a 16x8 tile a warp, two
/// neighbouring columns and two rows eight apart a lane. `warps` along (m, n). `elementBits` is 32,
/// or 64 for f64 results (m8n8).
LinearLayout mma2Accumulator(const Shape &shape, const std::vector<unsigned> &warps,
                             unsigned elementBits = 32);

/// Accumulator of wgmma m64nNk*: four warps stacked along m, N columns an instruction.
LinearLayout wgmmaAccumulator(const Shape &shape, unsigned instructionN,
                              const std::vector<unsigned> &warps);

/// How `warps` warps (four or more) share a result of such instructions: along m as far as there
/// are 16 rows for each, the others along n.
std::vector<unsigned> wgmmaWarps(const Shape &shape, unsigned warps);

/// Operand of mma.sync m16n8kK (index 0: A, m x k; index 1: B, k x n) of elements of `bits` bits,
/// for accumulators laid out by mma2Accumulator with the same warps.
LinearLayout mma2Operand(const Shape &shape, unsigned index, unsigned bits,
                         const std::vector<unsigned> &warps);

/// The first operand of wgmma in registers, for accumulators laid out by wgmmaAccumulator with the
/// same warps. (The second one is always read from shared memory.)
LinearLayout wgmmaOperand(const Shape &shape, unsigned bits, const std::vector<unsigned> &warps);

/// Operand of a dot that is computed by plain multiply-adds in a blocked layout: all of k in every
/// lane.
LinearLayout fmaOperand(const Shape &shape, unsigned index, const Blocked &accumulator);

/// Accumulators of AMD's matrix instructions on 64 lanes: MFMA of `side` 16 or 32. `elementBits` is
/// 32, or 64 for f64 results, of which a lane has every fourth row.
LinearLayout mfmaAccumulator(const Shape &shape, unsigned side, const std::vector<unsigned> &warps,
                             unsigned elementBits = 32);
/// Operand of MFMA: `kWidth` consecutive k a lane.
LinearLayout mfmaOperand(const Shape &shape, unsigned index, unsigned side, unsigned kWidth,
                         const std::vector<unsigned> &warps);
/// Accumulator of WMMA, a 16x16 tile on 32 lanes. Version 1 (gfx11) interleaves rows over the two
/// halves of the lanes, version 2 (gfx12) gives each half eight neighbouring rows.
LinearLayout wmmaAccumulator(const Shape &shape, unsigned version,
                             const std::vector<unsigned> &warps);
/// Operand of WMMA: `kWidth` consecutive k a lane. In version 1 both halves of the lanes hold the
/// same 16 values of k, in version 2 the upper half holds those that follow.
LinearLayout wmmaOperand(const Shape &shape, unsigned index, unsigned version, unsigned kWidth,
                         const std::vector<unsigned> &warps);

/// Row by row: element (i, j) of order {1, 0} at i * columns + j.
LinearLayout rowMajorShared(const Shape &shape, const std::vector<unsigned> &order);

/// Software swizzle: within a row of the fastest axis, groups of `vector` elements are exchanged by
/// xor with the phase (row / perPhase) % maxPhase, modulo the number of groups of a row.
struct Swizzle {
  unsigned vector = 1, perPhase = 1, maxPhase = 1;
};
LinearLayout swizzledShared(const Shape &shape, const std::vector<unsigned> &order,
                            const Swizzle &swizzle);

/// The hardware swizzle of TMA and wgmma, which exchanges bits of addresses: bits 4, 5 and 6 of the
/// byte's address are flipped by bits 7, 8 and 9 for `swizzleBytes` 128, bits 4 and 5 by 7 and 8
/// for 64, bit 4 by 7 for 32; none for 0. So 16-byte pieces of a row of `swizzleBytes` are
/// exchanged by the number of the 128-byte line. A tile wider than the row (16 bytes for 0) is cut
/// into panels of that width, one after the other; a narrower one has no such layout. The memory
/// begins at a multiple of 1024 bytes.
LinearLayout hardwareSwizzledShared(const Shape &shape, const std::vector<unsigned> &order,
                                    unsigned elementBits, unsigned swizzleBytes);

} // namespace tl::backend
