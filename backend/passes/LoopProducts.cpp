// SPDX-License-Identifier: MIT
#include "passes/LoopProducts.h"

#include "layout/Queries.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tl::ttg {

bool isProductOfThreads(Operation *op) { return isa<tt::DotOp, tt::DotScaledOp>(op); }

WarpGroupDotWaitOp waitFor(WarpGroupDotOp dot) {
  if (!dot.getD().hasOneUse())
    return nullptr;
  auto wait = dyn_cast<WarpGroupDotWaitOp>(*dot.getD().user_begin());
  return wait && wait->getBlock() == dot->getBlock() && wait.getInputs().size() == 1
             ? wait
             : WarpGroupDotWaitOp();
}

SmallVector<WarpGroupDotOp> readersOf(LocalAllocOp alloc) {
  SmallVector<WarpGroupDotOp> readers;
  llvm::SetVector<Value> views;
  views.insert(alloc.getResult());
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers())
      if (auto dot = dyn_cast<WarpGroupDotOp>(user))
        readers.push_back(dot);
      else
        views.insert(user->getResult(0));
  return readers;
}

bool isAheadOfProduct(WarpGroupDotWaitOp wait) {
  Block *block = wait->getBlock();
  llvm::SetVector<Operation *> users;
  users.insert(wait);
  for (size_t i = 0; i < users.size(); ++i)
    for (Operation *user : users[i]->getUsers()) {
      Operation *there = block->findAncestorOpInBlock(*user);
      if (isa_and_nonnull<WarpGroupDotOp>(there))
        return true;
      if (there)
        users.insert(there);
    }
  return false;
}

unsigned registersOf(Type type) {
  unsigned bytes = tt::memoryBytes(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return (tensor ? 1u << layoutOf(tensor).inBits("register") : 1u) * std::max(4u, bytes) / 4;
}

} // namespace tl::ttg
