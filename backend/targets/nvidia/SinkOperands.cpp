// SPDX-License-Identifier: MIT
//
// A product of groups of warps that takes its first operand from registers is started piece by
// piece along k. What only a later piece needs is computed after the pieces before it have been
// started: while they multiply.
//
//     before: a0 = f(w0)                       after: a0 = f(w0)
//             a1 = f(w1)                              start a0 x0
//             start a0 x0                             a1 = f(w1)
//             start a1 x1                             start a1 x1
//
// Only what has no effects and reads no memory moves.
#include "targets/nvidia/SinkOperands.h"

#include "codegen/PassResult.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace tl::backend::nvidia {

using namespace llvm;

namespace {

bool startsProduct(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code && StringRef(code->getAsmString()).contains("wgmma.mma_async");
}

bool mayMove(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  return !isa<PHINode>(instruction) && !instruction.isTerminator() &&
         !isa<AllocaInst>(instruction) && !instruction.mayHaveSideEffects() &&
         !instruction.mayReadFromMemory() && !(call && call->isConvergent());
}

/// The stretches of a block are what lies between two products, the first one before all.
bool sinkIn(BasicBlock &block) {
  SmallVector<Instruction *> products;
  for (Instruction &instruction : block)
    if (startsProduct(instruction))
      products.push_back(&instruction);
  if (products.size() < 2)
    return false;
  bool changed = false;
  // The stretch of what products are computed from, by those visited: a product is at the end of
  // its own.
  DenseMap<const Instruction *, size_t> stretchOf;
  size_t stretch = products.size();
  for (Instruction &instruction : make_early_inc_range(reverse(block))) {
    if (stretch && &instruction == products[stretch - 1]) {
      stretchOf[&instruction] = --stretch;
      continue;
    }
    if (!mayMove(instruction) || instruction.use_empty())
      continue;
    size_t first = products.size();
    bool feedsProducts = true;
    for (const User *user : instruction.users()) {
      auto found = stretchOf.find(cast<Instruction>(user));
      feedsProducts &= found != stretchOf.end();
      if (feedsProducts)
        first = std::min(first, found->second);
    }
    if (!feedsProducts)
      continue;
    stretchOf[&instruction] = first;
    if (first > stretch) {
      instruction.moveBefore(std::next(products[first - 1]->getIterator()));
      changed = true;
    }
  }
  return changed;
}

} // namespace

PreservedAnalyses SinkOperands::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= sinkIn(block);
  return afterInstructions(changed);
}

} // namespace tl::backend::nvidia
