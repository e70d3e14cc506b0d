// SPDX-License-Identifier: MIT
#include "passes/Passes.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_MERGELOOPVALUES
#include "passes/Passes.h.inc"

namespace {

/// Decides whether two values of a loop's body are equal in every iteration, given that pairs of
/// carried values are. `leader[i]` is the carried value that `i` is assumed to equal (itself, if
/// none).
class Equality {
public:
  Equality(Block *body, ArrayRef<unsigned> leader) : body(body), leader(leader) {}

  bool equal(Value a, Value b, int depth = 0) {
    if (a == b)
      return true;
    if (a.getType() != b.getType() || depth > maxDepth)
      return false;
    auto left = dyn_cast<BlockArgument>(a), right = dyn_cast<BlockArgument>(b);
    if (left || right)
      return left && right && left.getOwner() == body && right.getOwner() == body &&
             left.getArgNumber() > 0 && right.getArgNumber() > 0 &&
             leader[left.getArgNumber() - 1] == leader[right.getArgNumber() - 1];
    auto [known, inserted] = answers.try_emplace({a, b}, false);
    if (!inserted)
      return known->second;
    bool same = equalResults(cast<OpResult>(a), cast<OpResult>(b), depth);
    answers[{a, b}] = same;
    return same;
  }

private:
  static constexpr int maxDepth = 64;

  bool equalResults(OpResult a, OpResult b, int depth) {
    Operation *x = a.getOwner(), *y = b.getOwner();
    if (x->getBlock() != body || y->getBlock() != body ||
        a.getResultNumber() != b.getResultNumber())
      return false;
    if (x->getName() != y->getName() || x->getNumRegions() != 0 || !isMemoryEffectFree(x) ||
        x->getAttrDictionary() != y->getAttrDictionary() ||
        x->getNumOperands() != y->getNumOperands() || x->getResultTypes() != y->getResultTypes())
      return false;
    for (auto [p, q] : llvm::zip(x->getOperands(), y->getOperands()))
      if (!equal(p, q, depth + 1))
        return false;
    return true;
  }

  Block *body;
  ArrayRef<unsigned> leader;
  llvm::DenseMap<std::pair<Value, Value>, bool> answers;
};

void mergeValues(scf::ForOp loop) {
  unsigned count = loop.getNumRegionIterArgs();
  if (count < 2)
    return;
  // Assume that all values with one start are equal, then drop assumptions that one more iteration
  // would break, until none is left to drop.
  SmallVector<unsigned> leader(count);
  for (unsigned i = 0; i < count; ++i) {
    leader[i] = i;
    for (unsigned j = 0; j < i; ++j)
      if (loop.getInitArgs()[i] == loop.getInitArgs()[j]) {
        leader[i] = leader[j];
        break;
      }
  }
  ValueRange yielded = loop.getYieldedValues();
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<unsigned> next(leader);
    Equality equality(loop.getBody(), leader);
    for (unsigned i = 0; i < count; ++i) {
      if (leader[i] == i)
        continue;
      // The first value of the class that it still equals, or a class of its own.
      next[i] = i;
      for (unsigned j = 0; j < i; ++j)
        if (leader[j] == leader[i] && next[j] == j && equality.equal(yielded[i], yielded[j])) {
          next[i] = j;
          break;
        }
    }
    changed = next != leader;
    leader = std::move(next);
  }
  for (unsigned i = 0; i < count; ++i)
    if (leader[i] != i) {
      loop.getRegionIterArg(i).replaceAllUsesWith(loop.getRegionIterArg(leader[i]));
      loop.getResult(i).replaceAllUsesWith(loop.getResult(leader[i]));
    }
}

struct MergeLoopValues : impl::MergeLoopValuesBase<MergeLoopValues> {
  void runOnOperation() override {
    // Outer loops first: what they merge makes the starts of inner ones equal.
    getOperation().walk<WalkOrder::PreOrder>([](scf::ForOp loop) { mergeValues(loop); });
  }
};

} // namespace
} // namespace tl::tt
