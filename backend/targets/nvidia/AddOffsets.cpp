// SPDX-License-Identifier: MIT
//
// Parts of an offset in global memory that have no bits in common are added.
//
//     before: a = x | 4 (disjoint)             after: a = x + 4
//             p = base + (row | a) (disjoint)         p = base + (row + a)
//
// LLVM writes such sums as `or`. When the code generator takes the constants out of offsets, to
// leave one base for several accesses, it makes sums, which are not seen to be the `or` of another
// access: each access would have a base of its own. Nor are addresses to which the parts have been
// added one by one,
//
//     before: q = (base + row) + a             after: q = p
//
// which is how LLVM writes those whose offset was a sum from the beginning. Offsets in shared
// memory stay: there `or` and `xor` of several numbers are one instruction.
#include "targets/nvidia/AddOffsets.h"

#include "codegen/PassResult.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <optional>
#include <tuple>

namespace tl::backend::nvidia {

using namespace llvm;

namespace {

constexpr unsigned sharedMemory = 3; // address space

bool isPartOfSum(const Instruction &op) {
  switch (op.getOpcode()) {
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(op).isDisjoint();
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::SExt:
  case Instruction::ZExt:
    return true;
  default:
    return false;
  }
}

/// Adds what the number is a sum or a multiple of.
void collect(Value *number, SetVector<Instruction *> &parts) {
  SmallVector<Value *> open = {number};
  while (!open.empty())
    if (auto *op = dyn_cast<Instruction>(open.pop_back_val());
        op && isPartOfSum(*op) && parts.insert(op))
      append_range(open, op->operands());
}

/// base + (a + b)
struct Sum {
  Value *base;
  Type *element;
  Value *a, *b;
  bool operator<(const Sum &other) const {
    return std::tie(base, element, a, b) < std::tie(other.base, other.element, other.a, other.b);
  }
};

Sum ordered(Sum sum) {
  if (sum.b < sum.a)
    std::swap(sum.a, sum.b);
  return sum;
}

/// The address as a sum of two parts, added up before (`together`) or one by one.
std::optional<Sum> sumOf(GetElementPtrInst &address, bool together) {
  if (address.getNumIndices() != 1)
    return {};
  Value *index = address.getOperand(1);
  if (together) {
    auto *add = dyn_cast<BinaryOperator>(index);
    if (!add || add->getOpcode() != Instruction::Add)
      return {};
    return ordered({address.getPointerOperand(), address.getSourceElementType(), add->getOperand(0),
                    add->getOperand(1)});
  }
  auto *inner = dyn_cast<GetElementPtrInst>(address.getPointerOperand());
  if (!inner || inner->getNumIndices() != 1 ||
      inner->getSourceElementType() != address.getSourceElementType() ||
      inner->getOperand(1)->getType() != index->getType())
    return {};
  return ordered(
      {inner->getPointerOperand(), address.getSourceElementType(), inner->getOperand(1), index});
}

/// Addresses that are there as one sum take the place of those that are added up one by one.
bool mergeSums(Function &function, DominatorTree &dominators) {
  std::map<Sum, GetElementPtrInst *> known;
  SmallVector<GetElementPtrInst *> addresses;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction)) {
        addresses.push_back(address);
        if (auto sum = sumOf(*address, true))
          known.try_emplace(*sum, address);
      }
  bool changed = false;
  for (GetElementPtrInst *address : addresses) {
    auto sum = sumOf(*address, false);
    auto found = sum ? known.find(*sum) : known.end();
    if (found == known.end() || !dominators.dominates(found->second, address))
      continue;
    // What one way promises of wrapping, the other may not.
    found->second->setNoWrapFlags(found->second->getNoWrapFlags() & address->getNoWrapFlags());
    address->replaceAllUsesWith(found->second);
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses AddOffsets::run(Function &function, FunctionAnalysisManager &analyses) {
  SetVector<Instruction *> global, shared;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
        for (Value *index : address->indices())
          collect(index, address->getPointerAddressSpace() == sharedMemory ? shared : global);
  bool changed = false;
  for (Instruction *part : global) {
    if (part->getOpcode() != Instruction::Or || shared.contains(part))
      continue;
    auto *sum = BinaryOperator::CreateAdd(part->getOperand(0), part->getOperand(1), part->getName(),
                                          part->getIterator());
    sum->setHasNoUnsignedWrap(); // without a carry there is neither
    sum->setHasNoSignedWrap();
    part->replaceAllUsesWith(sum);
    part->eraseFromParent();
    changed = true;
  }
  changed |= mergeSums(function, analyses.getResult<DominatorTreeAnalysis>(function));
  return afterInstructions(changed);
}

} // namespace tl::backend::nvidia
