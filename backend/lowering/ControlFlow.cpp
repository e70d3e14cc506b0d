// SPDX-License-Identifier: MIT
//
// Structured and unstructured control flow. Conditions are scalars, the same in all threads, so a
// program's threads take every branch together. A tensor that control flow carries is one phi a
// register.
#include "lowering/GpuLowering.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;
namespace scf = mlir::scf;
namespace cf = mlir::cf;

GpuLowering::Values GpuLowering::flatten(mlir::ValueRange list) {
  Values flat;
  for (mlir::Value value : list) {
    const Values &registers = get(value);
    flat.append(registers.begin(), registers.end());
  }
  return flat;
}

/// Phis at the insertion point, which become the values.
llvm::SmallVector<llvm::PHINode *> GpuLowering::makePhis(mlir::ValueRange list) {
  llvm::SmallVector<llvm::PHINode *> phis;
  for (mlir::Value value : list) {
    Values registers;
    for (unsigned reg = 0; reg < registersOf(value.getType()); ++reg) {
      phis.push_back(builder.CreatePHI(registerTypeOf(value.getType()), 2));
      registers.push_back(phis.back());
    }
    set(value, std::move(registers));
  }
  return phis;
}

void GpuLowering::addIncoming(llvm::ArrayRef<llvm::PHINode *> phis,
                              llvm::ArrayRef<Value *> incoming) {
  for (auto [phi, value] : llvm::zip_equal(phis, incoming))
    phi->addIncoming(value, builder.GetInsertBlock());
}

/// All programs meet at a counter in memory, which never has to be reset: of n programs one adds
/// 2^31 - (n - 1) and the others add 1, so each meeting adds 2^31. The top bit turns over when the
/// last one has come, and the rest is zero again:
///
///     four programs   0 -> 1 -> 2 -> 3 -> 0x80000000 -> ... -> 0x80000003 -> 0
///
/// One thread of each program counts. The barriers of the program around it pass on what the other
/// threads have written and what they may read, since the count releases and the wait acquires. A
/// program whose assertion fails ends and never comes: those who wait look for that, and end too.
void GpuLowering::emitGridBarrier() {
  barrier();
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *count = newBlock("count"), *wait = newBlock("wait"), *after = newBlock("after");
  builder.CreateCondBr(isFirstThread(), count, after);

  builder.SetInsertPoint(count);
  Value *id = i32(0), *programs = i32(1);
  for (unsigned axis = 0; axis < 3; ++axis) {
    id = builder.CreateOr(id, target.programId(builder, axis));
    programs = builder.CreateMul(programs, target.programCount(builder, axis));
  }
  Value *last = builder.CreateSub(builder.getInt32(0x80000001u), programs);
  Value *share = builder.CreateSelect(builder.CreateICmpEQ(id, i32(0)), last, i32(1));
  AtomicAccess access;
  access.pointer = counter;
  access.semantic = tt::MemSemantic::ACQUIRE_RELEASE;
  access.scope = tt::MemSyncScope::GPU;
  mlir::Type word = mlir::IntegerType::get(function.getContext(), 32);
  Value *old = target.atomic(builder, access, tt::RMWOp::ADD, share, word, /*used=*/true);
  builder.CreateBr(wait);

  builder.SetInsertPoint(wait);
  access.semantic = tt::MemSemantic::ACQUIRE;
  Value *turned = builder.CreateXor(old, target.atomicLoad(builder, access, 32));
  Value *met = builder.CreateICmpSLT(turned, i32(0));
  if (!record) {
    builder.CreateCondBr(met, after, wait);
    builder.SetInsertPoint(after);
    return barrier();
  }
  auto *look = newBlock("look"), *leave = newBlock("leave"), *goOn = newBlock("go_on");
  builder.CreateCondBr(met, after, look);
  builder.SetInsertPoint(look);
  access.pointer = record; // its first field: whether an assertion has failed
  access.semantic = tt::MemSemantic::RELAXED;
  access.scope = tt::MemSyncScope::SYSTEM;
  Value *failed = builder.CreateICmpNE(target.atomicLoad(builder, access, 32), i32(0));
  builder.CreateCondBr(failed, after, wait);

  builder.SetInsertPoint(after);
  auto *leaves = builder.CreatePHI(builder.getInt1Ty(), 3);
  leaves->addIncoming(builder.getFalse(), before);
  leaves->addIncoming(builder.getFalse(), wait);
  leaves->addIncoming(builder.getTrue(), look);
  mark({SharedEventKind::Barrier}); // asking every thread is one
  builder.CreateCondBr(target.anyThread(builder, leaves), leave, goOn);
  builder.SetInsertPoint(leave);
  builder.CreateRetVoid();
  builder.SetInsertPoint(goOn);
}

