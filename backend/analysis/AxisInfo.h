// SPDX-License-Identifier: MIT
//
// What is known of the integers and pointers of a kernel along each axis of their tensors: how many
// neighbours count up by one, how many are equal, and which power of two divides them. It decides
// how wide a memory access may be. Next: passes/CoalesceAccesses.cpp, which chooses layouts from
// it.
//
// For a value x and an axis d, with all other coordinates fixed:
//
//   contiguity[d] = c    cut the axis into runs of c: within a run, each element is one more than
//                        the one before (pointers: one element further)
//   constancy[d] = c     cut the axis into runs of c: within a run, all elements are equal
//   divisibility[d] = q  q divides the first element of every run of contiguity[d] (pointers:
//                        the address in bytes); a power of two
//
// All are powers of two, and 1 says nothing. For offsets = program_id * 128 + range(0, 128):
//
//   contiguity 128, constancy 1, divisibility 128      program_id * 128 starts the one run
//
// and for the mask offsets < n, when 16 is known to divide n: runs start at multiples of 128, so
// n cuts them at a multiple of 16 only, and the mask has constancy 16. A load of 16-bit elements
// through 16-byte aligned pointers may then move 8 elements at a time under one predicate.
//
// Signed division and remainder round towards zero: they cut a run of numbers below zero at other
// places than one above. So it is also known which values are never negative.
//
// Sums that wrap around would break a run; kernels that rely on that have undefined addresses.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"

#include <memory>
#include <vector>

namespace tl::backend {

struct AxisInfo {
  llvm::SmallVector<int64_t, 4> contiguity, divisibility, constancy; // one for each axis
  std::optional<int64_t> constant;                                   // all elements are this
  bool nonNegative = false;                                          // no element is below zero

  AxisInfo() = default; // nothing reached the value yet
  /// Nothing is known.
  static AxisInfo unknown(mlir::Type type);
  /// A scalar or splat of a known number.
  static AxisInfo ofConstant(int64_t value, mlir::Type type);

  bool isUninitialized() const { return contiguity.empty(); }
  unsigned rank() const { return unsigned(contiguity.size()); }
  /// The axes by how many neighbours along them are neighbours in memory; among equals the last one
  /// first.
  std::vector<unsigned> mostContiguousFirst() const;
  bool operator==(const AxisInfo &other) const;
  /// What holds of both.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);
  void print(llvm::raw_ostream &os) const;
};

/// The analysis of a whole module. Scalars have one axis of extent 1.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::ModuleOp module);
  ~AxisInfoAnalysis();

  /// Never uninitialized: unknown for what was not reached.
  AxisInfo of(mlir::Value value) const;

  /// How many neighbours along `axis` one access through `pointer` may take: they are contiguous,
  /// the first is aligned to the whole, and `mask` (may be null) is equal for them.
  int64_t vectorWidth(mlir::Value pointer, mlir::Value mask, unsigned axis,
                      unsigned maxBytes = 16) const;

  /// The same where each of these runs may be the one in which the mask ends (see changesOnce):
  /// what is accessed at once in all other runs, and one by one in that.
  int64_t widthOutsideCuts(mlir::Value pointer, mlir::Value mask, unsigned axis,
                           unsigned maxBytes = 16) const;
  /// Whether the mask changes at most once within each run of `width` neighbours along the axis, so
  /// that the first and the last of them tell whether it holds for all, for none, or ends among
  /// them: `offsets < n` does for contiguous offsets.
  bool changesOnce(mlir::Value mask, unsigned axis, int64_t width) const;

private:
  struct Solver;
  std::unique_ptr<Solver> solver;
};

} // namespace tl::backend
