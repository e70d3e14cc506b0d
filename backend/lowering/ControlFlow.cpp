// SPDX-License-Identifier: MIT
//
// Structured and unstructured control flow. Conditions are scalars, the same in all threads, so a
// program's threads take every branch together. A tensor that control flow carries is one phi a
// register.
#include "lowering/ControlFlow.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;
namespace scf = mlir::scf;
namespace cf = mlir::cf;

Values flatten(KernelLowering &kernel, mlir::ValueRange list) {
  Values flat;
  for (mlir::Value value : list) {
    const Values &registers = kernel.get(value);
    flat.append(registers.begin(), registers.end());
  }
  return flat;
}

namespace {

/// Values of 16 bits are carried by twos, as one register has room for them.
bool isCarriedByTwos(KernelLowering &kernel, mlir::Type type) {
  llvm::Type *own = kernel.registerTypeOf(type);
  return registersOf(type) % 2 == 0 && !own->isPointerTy() && own->getPrimitiveSizeInBits() == 16;
}

/// What control flow carries of the values.
Values carried(KernelLowering &kernel, mlir::ValueRange list) {
  auto &b = kernel.builder;
  Values all;
  for (mlir::Value value : list) {
    const Values registers = kernel.get(value);
    if (!isCarriedByTwos(kernel, value.getType())) {
      all.append(registers);
      continue;
    }
    for (size_t i = 0; i < registers.size(); i += 2) {
      Value *pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(registers[i]->getType(), 2));
      for (unsigned k : {0u, 1u})
        pair = b.CreateInsertElement(pair, registers[i + k], uint64_t(k));
      all.push_back(pair);
    }
  }
  return all;
}

/// Phis at the insertion point, which become the values.
llvm::SmallVector<llvm::PHINode *> makePhis(KernelLowering &kernel, mlir::ValueRange list) {
  auto &b = kernel.builder;
  llvm::SmallVector<llvm::PHINode *> phis;
  for (mlir::Value value : list) {
    llvm::Type *type = kernel.registerTypeOf(value.getType());
    unsigned count = registersOf(value.getType());
    if (isCarriedByTwos(kernel, value.getType())) {
      type = llvm::FixedVectorType::get(type, 2);
      count /= 2;
    }
    for (unsigned i = 0; i < count; ++i)
      phis.push_back(b.CreatePHI(type, 2));
  }
  auto next = phis.begin();
  for (mlir::Value value : list) {
    const bool byTwos = isCarriedByTwos(kernel, value.getType());
    Values registers;
    while (registers.size() < registersOf(value.getType())) {
      llvm::PHINode *phi = *next++;
      if (!byTwos) {
        registers.push_back(phi);
        continue;
      }
      for (unsigned k : {0u, 1u})
        registers.push_back(b.CreateExtractElement(phi, uint64_t(k)));
    }
    kernel.set(value, std::move(registers));
  }
  return phis;
}

void addIncoming(KernelLowering &kernel, llvm::ArrayRef<llvm::PHINode *> phis,
                 llvm::ArrayRef<Value *> incoming) {
  auto &b = kernel.builder;
  for (auto [phi, value] : llvm::zip_equal(phis, incoming))
    phi->addIncoming(value, b.GetInsertBlock());
}

