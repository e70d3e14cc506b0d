// SPDX-License-Identifier: MIT
//
// A word whose halves are both used is split once.
//
//     before: low  = trunc w                   after: both = bitcast w to <2 x i16>
//             high = trunc (w >> 16)                  low  = both[0]
//                                                     high = both[1]
//
// That is `mov.b32 {low, high}, w` in PTX. The assembler computes neighbours of 16 bits by one
// instruction where it sees that they are: of halves that were taken apart one by one it makes a
// word in the other order, and turns each word around before and after (`PRMT`).
#include "targets/nvidia/SplitWords.h"

#include "codegen/PassResult.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

#include <array>

namespace tl::backend::nvidia {

using namespace llvm;
using namespace llvm::PatternMatch;

PreservedAnalyses SplitWords::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function) {
    // In the order of the block, which is that of the first half.
    MapVector<Value *, std::array<SmallVector<Instruction *, 1>, 2>> halvesOf;
    for (Instruction &instruction : block) {
      Value *word = nullptr;
      if (!instruction.getType()->isIntegerTy(16) || !isa<TruncInst>(instruction))
        continue;
      const bool isHigh = match(&instruction, m_Trunc(m_LShr(m_Value(word), m_SpecificInt(16))));
      if (!isHigh)
        word = instruction.getOperand(0);
      if (word->getType()->isIntegerTy(32))
        halvesOf[word][isHigh].push_back(&instruction);
    }
    for (auto &[word, halves] : halvesOf) {
      if (halves[0].empty() || halves[1].empty())
        continue;
      Instruction *first = halves[0][0]->comesBefore(halves[1][0]) ? halves[0][0] : halves[1][0];
      IRBuilder<> b(first);
      Value *both = b.CreateBitCast(word, FixedVectorType::get(b.getInt16Ty(), 2));
      for (unsigned number : {0u, 1u}) {
        Value *half = b.CreateExtractElement(both, uint64_t(number));
        for (Instruction *same : halves[number])
          same->replaceAllUsesWith(half);
      }
      changed = true;
    }
  }
  return afterInstructions(changed);
}

} // namespace tl::backend::nvidia
