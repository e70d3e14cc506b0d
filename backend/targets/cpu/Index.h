// SPDX-License-Identifier: MIT
//
// Where in a tensor a value is wanted. An Index is a row-major number written in mixed radix: a
// list of digits, most significant first, whose extents multiply to the number of elements. All
// extents are powers of two, so a digit is a field of the bits of the linear index, and what the
// shape operations do to an index is cutting, dropping and reordering digits:
//
//   element of an [8, 16] tensor, loop variables i < 8 and j < 16     digits  (8: i) (16: j)
//   the same element of its reshape to [128] or [2, 64] or [8, 16, 1]         unchanged
//   the element of the [16, 8] tensor of which it is the transpose            (16: j) (8: i)
//   the element of the [8, 1] tensor of which it is the broadcast             (8: i)
//
// Digits need not agree with dimensions: a sum over one axis of a 2x2x…x2 tensor runs over three
// digits (outside, axis, inside), not over twenty loops.
//
// A point stands for `lanes` neighbouring elements when code is vectorised. The lanes are spread
// over the lowest digits of the loop nest: each digit says which bits of the lane number it holds.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"

#include <cstdint>

namespace tl::backend::cpu {

struct Digit {
  int64_t extent = 1;
  /// i64: the digit of lane 0; or, if `general`, a vector of i64 with every lane's digit.
  llvm::Value *base = nullptr;
  /// Lane l has base + ((l >> laneShift) mod 2^laneBits). The base is a multiple of 2^laneBits.
  uint8_t laneShift = 0, laneBits = 0;
  bool general = false;
  /// The loop in which the digit is known: 0 is outside of all loops of the nest.
  unsigned level = 0;

  bool varies() const { return general || laneBits > 0; }
  bool operator==(const Digit &other) const {
    return extent == other.extent && base == other.base && laneShift == other.laneShift &&
           laneBits == other.laneBits && general == other.general;
  }
};

using Digits = llvm::SmallVector<Digit, 4>;

struct Index {
  Digits digits;

  bool operator==(const Index &other) const { return digits == other.digits; }
  unsigned level() const {
    unsigned level = 0;
    for (const Digit &digit : digits)
      level = std::max(level, digit.level);
    return level;
  }
  bool varies() const {
    for (const Digit &digit : digits)
      if (digit.varies())
        return true;
    return false;
  }
};

/// The value of an element type at the lanes of an index, in the cheapest of four forms. That form
/// is also the analysis of memory accesses: a load whose pointer comes out as `affine` with a
/// stride of one element is a plain vector load.
struct Lanes {
  enum class Form : uint8_t {
    uniform, ///< a scalar, the same in all lanes
    affine,  ///< lane l has value + l * stride; stride is an integer scalar (bytes for pointers,
             ///< i64)
    spread,  ///< pointers: lane l has value + offsets[l] elements; value is a scalar, offsets a
             ///< vector of narrow integers, which a gather makes wide by itself
    vector   ///< a vector
  };
  Form form = Form::uniform;
  llvm::Value *value = nullptr;
  llvm::Value *stride = nullptr;
  llvm::Value *offsets = nullptr;
  llvm::Type *pointee = nullptr; // of spread pointers
  /// An affine address that counts on its offsets to go on past the end of their type; see
  /// FunctionLowering::address.
  bool assumesNoWrap = false;

  static Lanes uniform(llvm::Value *value) { return {Form::uniform, value}; }
  static Lanes affine(llvm::Value *value, llvm::Value *stride) {
    return {Form::affine, value, stride};
  }
  static Lanes spread(llvm::Value *base, llvm::Value *offsets, llvm::Type *pointee) {
    return {Form::spread, base, nullptr, offsets, pointee};
  }
  static Lanes vector(llvm::Value *value) { return {Form::vector, value}; }

  bool isUniform() const { return form == Form::uniform; }
  bool isAffine() const { return form == Form::affine; }
  bool isSpread() const { return form == Form::spread; }
  bool isVector() const { return form == Form::vector; }
};

/// log2 of a power of two.
unsigned bitsOf(int64_t extent);

} // namespace tl::backend::cpu