/// All programs count their arrivals in memory, in a counter that never has to be reset: of n
/// programs one adds 2^31 - (n - 1) and the others add 1, so each grid barrier adds 2^31. The top
/// bit turns over when the last one has come, and the rest is zero again:
///
///     four programs   0 -> 1 -> 2 -> 3 -> 0x80000000 -> ... -> 0x80000003 -> 0
///
/// One thread of each program counts. The barriers of the program around it pass on what the other
/// threads have written and what they may read, since the count releases and the wait acquires. A
/// program whose assertion fails ends and never comes: those who wait look for that, and end too.
void emitGridBarrier(KernelLowering &kernel, tt::GridBarrierOp) {
  auto &b = kernel.builder;
  kernel.shared.barrier();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *count = kernel.newBlock("count"), *wait = kernel.newBlock("wait"),
       *after = kernel.newBlock("after");
  b.CreateCondBr(kernel.threads.isFirstThread(), count, after);

  b.SetInsertPoint(count);
  Value *id = kernel.i32(0), *programs = kernel.i32(1);
  for (unsigned axis = 0; axis < 3; ++axis) {
    id = b.CreateOr(id, kernel.target.program.programId(b, axis));
    programs = b.CreateMul(programs, kernel.target.program.programCount(b, axis));
  }
  Value *last = b.CreateSub(b.getInt32(0x80000001u), programs);
  Value *share = b.CreateSelect(b.CreateICmpEQ(id, kernel.i32(0)), last, kernel.i32(1));
  AtomicAccess access;
  access.pointer = kernel.gridCounter;
  access.semantic = tt::MemSemantic::ACQUIRE_RELEASE;
  access.scope = tt::MemSyncScope::GPU;
  mlir::Type word = mlir::IntegerType::get(kernel.function.getContext(), 32);
  Value *old =
      kernel.target.atomics.readModifyWrite(b, access, tt::RMWOp::ADD, share, word, /*used=*/true);
  b.CreateBr(wait);

  b.SetInsertPoint(wait);
  access.semantic = tt::MemSemantic::ACQUIRE;
  Value *turned = b.CreateXor(old, kernel.target.atomics.load(b, access, 32));
  Value *complete = b.CreateICmpSLT(turned, kernel.i32(0));
  if (!kernel.failureRecord) {
    b.CreateCondBr(complete, after, wait);
    b.SetInsertPoint(after);
    kernel.target.threads.reconverge(b);
    return kernel.shared.barrier();
  }
  auto *look = kernel.newBlock("look"), *leave = kernel.newBlock("leave"),
       *goOn = kernel.newBlock("go_on");
  b.CreateCondBr(complete, after, look);
  b.SetInsertPoint(look);
  access.pointer = kernel.failureRecord; // its first field: whether an assertion has failed
  access.semantic = tt::MemSemantic::RELAXED;
  access.scope = tt::MemSyncScope::SYSTEM;
  Value *failed = b.CreateICmpNE(kernel.target.atomics.load(b, access, 32), kernel.i32(0));
  b.CreateCondBr(failed, after, wait);

  b.SetInsertPoint(after);
  auto *leaves = b.CreatePHI(b.getInt1Ty(), 3);
  leaves->addIncoming(b.getFalse(), before);
  leaves->addIncoming(b.getFalse(), wait);
  leaves->addIncoming(b.getTrue(), look);
  kernel.target.threads.reconverge(b);
  kernel.shared.mark({SharedEventKind::Barrier}); // asking every thread is one
  b.CreateCondBr(kernel.target.threads.anyThread(b, leaves), leave, goOn);
  b.SetInsertPoint(leave);
  b.CreateRetVoid();
  b.SetInsertPoint(goOn);
}

/// How far it is from the lower bound to the upper one, against the direction of the step if that
/// is not known; zero if the loop is empty. A step of zero is an error that CheckSteps has put
/// before the loop.
Value *emitDistance(llvm::IRBuilderBase &b, Value *lower, Value *upper, Value *step,
                    bool isUnsigned) {
  Value *zero = llvm::ConstantInt::get(step->getType(), 0);
  Value *down = isUnsigned ? b.getFalse() : b.CreateICmpSLT(step, zero);
  Value *from = b.CreateSelect(down, upper, lower), *to = b.CreateSelect(down, lower, upper);
  Value *enters = isUnsigned ? b.CreateICmpULT(from, to) : b.CreateICmpSLT(from, to);
  enters = b.CreateAnd(enters, b.CreateICmpNE(step, zero));
  return b.CreateSelect(enters, b.CreateSub(to, from), zero);
}

