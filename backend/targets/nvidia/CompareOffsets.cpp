// SPDX-License-Identifier: MIT
//
// A mask compares the columns of a thread, which lie known distances after its first one, with a
// number that may be another one in each iteration. Columns that are computed before a loop take a
// register each for all of it. One subtraction leaves distances, which are part of instructions:
//
//     column + 0 > last       before: r1 = column + 0, r2 = column + 8, ...
//     column + 8 > last       after:  d = max(last, -1) - column; d < 0, d < 8, ...
//
// Columns are not negative, so all numbers below -1 compare alike, and the difference does not
// overflow.
#include "targets/nvidia/CompareOffsets.h"

#include "codegen/PassResult.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace tl::backend::nvidia {

using namespace llvm;

namespace {

constexpr unsigned mostBits = 16; // of the first number and of a distance

/// A number that is not negative, and how far one lies after it.
struct Offset {
  Value *first;
  uint64_t distance;
};

std::optional<Offset> offsetOf(Value *value, const DataLayout &layout) {
  using namespace PatternMatch;
  Value *first = value;
  const APInt *distance = nullptr;
  Value *inner = nullptr;
  if (match(value, m_NUWAddLike(m_Value(inner), m_APInt(distance))) && distance->isNonNegative() &&
      distance->getActiveBits() <= mostBits)
    first = inner;
  if (isa<Constant>(first) || computeKnownBits(first, layout).countMaxActiveBits() > mostBits)
    return {};
  return Offset{first, first == value ? 0 : distance->getZExtValue()};
}

struct Comparison {
  ICmpInst *instruction;
  CmpInst::Predicate predicate; // of the offset and the other number
  uint64_t distance;
};

using Comparisons = SmallVector<Comparison>;

/// With each number that offsets after one first number are compared with: a register less for each
/// distance, two instructions more for each number.
bool isWorthIt(const MapVector<Value *, Comparisons> &numbers) {
  constexpr size_t fewestDistances = 4, fewestOfNumber = 2;
  SmallSet<uint64_t, 16> distances;
  for (const auto &[number, comparisons] : numbers)
    for (const Comparison &one : comparisons)
      if (one.distance)
        distances.insert(one.distance);
  return distances.size() >= std::max(fewestDistances, fewestOfNumber * numbers.size());
}

void compare(Value *first, Value *number, ArrayRef<Comparison> comparisons) {
  IRBuilder<> b(comparisons.front().instruction);
  if (!computeKnownBits(number, b.GetInsertBlock()->getDataLayout()).isNonNegative())
    number = b.CreateBinaryIntrinsic(Intrinsic::smax, number, b.getInt32(uint32_t(-1)));
  Value *difference = b.CreateSub(number, first, "", false, true);
  for (const Comparison &one : comparisons) {
    b.SetInsertPoint(one.instruction);
    one.instruction->replaceAllUsesWith(b.CreateICmp(CmpInst::getSwappedPredicate(one.predicate),
                                                     difference,
                                                     b.getInt32(uint32_t(one.distance))));
    one.instruction->eraseFromParent();
  }
}

bool compareIn(BasicBlock &block, const Loop &loop) {
  const DataLayout &layout = block.getDataLayout();
  MapVector<Value *, MapVector<Value *, Comparisons>> all; // by the first number
  for (Instruction &instruction : block) {
    auto *compared = dyn_cast<ICmpInst>(&instruction);
    if (!compared || !compared->isSigned() || !compared->getOperand(0)->getType()->isIntegerTy(32))
      continue;
    for (unsigned side : {0u, 1u}) {
      Value *number = compared->getOperand(1 - side);
      auto offset = offsetOf(compared->getOperand(side), layout);
      if (!offset || !loop.isLoopInvariant(offset->first) || loop.isLoopInvariant(number))
        continue;
      all[offset->first][number].push_back(
          {compared, side ? compared->getSwappedPredicate() : compared->getPredicate(),
           offset->distance});
      break;
    }
  }
  bool changed = false;
  for (const auto &[first, numbers] : all) {
    if (!isWorthIt(numbers))
      continue;
    for (const auto &[number, comparisons] : numbers)
      compare(first, number, comparisons);
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses CompareOffsets::run(Function &function, FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (BasicBlock &block : function)
    if (const Loop *loop = loops.getLoopFor(&block))
      changed |= compareIn(block, *loop);
  return afterInstructions(changed);
}

} // namespace tl::backend::nvidia
