// SPDX-License-Identifier: MIT
//
// What lowerings ask of layouts: how wide an access may be, whether data must leave the lane, how
// shared memory banks collide, whether a matrix load fits. All are read off compositions of the
// maps; none looks at the name of a layout. Next: LinearLayout.h for the algebra.
#pragma once

#include "layout/LinearLayout.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tl::backend {

/// Elements that consecutive registers of a lane hold at consecutive offsets of memory whose
/// flattened order is that of `layout.outs()` (first the most minor): 2^k for the largest k such
/// that register bit i < k is memory bit i, and nothing else touches those bits.
unsigned contiguousRegisters(const LinearLayout &layout);

/// The map from the inputs of `distributed` (register, lane, warp, block) to those of `shared`
/// (offset, block): where each thread's element lies. Both must have the same outputs and `shared`
/// must hold all of them.
LinearLayout sharedOffsets(const LinearLayout &distributed, const LinearLayout &shared);

/// Elements of one vector access of shared memory, at most maxBytes: as contiguousRegisters, on the
/// offsets; the registers may need a permutation first, which is returned (bit i of the access
/// comes from register bit `registerBits[i]`).
struct SharedAccess {
  unsigned elements = 1;
  std::vector<unsigned> registerBits;
};
SharedAccess sharedAccess(const LinearLayout &distributed, const LinearLayout &shared,
                          unsigned elementBytes, unsigned maxBytes = 16);

/// Whether the lanes of a warp, each with `elements` neighbours in registers, go through one piece
/// of shared memory in order: lane l lies l times as many elements after the first one.
bool isInLaneOrder(const LinearLayout &distributed, const LinearLayout &shared, unsigned elements);

/// Passes that the banks of shared memory (`banks` of 4 bytes each) need for one
/// access of a warp, divided by the least possible number: 1 means free of conflicts.
unsigned bankConflicts(const LinearLayout &distributed, const LinearLayout &shared,
                       unsigned elementBytes, const SharedAccess &access, unsigned banks = 32);

/// A tensor in parts that lie side by side along its last axis, each in registers of its own of
/// every thread: the layout of a part, and which registers of the tensor each part has.
struct ColumnParts {
  LinearLayout layout;
  std::vector<std::vector<unsigned>> registers;
};
/// Parts of `columns` columns, a power of two; nothing if a lane or a warp decides which part it
/// holds.
std::optional<ColumnParts> columnParts(const LinearLayout &distributed, unsigned columns);

/// How far data must move so that `from` becomes `to` (same outputs, both complete): the least that
/// any choice among copies allows.
enum class Movement {
  None,      // each thread's registers already hold it in order
  Registers, // a permutation or copy of the thread's own registers
  Lanes,     // exchanges within the warp: shuffles
  Warps,     // through shared memory
  Blocks     // through the shared memory of other blocks of the cluster
};
Movement movement(const LinearLayout &from, const LinearLayout &to);

/// A conversion: from where each register of `to` takes its element. `sources` maps the inputs of
/// `to` to those of `from`; where `from` holds an element more than once, the holder that is
/// nearest is taken: the reader's own warp and lane if `movement` says so.
struct Conversion {
  Movement movement = Movement::None;
  LinearLayout sources;
};
Conversion conversion(const LinearLayout &from, const LinearLayout &to);

/// A conversion within the warp by shuffles alone, one a register of `to`, where the register that
/// a lane reads depends on the lane: each lane chooses what it presents and where it puts what it
/// got. In step k, lane l
///   presents register   presented(register = k, lane = l, warp, block)
///   reads from lane     read(register = k, lane = l, warp, block)
///   has got             the value of its register r where k = step(register = r, lane = l, ...)
/// Nothing if the movement is farther, or two readers of one lane want different registers of it.
struct ShufflePlan {
  LinearLayout presented, read, step;
};
std::optional<ShufflePlan> shufflePlan(const LinearLayout &from, const LinearLayout &to);

/// Whether ldmatrix / stmatrix of 8x8 tiles of 16-bit pairs can move between `distributed` and
/// `shared`: eight lanes' rows of 16 consecutive bytes. `transposed` for the .trans form, 16-bit
/// elements only. A question of the operands of matrix products that lie in shared memory: with it
/// a lowering may bring four tiles by one instruction instead of a load for each register.
bool matrixAccessFits(const LinearLayout &distributed, const LinearLayout &shared,
                      unsigned elementBytes, bool transposed);

/// What instructions for operands of matrix products move between shared memory and a warp.
enum class MatrixForm {
  Tiles,  // 8x8 words or, transposed, elements of 16 bits: ldmatrix and stmatrix
  Columns // of pieces of 8 bytes that 16 lanes read: ds_read_b64_tr
};

/// Instructions that read columns. Each lane of a group of 16 points to 8 bytes, n = 4 elements of
/// 16 bits or n = 8 of 8; the lanes in order make n rows of 16 elements, and each gets a column:
///
///     lane                    reads               lane          gets
///     16 g + (16 / n) r + p   row r, piece p      16 g + c      element c of rows 0 ... n - 1
///
/// So they are plain reads in another layout, in which the register bits of the column and the
/// lowest lane bits have changed places, as here for n = 4:
///
///     as it is wanted   registers r0 r1 ...   lanes l0 l1 l2 l3 l4 l5
///     as it is read     registers l0 l1 ...   lanes l2 l3 r0 r1 l4 l5
///
/// The layout in which they read; nothing if there are no such reads of these elements.
constexpr unsigned columnBytes = 8;
std::optional<LinearLayout> columnReading(const LinearLayout &distributed, unsigned elementBytes);

/// Such an access of all registers: how they are cut into instructions, and where the lanes point.
struct MatrixAccess {
  bool transposed = false;
  std::vector<unsigned> wordBits; // register bits that number the elements of a word: of 32 bits,
                                  // or a column of 64
  std::vector<unsigned> tileBits; // those that number the tiles of one instruction, at most two
  /// From (register, lane, warp, block) to the offset of a row: lane l points to row l % 8 of tile
  /// l / 8 of the instruction whose first register is `register`, or to the piece that it reads.
  LinearLayout rows;
  unsigned passes = 1; // through the banks, for a tile or the words of 32 lanes

  /// For all of that many registers.
  unsigned instructions(unsigned registers) const {
    return registers >> wordBits.size() >> tileBits.size();
  }
};
/// Nothing if it does not fit.
std::optional<MatrixAccess> matrixAccess(const LinearLayout &distributed,
                                         const LinearLayout &shared, unsigned elementBytes,
                                         MatrixForm form = MatrixForm::Tiles, unsigned banks = 32);

} // namespace tl::backend