/// Beside the induction variable, which may pass the last number of its type, it is counted how
/// many iterations there have been; or how far the bound is, where that takes no division.
void emitFor(KernelLowering &kernel, scf::ForOp loop) {
  auto &b = kernel.builder;
  Value *lower = kernel.scalar(loop.getLowerBound()), *upper = kernel.scalar(loop.getUpperBound());
  Value *step = kernel.scalar(loop.getStep());
  llvm::Type *type = lower->getType();
  Value *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  const bool isUnsigned = loop.getUnsignedCmp(),
             divides = llvm::isa<llvm::ConstantInt>(step) || type->getIntegerBitWidth() <= 32;
  Value *tripCount = nullptr, *distance = nullptr, *stride = nullptr;
  if (divides) {
    tripCount = kernel.scalars.emitTripCount(lower, upper, step, isUnsigned);
  } else {
    distance = emitDistance(b, lower, upper, step, isUnsigned);
    stride = isUnsigned ? step : b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, step, b.getFalse());
  }
  Values initial = carried(kernel, loop.getInitArgs());
  auto *before = b.GetInsertBlock(), *head = kernel.newBlock("for"),
       *body = kernel.newBlock("for.body"), *done = kernel.newBlock("for.done");
  kernel.shared.mark({SharedEventKind::InsertionPoint});
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode *count = b.CreatePHI(type, 2, divides ? "iteration" : "left");
  llvm::PHINode *induction = b.CreatePHI(type, 2, "i");
  count->addIncoming(divides ? zero : distance, before);
  induction->addIncoming(lower, before);
  auto phis = makePhis(kernel, loop.getRegionIterArgs());
  for (auto [phi, value] : llvm::zip_equal(phis, initial))
    phi->addIncoming(value, before);
  kernel.set(loop.getInductionVar(), {induction});
  b.CreateCondBr(divides ? b.CreateICmpULT(count, tripCount) : b.CreateIsNotNull(count), body,
                 done);
  b.SetInsertPoint(body);
  kernel.emitBlock(*loop.getBody());
  addIncoming(kernel, phis, carried(kernel, loop.getBody()->getTerminator()->getOperands()));
  Value *next = divides ? b.CreateAdd(count, one, "", true)
                        : b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, count, stride);
  count->addIncoming(next, b.GetInsertBlock());
  induction->addIncoming(b.CreateAdd(induction, step), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(done);
  for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
    kernel.set(result, kernel.get(argument));
}

