// SPDX-License-Identifier: MIT
#include "analysis/MemoryOrder.h"
#include "dialect/Barrier.h"
#include "mlir/IR/Dominance.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_MERGELOADS
#include "passes/Passes.h.inc"

namespace {

/// Larger tensors are better loaded again than kept in registers.
constexpr int64_t mostElements = 128;

bool isSmall(LoadOp load) {
  auto tensor = dyn_cast<RankedTensorType>(load.getType());
  return !tensor || tensor.getNumElements() <= mostElements;
}

class Merger {
public:
  explicit Merger(FuncOp function) : function(function), dominance(function) {}

  void run() {
    llvm::DenseMap<Value, SmallVector<LoadOp>> byPointer; // those that stay
    SmallVector<LoadOp> loads;
    function.walk([&](LoadOp load) { loads.push_back(load); });
    for (LoadOp load : loads) {
      if (load.getIsVolatile() || !isSmall(load) || !isConstant(load.getPtr()))
        continue;
      SmallVector<LoadOp> &earlier = byPointer[load.getPtr()];
      auto *same = llvm::find_if(earlier, [&](LoadOp other) {
        return OperationEquivalence::isEquivalentTo(load, other,
                                                    OperationEquivalence::IgnoreLocations) &&
               dominance.properlyDominates(other.getOperation(), load.getOperation());
      });
      if (same == earlier.end()) {
        earlier.push_back(load);
        continue;
      }
      load.replaceAllUsesWith(same->getResult());
      load.erase();
    }
  }

private:
  /// Whether the memory is that of a parameter that no operation of the kernel may change, nor
  /// another program while the kernel looks out for it: by volatile loads, or at a barrier.
  bool isConstant(Value pointer) {
    Value parameter = backend::ownParameterOf(pointer);
    if (!parameter)
      return false;
    auto [known, isNew] = constants.try_emplace(parameter, true);
    if (isNew)
      function.getBody().walk([&, &isKept = known->second](Operation *op) {
        auto other = dyn_cast<LoadOp>(op);
        isKept &= backend::mayBePassedBy(op, parameter) && !isa<ttg::BarrierOp>(op) &&
                  !(other && other.getIsVolatile());
      });
    return known->second;
  }

  FuncOp function;
  DominanceInfo dominance;
  llvm::DenseMap<Value, bool> constants;
};

struct MergeLoads : impl::MergeLoadsBase<MergeLoads> {
  void runOnOperation() override {
    getOperation().walk([](FuncOp function) {
      if (!function.isExternal())
        Merger(function).run();
    });
  }
};

} // namespace
} // namespace tl::tt
