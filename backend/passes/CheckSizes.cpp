// SPDX-License-Identifier: MIT
#include "passes/Passes.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_CHECKSIZES
#include "passes/Passes.h.inc"

namespace {

bool mayInline(Operation *op) {
  auto never = op->getAttrOfType<BoolAttr>("noinline");
  return !never || !never.getValue();
}

/// Operations of functions, with those of the functions that they call. Every sum ends at a number
/// beyond the limit: chains of calls double as often as they like.
class Sizes {
public:
  explicit Sizes(ModuleOp module) : symbols(module) {}

  /// A list of what is left to do, not a recursion: chains of calls are as long as they like.
  int64_t of(FuncOp function) {
    SmallVector<FuncOp> path;
    auto begin = [&](FuncOp function) {
      if (std::exchange(entryOf(function).isBegun, true))
        return false;
      path.push_back(function);
      return true;
    };
    begin(function);
    while (!path.empty()) {
      Entry &entry = entryOf(path.back());
      if (entry.next == entry.callees.size()) {
        path.pop_back();
      } else if (FuncOp callee = entry.callees[entry.next]; !begin(callee)) {
        // Known by now, or recursive: the targets have a word on that.
        entry.size = std::min(entry.size + entryOf(callee).size, maxKernelOperations + 1);
        ++entry.next;
      }
    }
    return entryOf(function).size;
  }
  int64_t written(FuncOp function) { return entryOf(function).written; }

private:
  struct Entry {
    int64_t written = 0, size = 0;
    SmallVector<FuncOp> callees;
    size_t next = 0; // callee that is not counted yet
    bool isBegun = false;
  };

  Entry &entryOf(FuncOp function) {
    auto [place, isNew] = entries.try_emplace(function);
    Entry &entry = place->second;
    if (isNew) {
      function.walk([&](Operation *op) {
        ++entry.written;
        auto call = dyn_cast<CallOp>(op);
        if (!call || !mayInline(call))
          return;
        auto callee = symbols.lookup<FuncOp>(call.getCallee());
        if (callee && mayInline(callee) && callee != function)
          entry.callees.push_back(callee);
      });
      entry.size = std::min(entry.written, maxKernelOperations + 1);
    }
    return entry;
  }

  SymbolTable symbols;
  std::map<Operation *, Entry> entries;
};

struct CheckSizes : impl::CheckSizesBase<CheckSizes> {
  void runOnOperation() override {
    Sizes sizes(getOperation());
    // Kernels first: they are what users know.
    for (bool isPublic : {true, false})
      for (auto function : getOperation().getOps<FuncOp>()) {
        if (function.isPublic() != isPublic || sizes.of(function) <= maxKernelOperations)
          continue;
        InFlightDiagnostic error = function.emitError() << (isPublic ? "kernel '" : "function '");
        error << function.getName();
        if (int64_t written = sizes.written(function); written > maxKernelOperations)
          error << "' has " << written << " operations, at most " << maxKernelOperations
                << " are compiled";
        else
          error << "' grows to more than " << maxKernelOperations
                << " operations when its calls are inlined";
        return signalPassFailure();
      }
  }
};

} // namespace

} // namespace tl::tt