void emitWhile(KernelLowering &kernel, scf::WhileOp loop) {
  auto &b = kernel.builder;
  Values initial = carried(kernel, loop.getInits());
  auto *before = b.GetInsertBlock(), *head = kernel.newBlock("while"),
       *body = kernel.newBlock("while.body"), *done = kernel.newBlock("while.done");
  kernel.shared.mark({SharedEventKind::InsertionPoint});
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto phis = makePhis(kernel, loop.getBeforeArguments());
  for (auto [phi, value] : llvm::zip_equal(phis, initial))
    phi->addIncoming(value, before);
  kernel.emitBlock(*loop.getBeforeBody());
  scf::ConditionOp condition = loop.getConditionOp();
  for (auto [passed, argument, result] :
       llvm::zip_equal(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
    Values registers = kernel.get(passed);
    kernel.set(argument, registers);
    kernel.set(result, registers);
  }
  b.CreateCondBr(kernel.scalar(condition.getCondition()), body, done);
  b.SetInsertPoint(body);
  kernel.emitBlock(*loop.getAfterBody());
  addIncoming(kernel, phis, carried(kernel, loop.getYieldOp().getOperands()));
  b.CreateBr(head);
  b.SetInsertPoint(done);
}

void emitIf(KernelLowering &kernel, scf::IfOp branch) {
  auto &b = kernel.builder;
  auto *then = kernel.newBlock("then"), *otherwise = kernel.newBlock("else"),
       *done = kernel.newBlock("join");
  b.CreateCondBr(kernel.scalar(branch.getCondition()), then, otherwise);
  auto emitSide = [&](llvm::BasicBlock *block, mlir::Block *body) {
    b.SetInsertPoint(block);
    Values yielded;
    if (body) {
      kernel.emitBlock(*body);
      yielded = carried(kernel, body->getTerminator()->getOperands());
    }
    return std::pair(yielded, b.GetInsertBlock());
  };
  auto [thenValues, thenEnd] = emitSide(then, branch.thenBlock());
  b.CreateBr(done);
  auto [elseValues, elseEnd] = emitSide(otherwise, branch.elseBlock());
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto phis = makePhis(kernel, branch.getResults());
  for (auto [i, phi] : llvm::enumerate(phis)) {
    phi->addIncoming(thenValues[i], thenEnd);
    phi->addIncoming(elseValues[i], elseEnd);
  }
}

void emitBarrier(KernelLowering &kernel, ttg::BarrierOp) { kernel.shared.barrier(); }

void emitAssume(KernelLowering &kernel, mlir::LLVM::AssumeOp op) {
  kernel.builder.CreateAssumption(kernel.scalar(op.getCond()));
}

/// Launches of one stream do not overlap here: there is nothing to wait for, and nobody to tell.
void emitNothing(KernelLowering &, mlir::Operation *) {}

/// Other calls have been replaced by what they call.
void refuseCall(KernelLowering &kernel, tt::CallOp op) {
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    kernel.unsupported(op, "cannot call '" + op.getCallee() + "', which has no body");
  kernel.unsupported(op, "does not run recursive functions");
}

} // namespace

void emitRegionBlocks(KernelLowering &kernel, mlir::Region &region,
                      llvm::function_ref<void(mlir::Operation *)> leave) {
  auto &b = kernel.builder;
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
    blocks[block] = kernel.newBlock("block");
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(blocks[block]);
    phis[block] = makePhis(kernel, block->getArguments());
  }
  for (mlir::Block *block : order) {
    if (block != order.front())
      b.SetInsertPoint(blocks[block]);
    kernel.emitBlock(*block);
    mlir::Operation *end = block->getTerminator();
    if (auto jump = mlir::dyn_cast<cf::BranchOp>(end)) {
      addIncoming(kernel, phis[jump.getDest()], carried(kernel, jump.getDestOperands()));
      b.CreateBr(blocks[jump.getDest()]);
    } else if (auto jump = mlir::dyn_cast<cf::CondBranchOp>(end)) {
      Value *condition = kernel.scalar(jump.getCondition());
      if (jump.getTrueDest() == jump.getFalseDest()) {
        // One edge: the values are chosen before it.
        Values yes = carried(kernel, jump.getTrueDestOperands()),
               no = carried(kernel, jump.getFalseDestOperands());
        for (unsigned i = 0; i < yes.size(); ++i)
          yes[i] = b.CreateSelect(condition, yes[i], no[i]);
        addIncoming(kernel, phis[jump.getTrueDest()], yes);
        b.CreateBr(blocks[jump.getTrueDest()]);
        continue;
      }
      addIncoming(kernel, phis[jump.getTrueDest()], carried(kernel, jump.getTrueDestOperands()));
      addIncoming(kernel, phis[jump.getFalseDest()], carried(kernel, jump.getFalseDestOperands()));
      b.CreateCondBr(condition, blocks[jump.getTrueDest()], blocks[jump.getFalseDest()]);
    } else {
      leave(end);
    }
  }
}

void registerControlFlow(OperationTable &table) {
  table.add<emitAssume>();
  table.add<emitBarrier>();
  table.add<emitFor>();
  table.add<emitGridBarrier>();
  table.add<emitIf>();
  table.add<emitNothing, tt::GridDependencyWaitOp, tt::GridDependencyLaunchDependentsOp>();
  table.add<emitWhile>();
  table.add<refuseCall>();
}

} // namespace tl::backend
