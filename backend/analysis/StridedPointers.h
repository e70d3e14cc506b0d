// SPDX-License-Identifier: MIT
//
// Which addresses a tile of pointers has, as an expression: offset + i * rowStep + j * columnStep
// elements after a parameter, where offset and steps are sums of products of scalars. For
//
//   x + (pid * 64 + range(0, 64)) * n + range(0, 128)
//
// the offset is 64 * pid * n, the step along the rows n, and the step along the columns 1. Pointers
// that a loop carries and advances by the same amount each time are their first value and that
// amount times the number of iterations.
//
// Sums and products of signed numbers are taken to be those of integers: as AxisInfo does, and
// upstream's, this relies on offsets not wrapping around in their types. It is not relied on that
// numbers of 64 bits fit into 32: each product remembers of which number of 32 bits it was a part.
#pragma once

#include "dialect/Dialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tl::backend {

/// A constant times scalars.
struct Monomial {
  int64_t constant = 0;
  llvm::SmallVector<mlir::Value, 4> factors; // below sign extensions
  /// Of the number of at most 32 bits that it is a part of, but for parameters it was multiplied by
  /// later; 0: of none.
  unsigned source = 0;
  int64_t narrow = 0; // the constant that it has there

  bool hasSameFactors(const Monomial &other) const;
};

/// A sum of products with different factors.
using Form = llvm::SmallVector<Monomial, 2>;

Form sumOf(const Form &a, const Form &b, int64_t times = 1);

/// The value of an integer, or the address of a pointer, for each element of a tensor.
struct StridedTile {
  mlir::Value base; // the parameter; null for integers
  Form offset;
  llvm::SmallVector<Form, 2> steps; // one for each axis
  bool isUniform() const {
    return llvm::all_of(steps, [](const Form &step) { return step.empty(); });
  }
};

class StridedPointers {
public:
  /// What the loop carries is known in terms of its induction variable.
  explicit StridedPointers(mlir::scf::ForOp loop) : loop(loop) {}

  /// Of a scalar or a tensor, of integers or pointers.
  std::optional<StridedTile> of(mlir::Value value);

  /// The number that both are parts of is new.
  void startSource(StridedTile &tile);

private:
  using Result = std::optional<StridedTile>;
  Result compute(mlir::Value value);
  Result carried(mlir::BlockArgument argument);
  Result scalar(mlir::Value value);
  std::optional<Form> product(const Form &a, const Form &b, bool isNarrow);

  mlir::scf::ForOp loop;
  llvm::DenseMap<mlir::Value, Result> known;
  unsigned sources = 0, depth = 0;
};

/// Whether the value is an integer parameter of the kernel.
bool isIntegerParameter(mlir::Value value);

} // namespace tl::backend
