// SPDX-License-Identifier: MIT
//
// The block of a tensor that a load by pointers reads, if its pointers are strided; what is proven
// of it, and what is left to be checked. DescribePointers.cpp says what is asked for, and why.
#pragma once

#include "analysis/AxisInfo.h"
#include "analysis/StridedPointers.h"

#include "llvm/ADT/SetVector.h"

#include <limits>
#include <vector>

namespace tl::tt {

/// Most elements along an axis, which tensors have 32 bits and a sign for.
inline constexpr int64_t mostElements = std::numeric_limits<int32_t>::max();
/// Most elements of a block along an axis.
inline constexpr int64_t mostBlock = 256;

/// An axis of the tensor that a load reads.
struct BlockAxis {
  backend::Monomial stride; // parameters only
  backend::Form coordinate; // of the block's first element
  int64_t block = 1;        // elements of the block
  unsigned source = 0;      // of which number of 32 bits the index in the block is a part
  // By the mask:
  bool isMasked = false;
  backend::Form limit;        // if it is masked
  bool isNonNegative = false; // where it is true
  bool isNarrow = false;      // the coordinate is compared as a number of 32 bits
};

/// A check that is due before the loop: first + each * index is a coordinate, from the first index
/// of the loop to the last.
struct CoordinateCheck {
  backend::Form first;
  int64_t each = 0;
  bool fits = false; // into 32 bits, that is known

  bool isAsStrictAs(const CoordinateCheck &other) const {
    return each == other.each && (!fits || other.fits) &&
           backend::sumOf(first, other.first, -1).empty();
  }
};

/// Numbers of parameters that are taken for 0 to mostCount.
using Counts = llvm::SmallSetVector<unsigned, 4>;

struct PointerBlock {
  mlir::BlockArgument base;
  std::vector<BlockAxis> axes; // in the order of the descriptor: the last has neighbours in memory
  bool isTransposed = false;
  Counts counts;
  std::vector<CoordinateCheck> checks;
};

/// Of a load in the loop; nothing if TMA cannot load it, or that is not certain; with checks only
/// if there may be any.
std::optional<PointerBlock> pointerBlockOf(LoadOp load, mlir::scf::ForOp loop,
                                           const backend::AxisInfoAnalysis &info, bool mayCheck);

} // namespace tl::tt
