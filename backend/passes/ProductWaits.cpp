// SPDX-License-Identifier: MIT
#include "passes/ProductWaits.h"

#include "dialect/MatrixProducts.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace tl::ttg {

namespace {

/// The operation of the block that first needs what the wait hands on, or before which it has to
/// stand otherwise: loops and branches may have products and waits of their own.
Operation *firstNeed(WarpGroupDotWaitOp wait) {
  for (Operation *op = wait->getNextNode();; op = op->getNextNode()) {
    bool uses = llvm::any_of(op->getOperands(), [&](Value operand) {
      return llvm::is_contained(wait.getOutputs(), operand);
    });
    if (uses || isa<RegionBranchOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
      return op;
  }
}

} // namespace

void delayProductWaits(Block &block) {
  struct Product {
    WarpGroupDotOp dot;
    WarpGroupDotWaitOp wait;
    Operation *need;
  };
  SmallVector<Product> products;
  for (auto wait : block.getOps<WarpGroupDotWaitOp>()) {
    auto dot = wait.getInputs()[0].getDefiningOp<WarpGroupDotOp>();
    if (dot && dot->getBlock() == &block && wait.getInputs().size() == 1)
      products.push_back({dot, wait, firstNeed(wait)});
  }
  // Which have another one at their side, or the next one that adds to their result while its
  // operands are computed, decided before any of them moves.
  SmallVector<unsigned> later;
  SmallVector<bool> overlaps;
  for (const Product &one : products) {
    unsigned &count = later.emplace_back(0);
    for (Operation *op = one.dot->getNextNode(); op != one.need; op = op->getNextNode())
      count += isa<WarpGroupDotOp>(op);
    overlaps.push_back(count != 0 || isa<WarpGroupDotOp>(one.need) ||
                       llvm::any_of(products, [&](const Product &other) {
                         return other.dot->isBeforeInBlock(one.dot) &&
                                one.wait->isBeforeInBlock(other.need);
                       }));
  }
  for (auto [one, count, overlap] : llvm::zip(products, later, overlaps))
    if (overlap) {
      one.wait->moveBefore(one.need);
      one.wait.setPendings(count);
    }
}

} // namespace tl::ttg
