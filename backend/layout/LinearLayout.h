// SPDX-License-Identifier: MIT
//
// LinearLayout answers where every element of a tensor lives: which register of which lane of which
// warp holds it, or which offset of shared memory. It is plain arithmetic on bits and knows nothing
// of MLIR. Next: NamedLayouts.h for the layouts that have names (blocked, MMA, swizzled), and
// Queries.h for what a lowering asks of them (vector width, bank conflicts, shuffles).
//
// The idea. Sizes in a tile program are powers of two, so an index is a string of bits. A linear
// layout is a map from the bits of a hardware index to the bits of a tensor coordinate that is
// linear over GF(2): the image of an index is the xor of the images of its set bits. So it is
// enough to write down the image of each single bit, the *basis*.
//
// A worked example: a 4x4 tensor on 4 lanes with 4 registers each, lane l holding row l.
//
//     register bit 0 -> (0,1)     lane bit 0 -> (1,0)
//     register bit 1 -> (0,2)     lane bit 1 -> (2,0)
//
// Register 3 of lane 2 = bits {reg0, reg1, lane1}: (0,1)^(0,2)^(2,0) = (2,3). Now let the registers
// be shared memory offsets of a tile whose columns are swizzled by the row (so that a column is
// spread over the banks): only the row bits change, row bit r also flips column bit r:
//
//     offset bit 0 -> (0,1)       offset bit 2 -> (1,1)
//     offset bit 1 -> (0,2)       offset bit 3 -> (2,2)
//
// Offset 4*r + c then holds element (r, c^r). Nothing else is needed to describe a swizzle, and the
// questions that a compiler asks become linear algebra on matrices of at most a few dozen bits:
//
//   where does lane l find the elements it wants?     invert the one map, compose with the other
//   does the conversion stay inside a lane or warp?   look which bits the composition mixes
//   which elements are held more than once?           the kernel of the map
//   how many elements can one access move?            how far the identity reaches from bit 0
//
// Input dimensions are hardware ("register", "lane", "warp", "block", or "offset"); output
// dimensions are tensor axes ("dim0", "dim1", ...). A dimension of size 1 has no bits. The order of
// output dimensions says how they are flattened: the first is the most minor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tl::backend {

/// A linear map over GF(2) from named input dimensions to named output dimensions.
///
/// Value type; every operation returns a new layout. Total input and output bits are at most 64
/// each. Preconditions are checked by `assert` where the caller computes them and by `optional`
/// where the answer may be "there is none".
class LinearLayout {
public:
  /// An output dimension and how many bits it has.
  struct OutDim {
    std::string name;
    unsigned bits = 0;
    bool operator==(const OutDim &other) const { return name == other.name && bits == other.bits; }
  };

  /// An input dimension and the image of each of its bits. An image is the flattened output: the
  /// coordinate of the first output dimension in the low bits.
  struct InDim {
    std::string name;
    std::vector<uint64_t> images;
    bool operator==(const InDim &other) const {
      return name == other.name && images == other.images;
    }
  };

  /// Coordinates by dimension name.
  using Index = std::vector<std::pair<std::string, uint64_t>>;

  /// The map from nothing to nothing: the unit of `*`.
  LinearLayout() = default;
  LinearLayout(std::vector<InDim> ins, std::vector<OutDim> outs);

  /// 2^bits values of `in` counting through `out`.
  static LinearLayout identity(std::string_view in, std::string_view out, unsigned bits);
  /// 2^bits values of `in` that all hold coordinate 0 of `out`: a broadcast.
  static LinearLayout zeros(std::string_view in, std::string_view out, unsigned bits);

  const std::vector<InDim> &ins() const { return ins_; }
  const std::vector<OutDim> &outs() const { return outs_; }
  unsigned inBits() const;
  unsigned outBits() const;
  /// Bits of one dimension; 0 if there is none of the name.
  unsigned inBits(std::string_view name) const;
  unsigned outBits(std::string_view name) const;
  bool hasIn(std::string_view name) const;
  bool hasOut(std::string_view name) const;

  /// Image of bit `bit` of input `in` along output `out`.
  uint64_t image(std::string_view in, unsigned bit, std::string_view out) const;
  /// Flattened image of a flattened input (first input dimension in the low bits).
  uint64_t apply(uint64_t flatInput) const;
  /// Image of an index by names; dimensions that are left out are 0.
  Index apply(const Index &input) const;

  /// The product: `other` is laid beside this one, above it where they share a dimension. A layout
  /// of a tile times a layout of how tiles repeat is the layout of the whole.
  LinearLayout operator*(const LinearLayout &other) const;
  /// `outer` after this: feeds this layout's outputs, by name, to the inputs of `outer`.
  LinearLayout compose(const LinearLayout &outer) const;
  /// The inverse of a bijection.
  std::optional<LinearLayout> invert() const;
  /// A right inverse of a surjection: for each output the input that holds it, the smallest one
  /// where several do (so broadcast inputs are 0).
  std::optional<LinearLayout> rightInverse() const;
  /// An input whose image is the flat output, the smallest one, if there is one.
  std::optional<uint64_t> solve(uint64_t flatOutput) const;
  /// The map from this layout's inputs to the inputs of `target` that hold the same element, the
  /// smallest where several do: how data must move to become laid out as `target`.
  std::optional<LinearLayout> convertTo(const LinearLayout &target) const;
  /// q with *this == divisor * q, if there is one: "this layout repeats the divisor's tile".
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;
  /// Keeps some inputs and some outputs.
  LinearLayout sublayout(const std::vector<std::string> &ins,
                         const std::vector<std::string> &outs) const;
  /// True if the named inputs have no influence on the named outputs.
  bool sublayoutIsZero(const std::vector<std::string> &ins,
                       const std::vector<std::string> &outs) const;

  /// Renames and reorders. `permuteOuts({1,0})` makes the first output the old second one; the
  /// names move with the dimensions. `renameOut` changes a name only.
  LinearLayout permuteOuts(const std::vector<unsigned> &order) const;
  LinearLayout permuteIns(const std::vector<unsigned> &order) const;
  LinearLayout renameOut(std::string_view from, std::string_view to) const;
  /// Splits the flattened output anew. Total bits must agree.
  LinearLayout reshapeOuts(std::vector<OutDim> outs) const;
  /// Drops an output dimension: its coordinate is forgotten.
  LinearLayout dropOut(std::string_view name) const;
  /// Removes the input bits of `in` whose image is zero (elements held twice by it).
  LinearLayout withoutZeroBits(std::string_view in) const;

  unsigned rank() const;
  bool isSurjective() const { return rank() == outBits(); }
  bool isInjective() const { return rank() == inBits(); }
  bool isBijective() const { return isSurjective() && isInjective(); }
  /// For each input dimension the bits that add no new element given the lower bits of the flat
  /// input: where the same data sit more than once.
  std::vector<std::pair<std::string, uint64_t>> freeBits() const;

  bool operator==(const LinearLayout &other) const {
    return ins_ == other.ins_ && outs_ == other.outs_;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  /// The same map, whatever the order in which dimensions are listed.
  bool equivalent(const LinearLayout &other) const;

  /// "register: (0,1) (0,2); lane: (1,0) (2,0)", outputs from the last to the first as one writes
  /// a coordinate.
  std::string toString() const;

private:
  std::vector<uint64_t> flatImages() const;
  unsigned outShift(std::string_view name) const;

  std::vector<InDim> ins_;
  std::vector<OutDim> outs_;
};

} // namespace tl::backend
