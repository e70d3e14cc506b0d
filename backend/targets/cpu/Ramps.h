// SPDX-License-Identifier: MIT
//
// What is known, without writing code, of the integers of a tensor as functions of their indices.
// Offsets and positions are mostly ramps: a base plus strides times indices. Integers wrap, and a
// ramp that passes the end of its type falls back to the start:
//
//   int32   2147483646  2147483647  -2147483648  …     and its elements made 64 bits wide
//
// So a ramp of 32 bits is one of 64 bits too only if it `extends`, and a comparison with a bound
// holds for a prefix only if the ramp does not wrap. Where that is not known here, the code tests
// the two ends of the ramp (Masks.cpp, Hazards.cpp) or computes element by element (Evaluate.cpp).
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace tl::backend::cpu {

struct Ramp {
  enum class Direction : int8_t { falling = -1, constant = 0, rising = 1, unknown = 2 };

  unsigned width = 64;
  /// With rising indices, while it does not wrap.
  Direction direction = Direction::unknown;
  /// At least the difference of the elements at the two ends, while it does not wrap.
  uint64_t span = UINT64_MAX;
  /// No element lies outside of these, as signed numbers.
  int64_t low = INT64_MIN, high = INT64_MAX;
  /// No sum or product of it wraps.
  bool exact = false;

  bool isConstant() const { return direction == Direction::constant; }
  /// Sign extension, of base and strides apart, gives the extended elements.
  bool extends() const { return exact && span < uint64_t(1) << (width - 1); }
  /// If it wraps, it does so once: its two ends are then in the wrong order.
  bool wrapsOnce() const { return width == 64 ? span != UINT64_MAX : span >> width == 0; }
};

/// The ramps of a function, each found once. The function must not change meanwhile.
class Ramps {
public:
  /// Of an integer or a tensor of them; of other types all is unknown.
  Ramp of(mlir::Value value);

private:
  Ramp find(mlir::Value value);

  llvm::DenseMap<mlir::Value, Ramp> known;
};

} // namespace tl::backend::cpu
