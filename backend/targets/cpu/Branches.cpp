// SPDX-License-Identifier: MIT
//
// Functions and regions of several blocks.
#include "targets/cpu/CarriedValues.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
} // namespace

static void enterBlockForPhis(FunctionLowering &f, llvm::BasicBlock *target, mlir::Block &from);
static void keepForOtherBlocks(FunctionLowering &f, mlir::Block &from);

/// A region whose blocks branch to each other, until a block leaves it by `leave`.
void emitBranches(FunctionLowering &f, mlir::Region &region,
                  llvm::function_ref<void(mlir::Operation *)> leave) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  bool several = !region.hasOneBlock();
  if (several)
    scratch.keepAll();
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::ReversePostOrderTraversal<mlir::Region *> ordered(&region);
  for (mlir::Block *one : ordered) {
    blocks[one] = one->isEntryBlock() ? builder.GetInsertBlock()
                                      : llvm::BasicBlock::Create(context, "block", f.code);
    if (one->isEntryBlock())
      continue;
    enterBlockForPhis(f, blocks[one], *one);
  }
  auto jump = [&](mlir::Block *target, mlir::ValueRange operands) {
    llvm::SmallVector<Passed> passed;
    Values values;
    for (auto [argument, operand] : llvm::zip(target->getArguments(), operands)) {
      if (isTensor(argument))
        passed.push_back({operand, f.buffers.lookup(argument)});
      else
        values.push_back(f.scalar(operand));
    }
    pass(f, passed);
    auto phi = blocks[target]->phis().begin();
    for (Value *value : values)
      (phi++)->addIncoming(value, builder.GetInsertBlock());
    builder.CreateBr(blocks[target]);
  };
  f.enterBlock(blocks[&region.front()]);
  for (mlir::Block *one : ordered) {
    f.enterBlock(blocks[one]);
    f.emitBlock(*one, [&](mlir::Operation *terminator) {
      f.flush();
      if (several)
        keepForOtherBlocks(f, *one);
      if (auto branch = mlir::dyn_cast<mlir::cf::BranchOp>(terminator))
        return jump(branch.getDest(), branch.getDestOperands());
      if (auto branch = mlir::dyn_cast<mlir::cf::CondBranchOp>(terminator)) {
        auto *yes = llvm::BasicBlock::Create(context, "yes", f.code);
        auto *no = llvm::BasicBlock::Create(context, "no", f.code);
        builder.CreateCondBr(f.scalar(branch.getCondition()), yes, no);
        f.enterBlock(yes);
        jump(branch.getTrueDest(), branch.getTrueDestOperands());
        f.enterBlock(no);
        return jump(branch.getFalseDest(), branch.getFalseDestOperands());
      }
      leave(terminator);
    });
  }
}

static void enterBlockForPhis(FunctionLowering &f, llvm::BasicBlock *target, mlir::Block &from) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  llvm::IRBuilder<>::InsertPointGuard guard(builder);
  builder.SetInsertPoint(target);
  for (mlir::Value argument : from.getArguments()) {
    if (isTensor(argument))
      f.buffers[argument] = scratch.allocate(f.bufferBytes(argument.getType()));
    else
      f.setScalar(argument, builder.CreatePHI(registerType(context, argument.getType()), 2));
  }
}

/// At the end of a block: what other blocks use and should not, or must not, compute again.
static void keepForOtherBlocks(FunctionLowering &f, mlir::Block &from) {
  for (mlir::Operation &operation : from) {
    if (!isDeferred(&operation))
      continue;
    for (mlir::Value value : operation.getResults()) {
      bool outside = llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
        return from.findAncestorOpInBlock(*user) == nullptr;
      });
      if (!outside || f.buffers.contains(value))
        continue;
      Slice slice;
      slice.bits = bitsOf(elementCount(value.getType()));
      Bits bits;
      for (unsigned b = 0; b < slice.bits; ++b)
        bits.push_back(int8_t(b));
      walk(f, slice, value, bits);
      if (!slice.loads.empty() || f.cost(value) >= 8)
        f.materialise(value);
    }
  }
  f.flush();
}

Values emitBranchingRegion(FunctionLowering &f, mlir::Region &region,
                           llvm::ArrayRef<Value *> arguments) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  unsigned before = f.current;
  Group pending = std::move(f.open);
  f.open = Group();
  for (auto [argument, value] : llvm::zip(region.getArguments(), arguments))
    f.setScalar(argument, value);
  auto *start = llvm::BasicBlock::Create(context, "region", f.code);
  auto *after = llvm::BasicBlock::Create(context, "region.end", f.code);
  builder.CreateBr(start);
  f.enterBlock(start);
  llvm::SmallVector<std::pair<llvm::BasicBlock *, Values>> ends;
  emitBranches(f, region, [&](mlir::Operation *terminator) {
    Values values;
    for (mlir::Value value : terminator->getOperands())
      values.push_back(f.scalar(value));
    ends.push_back({builder.GetInsertBlock(), values});
    builder.CreateBr(after);
  });
  f.enterBlock(after);
  Values results;
  for (size_t k = 0; k < ends.front().second.size(); ++k) {
    auto *phi = builder.CreatePHI(ends.front().second[k]->getType(), ends.size());
    for (auto &[end, values] : ends)
      phi->addIncoming(values[k], end);
    results.push_back(phi);
  }
  f.open = std::move(pending);
  f.current = before;
  return results;
}

} // namespace tl::backend::cpu
