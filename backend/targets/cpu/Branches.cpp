// SPDX-License-Identifier: MIT
//
// Functions and regions of several blocks.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
} // namespace

/// A region whose blocks branch to each other, until a block leaves it by `leave`.
void FunctionLowering::emitBranches(mlir::Region &region,
                                    llvm::function_ref<void(mlir::Operation *)> leave) {
  bool several = !region.hasOneBlock();
  if (several)
    scratch.keepAll();
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::ReversePostOrderTraversal<mlir::Region *> ordered(&region);
  for (mlir::Block *one : ordered) {
    blocks[one] = one->isEntryBlock() ? builder.GetInsertBlock()
                                      : llvm::BasicBlock::Create(context, "block", code);
    if (one->isEntryBlock())
      continue;
    enterBlockForPhis(blocks[one], *one);
  }
  auto jump = [&](mlir::Block *target, mlir::ValueRange operands) {
    llvm::SmallVector<Passed> passed;
    Values values;
    for (auto [argument, operand] : llvm::zip(target->getArguments(), operands)) {
      if (isTensor(argument))
        passed.push_back({operand, slots.lookup(argument)});
      else
        values.push_back(scalar(operand));
    }
    pass(passed);
    auto phi = blocks[target]->phis().begin();
    for (Value *value : values)
      (phi++)->addIncoming(value, builder.GetInsertBlock());
    builder.CreateBr(blocks[target]);
  };
  enterBlock(blocks[&region.front()]);
  for (mlir::Block *one : ordered) {
    enterBlock(blocks[one]);
    emitBlock(*one, [&](mlir::Operation *terminator) {
      flush();
      if (several)
        keepForOtherBlocks(*one);
      if (auto branch = mlir::dyn_cast<mlir::cf::BranchOp>(terminator))
        return jump(branch.getDest(), branch.getDestOperands());
      if (auto branch = mlir::dyn_cast<mlir::cf::CondBranchOp>(terminator)) {
        auto *yes = llvm::BasicBlock::Create(context, "yes", code);
        auto *no = llvm::BasicBlock::Create(context, "no", code);
        builder.CreateCondBr(scalar(branch.getCondition()), yes, no);
        enterBlock(yes);
        jump(branch.getTrueDest(), branch.getTrueDestOperands());
        enterBlock(no);
        return jump(branch.getFalseDest(), branch.getFalseDestOperands());
      }
      leave(terminator);
    });
  }
}

void FunctionLowering::enterBlockForPhis(llvm::BasicBlock *target, mlir::Block &from) {
  llvm::IRBuilder<>::InsertPointGuard guard(builder);
  builder.SetInsertPoint(target);
  for (mlir::Value argument : from.getArguments()) {
    if (isTensor(argument))
      slots[argument] = scratch.allocate(slotBytes(argument.getType()));
    else
      setScalar(argument, builder.CreatePHI(registerType(context, argument.getType()), 2));
  }
}

/// At the end of a block: what other blocks use and should not, or must not, compute again.
void FunctionLowering::keepForOtherBlocks(mlir::Block &from) {
  for (mlir::Operation &operation : from) {
    if (!isDeferred(&operation))
      continue;
    for (mlir::Value value : operation.getResults()) {
      bool outside = llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
        return from.findAncestorOpInBlock(*user) == nullptr;
      });
      if (!outside || slots.contains(value))
        continue;
      Slice slice;
      slice.bits = bitsOf(elementCount(value.getType()));
      Bits bits;
      for (unsigned b = 0; b < slice.bits; ++b)
        bits.push_back(int8_t(b));
      walk(slice, value, bits);
      if (!slice.loads.empty() || cost(value) >= 8)
        materialise(value);
    }
  }
  flush();
}

FunctionLowering::Values FunctionLowering::emitBranchingRegion(mlir::Region &region,
                                                               llvm::ArrayRef<Value *> arguments) {
  unsigned before = current;
  Group pending = std::move(open);
  open = Group();
  for (auto [argument, value] : llvm::zip(region.getArguments(), arguments))
    setScalar(argument, value);
  auto *start = llvm::BasicBlock::Create(context, "region", code);
  auto *after = llvm::BasicBlock::Create(context, "region.end", code);
  builder.CreateBr(start);
  enterBlock(start);
  llvm::SmallVector<std::pair<llvm::BasicBlock *, Values>> ends;
  emitBranches(region, [&](mlir::Operation *terminator) {
    Values values;
    for (mlir::Value value : terminator->getOperands())
      values.push_back(scalar(value));
    ends.push_back({builder.GetInsertBlock(), values});
    builder.CreateBr(after);
  });
  enterBlock(after);
  Values results;
  for (size_t k = 0; k < ends.front().second.size(); ++k) {
    auto *phi = builder.CreatePHI(ends.front().second[k]->getType(), ends.size());
    for (auto &[end, values] : ends)
      phi->addIncoming(values[k], end);
    results.push_back(phi);
  }
  open = std::move(pending);
  current = before;
  return results;
}

} // namespace tl::backend::cpu
