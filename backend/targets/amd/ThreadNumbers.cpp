// SPDX-License-Identifier: MIT
#include "targets/amd/ThreadNumbers.h"

#include "codegen/PassResult.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr unsigned muchCarried = 96; // registers of a thread
constexpr unsigned deepest = 6;      // operations of what is computed again

bool isThreadNumber(const Value *value) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_workitem_id_x;
}

unsigned carriedRegisters(const llvm::Loop &loop) {
  uint64_t bits = 0;
  for (const llvm::PHINode &phi : loop.getHeader()->phis())
    bits += phi.getType()->getPrimitiveSizeInBits().getFixedValue();
  return unsigned(bits / 32);
}

class Rematerialiser {
public:
  Rematerialiser(llvm::Function &function, unsigned lanes) : function(function), lanes(lanes) {}

  /// Of what is used in a block, without what has been computed after the loop as well.
  bool renewIn(llvm::BasicBlock &block, const llvm::SetVector<llvm::BasicBlock *> &after) {
    made.clear();
    number = nullptr;
    bool changed = false;
    for (llvm::Instruction &user : llvm::make_early_inc_range(block)) {
      if (llvm::isa<llvm::PHINode>(user))
        continue;
      for (llvm::Use &use : user.operands()) {
        auto *value = llvm::dyn_cast<llvm::Instruction>(use.get());
        if (!value || after.contains(value->getParent()) || !followsFromNumber(value, 0))
          continue;
        use.set(copyIn(block, value));
        changed = true;
      }
    }
    return changed;
  }

private:
  /// Whether it is cheap to compute from the thread's number and constants.
  bool followsFromNumber(Value *value, unsigned depth) {
    if (isThreadNumber(value))
      return true;
    auto *made = llvm::dyn_cast<llvm::Instruction>(value);
    if (!made || depth == deepest || !(made->isBitwiseLogicOp() || made->isShift()))
      return false;
    bool follows = false;
    for (Value *operand : made->operands()) {
      if (llvm::isa<llvm::ConstantInt>(operand))
        continue;
      if (!followsFromNumber(operand, depth + 1))
        return false;
      follows = true;
    }
    return follows;
  }

  Value *copyIn(llvm::BasicBlock &block, Value *value) {
    if (llvm::isa<llvm::ConstantInt>(value))
      return value;
    if (Value *known = made.lookup(value))
      return known;
    Value *copy;
    if (isThreadNumber(value)) {
      copy = numberIn(block);
    } else {
      llvm::SmallVector<Value *, 2> operands;
      for (Value *operand : llvm::cast<llvm::Instruction>(value)->operands())
        operands.push_back(copyIn(block, operand));
      llvm::Instruction *again = llvm::cast<llvm::Instruction>(value)->clone();
      for (auto [use, operand] : llvm::zip(again->operands(), operands))
        use.set(operand);
      again->insertAfter(last->getIterator());
      last = again;
      copy = again;
    }
    return made[value] = copy;
  }

  /// At the beginning of the block.
  Value *numberIn(llvm::BasicBlock &block) {
    if (number)
      return number;
    llvm::IRBuilder<> b(&block, block.getFirstInsertionPt());
    auto counted = [&](Intrinsic::ID id, Value *before) {
      auto *lane = llvm::cast<llvm::CallInst>(b.CreateIntrinsic(id, {}, {b.getInt32(~0u), before}));
      lane->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, lanes)));
      return lane;
    };
    llvm::Instruction *lane = counted(Intrinsic::amdgcn_mbcnt_lo, b.getInt32(0));
    if (lanes == 64)
      lane = counted(Intrinsic::amdgcn_mbcnt_hi, lane);
    number = lane;
    last = lane;
    if (Value *wave = uniformWave()) {
      Value *first = b.CreateShl(wave, llvm::Log2_32(lanes), "", true, true);
      number = b.CreateOr(first, lane, "", true);
      last = llvm::cast<llvm::Instruction>(number);
    }
    return number;
  }

  /// Computed once, in the entry block; null where there is one wave.
  Value *uniformWave() {
    unsigned threads = 0;
    function.getFnAttribute("amdgpu-flat-work-group-size")
        .getValueAsString()
        .split(',')
        .second.getAsInteger(10, threads);
    if (threads == lanes)
      return nullptr;
    if (!wave) {
      llvm::BasicBlock &entry = function.getEntryBlock();
      llvm::IRBuilder<> b(&entry, entry.getFirstInsertionPt());
      Value *id = b.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, {});
      wave = b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {b.getInt32Ty()},
                               {b.CreateLShr(id, llvm::Log2_32(lanes))});
    }
    return wave;
  }

  llvm::Function &function;
  const unsigned lanes;
  Value *wave = nullptr;
  // Of the block at hand.
  llvm::DenseMap<Value *, Value *> made;
  Value *number = nullptr;
  llvm::Instruction *last = nullptr; // after which the next copy stands
};

/// Blocks that may run when the loop has ended.
llvm::SetVector<llvm::BasicBlock *> blocksAfter(const llvm::Loop &loop) {
  llvm::SmallVector<llvm::BasicBlock *> exits;
  loop.getUniqueExitBlocks(exits);
  llvm::SetVector<llvm::BasicBlock *> after(exits.begin(), exits.end());
  for (size_t i = 0; i < after.size(); ++i)
    for (llvm::BasicBlock *next : llvm::successors(after[i]))
      after.insert(next);
  return after;
}

} // namespace

llvm::PreservedAnalyses RematerialiseThreadIds::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL)
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  Rematerialiser rematerialiser(function, lanes);
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop *loop : loops) { // outermost
    if (carriedRegisters(*loop) < muchCarried)
      continue;
    const llvm::SetVector<llvm::BasicBlock *> after = blocksAfter(*loop);
    for (llvm::BasicBlock *block : after)
      if (!loops.getLoopFor(block))
        changed |= rematerialiser.renewIn(*block, after);
  }
  return afterInstructions(changed);
}

} // namespace tl::backend::amd