void GpuLowering::emitFor(scf::ForOp loop) {
  Value *lower = scalar(loop.getLowerBound()), *upper = scalar(loop.getUpperBound());
  Value *step = scalar(loop.getStep());
  llvm::Type *type = lower->getType();
  Value *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  // A step of zero is an error that CheckSteps has put before the loop.
  Value *rounds = emitRounds(lower, upper, step, loop.getUnsignedCmp());
  Values initial = flatten(loop.getInitArgs());
  auto *before = builder.GetInsertBlock(), *head = newBlock("for"), *body = newBlock("for.body"),
       *done = newBlock("for.done");
  mark({SharedEventKind::Place});
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode *counter = builder.CreatePHI(type, 2, "round");
  llvm::PHINode *induction = builder.CreatePHI(type, 2, "i");
  counter->addIncoming(zero, before);
  induction->addIncoming(lower, before);
  auto phis = makePhis(loop.getRegionIterArgs());
  for (auto [phi, value] : llvm::zip_equal(phis, initial))
    phi->addIncoming(value, before);
  set(loop.getInductionVar(), {induction});
  builder.CreateCondBr(builder.CreateICmpULT(counter, rounds), body, done);
  builder.SetInsertPoint(body);
  emitBlock(*loop.getBody());
  addIncoming(phis, flatten(loop.getBody()->getTerminator()->getOperands()));
  counter->addIncoming(builder.CreateAdd(counter, one, "", true), builder.GetInsertBlock());
  induction->addIncoming(builder.CreateAdd(induction, step), builder.GetInsertBlock());
  builder.CreateBr(head);
  builder.SetInsertPoint(done);
  for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
    set(result, get(argument));
}

void GpuLowering::emitWhile(scf::WhileOp loop) {
  Values initial = flatten(loop.getInits());
  auto *before = builder.GetInsertBlock(), *head = newBlock("while"),
       *body = newBlock("while.body"), *done = newBlock("while.done");
  mark({SharedEventKind::Place});
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  auto phis = makePhis(loop.getBeforeArguments());
  for (auto [phi, value] : llvm::zip_equal(phis, initial))
    phi->addIncoming(value, before);
  emitBlock(*loop.getBeforeBody());
  scf::ConditionOp condition = loop.getConditionOp();
  for (auto [passed, argument, result] :
       llvm::zip_equal(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
    Values registers = get(passed);
    set(argument, registers);
    set(result, registers);
  }
  builder.CreateCondBr(scalar(condition.getCondition()), body, done);
  builder.SetInsertPoint(body);
  emitBlock(*loop.getAfterBody());
  addIncoming(phis, flatten(loop.getYieldOp().getOperands()));
  builder.CreateBr(head);
  builder.SetInsertPoint(done);
}

void GpuLowering::emitIfOp(scf::IfOp branch) {
  auto *then = newBlock("then"), *otherwise = newBlock("else"), *done = newBlock("join");
  builder.CreateCondBr(scalar(branch.getCondition()), then, otherwise);
  auto emitSide = [&](llvm::BasicBlock *block, mlir::Block *body) {
    builder.SetInsertPoint(block);
    Values yielded;
    if (body) {
      emitBlock(*body);
      yielded = flatten(body->getTerminator()->getOperands());
    }
    return std::pair(yielded, builder.GetInsertBlock());
  };
  auto [thenValues, thenEnd] = emitSide(then, branch.thenBlock());
  builder.CreateBr(done);
  auto [elseValues, elseEnd] = emitSide(otherwise, branch.elseBlock());
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  auto phis = makePhis(branch.getResults());
  for (auto [i, phi] : llvm::enumerate(phis)) {
    phi->addIncoming(thenValues[i], thenEnd);
    phi->addIncoming(elseValues[i], elseEnd);
  }
}

void GpuLowering::emitRegionBlocks(mlir::Region &region,
                                   llvm::function_ref<void(mlir::Operation *)> leave) {
  // Blocks in an order in which definitions come before uses.
  llvm::SmallVector<mlir::Block *> order;
  llvm::DenseSet<mlir::Block *> seen;
  llvm::SmallVector<std::pair<mlir::Block *, unsigned>> stack = {{&region.front(), 0}};
  seen.insert(&region.front());
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next < block->getNumSuccessors()) {
      mlir::Block *successor = block->getSuccessor(next++);
      if (seen.insert(successor).second)
        stack.push_back({successor, 0});
    } else {
      order.push_back(block);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());

  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<llvm::PHINode *>> phis;
  for (mlir::Block *block : llvm::drop_begin(order)) {
    blocks[block] = newBlock("block");
    llvm::IRBuilderBase::InsertPointGuard guard(builder);
    builder.SetInsertPoint(blocks[block]);
    phis[block] = makePhis(block->getArguments());
  }
  for (mlir::Block *block : order) {
    if (block != order.front())
      builder.SetInsertPoint(blocks[block]);
    emitBlock(*block);
    mlir::Operation *end = block->getTerminator();
    if (auto jump = mlir::dyn_cast<cf::BranchOp>(end)) {
      addIncoming(phis[jump.getDest()], flatten(jump.getDestOperands()));
      builder.CreateBr(blocks[jump.getDest()]);
    } else if (auto jump = mlir::dyn_cast<cf::CondBranchOp>(end)) {
      Value *condition = scalar(jump.getCondition());
      if (jump.getTrueDest() == jump.getFalseDest()) {
        // One edge: the values are chosen before it.
        Values yes = flatten(jump.getTrueDestOperands()), no = flatten(jump.getFalseDestOperands());
        for (unsigned i = 0; i < yes.size(); ++i)
          yes[i] = builder.CreateSelect(condition, yes[i], no[i]);
        addIncoming(phis[jump.getTrueDest()], yes);
        builder.CreateBr(blocks[jump.getTrueDest()]);
        continue;
      }
      addIncoming(phis[jump.getTrueDest()], flatten(jump.getTrueDestOperands()));
      addIncoming(phis[jump.getFalseDest()], flatten(jump.getFalseDestOperands()));
      builder.CreateCondBr(condition, blocks[jump.getTrueDest()], blocks[jump.getFalseDest()]);
    } else {
      leave(end);
    }
  }
}

} // namespace tl::backend
