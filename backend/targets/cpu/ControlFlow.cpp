// SPDX-License-Identifier: MIT
//
// Structured loops and branches, and the branches of functions with several blocks. Scalars cross
// as phis; tensors cross in buffers that both sides know, updated in place where that is safe.
#include "targets/cpu/CarriedValues.h"
#include "targets/cpu/Operations.h"

#include "dialect/Context.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
} // namespace

/// What an iteration hands to the next: tensors go to their buffers, scalars are returned in their
/// places.
static Values passOn(FunctionLowering &f, llvm::ArrayRef<ScratchBuffer *> carried,
                     mlir::ValueRange values) {
  llvm::SmallVector<Passed> passed;
  Values next;
  f.flush();
  for (auto [buffer, value] : llvm::zip(carried, values)) {
    next.push_back(buffer ? nullptr : f.scalar(value));
    if (buffer)
      passed.push_back({value, buffer});
  }
  pass(f, passed);
  return next;
}

static void emitFor(FunctionLowering &f, mlir::scf::ForOp loop) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  prepareRegions(f, loop);
  Value *lower = f.scalar(loop.getLowerBound()), *upper = f.scalar(loop.getUpperBound());
  Value *step = f.scalar(loop.getStep());
  llvm::SmallVector<ScratchBuffer *> carried;
  for (mlir::Value initial : loop.getInitArgs())
    carried.push_back(isTensor(initial) ? carriedBuffer(f, initial, loop) : nullptr);
  f.flush();
  llvm::Type *type = lower->getType();
  llvm::Constant *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(step); !known || known->isZero()) {
    Site site;
    site.message = "the step of a range is 0";
    reportIf(f, builder.CreateICmpEQ(step, zero), addSite(f.lowering, site, loop.getLoc()),
             nullptr);
  }
  Value *count = f.emitTripCount(lower, upper, step, loop.getUnsignedCmp());

  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(context, "for", f.code);
  auto *body = llvm::BasicBlock::Create(context, "for.body", f.code);
  auto *exit = llvm::BasicBlock::Create(context, "for.end", f.code);
  builder.CreateBr(header);
  f.enterBlock(header);
  auto *remaining = builder.CreatePHI(type, 2, "remaining");
  remaining->addIncoming(count, before);
  auto *variable = builder.CreatePHI(type, 2, "iv");
  variable->addIncoming(lower, before);
  f.setScalar(loop.getInductionVar(), variable);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (auto [buffer, initial, argument, result] :
       llvm::zip(carried, loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    phis.push_back(nullptr);
    if (buffer) {
      f.buffers[argument] = f.buffers[result] = buffer;
      scratch.use(*buffer);
      continue;
    }
    Value *start = f.scalar(initial);
    phis.back() = builder.CreatePHI(start->getType(), 2);
    phis.back()->addIncoming(start, before);
    f.setScalar(argument, phis.back());
    f.setScalar(result, phis.back());
  }
  builder.CreateCondBr(builder.CreateICmpNE(remaining, zero), body, exit);
  f.enterBlock(body);
  scratch.enterLoop();
  f.emitBlock(*loop.getBody(), [&](mlir::Operation *yield) {
    Values next = passOn(f, carried, yield->getOperands());
    llvm::BasicBlock *latch = builder.GetInsertBlock();
    remaining->addIncoming(builder.CreateSub(remaining, one), latch);
    variable->addIncoming(builder.CreateAdd(variable, step), latch);
    for (auto [phi, value] : llvm::zip(phis, next))
      if (phi)
        phi->addIncoming(value, latch);
    builder.CreateBr(header);
  });
  scratch.leaveLoop();
  for (ScratchBuffer *buffer : carried)
    if (buffer)
      scratch.use(*buffer);
  f.enterBlock(exit);
}

static void emitWhile(FunctionLowering &f, mlir::scf::WhileOp loop) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  prepareRegions(f, loop);
  llvm::SmallVector<ScratchBuffer *> carried;
  for (mlir::Value initial : loop.getInits())
    carried.push_back(isTensor(initial) ? carriedBuffer(f, initial, loop) : nullptr);
  f.flush();
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(context, "while", f.code);
  auto *body = llvm::BasicBlock::Create(context, "while.body", f.code);
  auto *exit = llvm::BasicBlock::Create(context, "while.end", f.code);
  Values starts;
  for (mlir::Value initial : loop.getInits())
    starts.push_back(isTensor(initial) ? nullptr : f.scalar(initial));
  builder.CreateBr(header);
  f.enterBlock(header);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (auto [buffer, start, argument] : llvm::zip(carried, starts, loop.getBeforeArguments())) {
    phis.push_back(nullptr);
    if (buffer) {
      f.buffers[argument] = buffer;
      continue;
    }
    phis.back() = builder.CreatePHI(start->getType(), 2);
    phis.back()->addIncoming(start, before);
    f.setScalar(argument, phis.back());
  }
  // What the condition hands on lives in buffers that were made before the loop.
  llvm::SmallVector<ScratchBuffer *> handed;
  auto condition = mlir::cast<mlir::scf::ConditionOp>(loop.getBeforeBody()->getTerminator());
  for (mlir::Value value : condition.getArgs())
    handed.push_back(isTensor(value) ? scratch.allocate(f.bufferBytes(value.getType())) : nullptr);
  scratch.enterLoop();
  f.emitBlock(*loop.getBeforeBody(), [&](mlir::Operation *) {
    llvm::SmallVector<Passed> passed;
    f.flush();
    Value *proceed = f.scalar(condition.getCondition());
    for (auto [buffer, value, argument, result] :
         llvm::zip(handed, condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
      if (buffer) {
        passed.push_back({value, buffer});
        f.buffers[argument] = f.buffers[result] = buffer;
        continue;
      }
      Value *handedOn = f.scalar(value);
      f.setScalar(argument, handedOn);
      f.setScalar(result, handedOn);
    }
    pass(f, passed);
    builder.CreateCondBr(proceed, body, exit);
  });
  f.enterBlock(body);
  f.emitBlock(*loop.getAfterBody(), [&](mlir::Operation *yield) {
    Values next = passOn(f, carried, yield->getOperands());
    llvm::BasicBlock *latch = builder.GetInsertBlock();
    for (auto [phi, value] : llvm::zip(phis, next))
      if (phi)
        phi->addIncoming(value, latch);
    builder.CreateBr(header);
  });
  scratch.leaveLoop();
  for (ScratchBuffer *buffer : handed)
    if (buffer)
      scratch.use(*buffer);
  f.enterBlock(exit);
}

static void emitIf(FunctionLowering &f, mlir::scf::IfOp branch) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  prepareRegions(f, branch);
  Value *condition = f.scalar(branch.getCondition());
  f.flush();
  llvm::SmallVector<ScratchBuffer *> results;
  for (mlir::Value result : branch.getResults())
    results.push_back(isTensor(result) ? scratch.allocate(f.bufferBytes(result.getType()))
                                       : nullptr);
  auto *then = llvm::BasicBlock::Create(context, "then", f.code);
  auto *otherwise = llvm::BasicBlock::Create(context, "else", f.code);
  auto *after = llvm::BasicBlock::Create(context, "endif", f.code);
  bool hasElse = !branch.getElseRegion().empty();
  builder.CreateCondBr(condition, then, hasElse ? otherwise : after);
  llvm::SmallVector<std::pair<llvm::BasicBlock *, Values>> ends;
  auto emit = [&](mlir::Region &region, llvm::BasicBlock *start) {
    f.enterBlock(start);
    f.emitBlock(region.front(), [&](mlir::Operation *yield) {
      llvm::SmallVector<Passed> passed;
      Values values;
      f.flush();
      for (auto [buffer, value] : llvm::zip(results, yield->getOperands())) {
        values.push_back(buffer ? nullptr : f.scalar(value));
        if (buffer)
          passed.push_back({value, buffer});
      }
      pass(f, passed);
      ends.push_back({builder.GetInsertBlock(), values});
      builder.CreateBr(after);
    });
  };
  emit(branch.getThenRegion(), then);
  if (hasElse)
    emit(branch.getElseRegion(), otherwise);
  else
    otherwise->eraseFromParent();
  f.enterBlock(after);
  for (auto [k, result] : llvm::enumerate(branch.getResults())) {
    if (results[k]) {
      f.buffers[result] = results[k];
      continue;
    }
    auto *phi = builder.CreatePHI(registerType(context, result.getType()), 2);
    for (auto &[end, values] : ends)
      phi->addIncoming(values[k], end);
    f.setScalar(result, phi);
  }
}

static void emitGridBarrier(FunctionLowering &f, tt::GridBarrierOp barrier) {
  llvm::IRBuilder<> &builder = f.builder;
  f.flush();
  f.beforeWrite(barrier, true); // other programs write while this one waits
  f.flush();
  Site site;
  site.message = "other programs ended before they came to the tl::grid_barrier";
  site.help = "each program must come to it equally often";
  uint32_t number = addSite(f.lowering, site, barrier.getLoc());
  auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {builder.getInt32Ty(), builder.getInt64Ty()}, false);
  builder.CreateCall(f.lowering.module.getOrInsertFunction(gridBarrierHook, type),
                     {builder.getInt32(number), f.program});
}

static void emitCall(FunctionLowering &f, tt::CallOp call) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    unsupported(call, "the function '" + call.getCallee() + "' has no body");
  f.flush();
  f.beforeWrite(call, true);
  f.flush();
  ModuleLowering::Callee target = f.lowering.callee(callee);
  Values arguments = {f.programId[0], f.programId[1], f.programId[2], f.program, f.gridPointer};
  ScratchBuffer *frame = scratch.allocate(std::max<uint64_t>(target.scratchBytes, 1));
  scratch.use(*frame);
  arguments.push_back(frame->pointer);
  llvm::SmallVector<ScratchBuffer *> passed = {frame};
  for (mlir::Value operand : call.getOperands()) {
    if (!mlir::isa<mlir::RankedTensorType>(operand.getType())) {
      arguments.push_back(f.scalar(operand));
      continue;
    }
    ScratchBuffer *buffer = f.materialise(operand);
    f.flush();
    passed.push_back(buffer);
    arguments.push_back(buffer->pointer);
  }
  llvm::SmallVector<llvm::AllocaInst *> variables;
  for (mlir::Value result : call.getResults()) {
    if (mlir::isa<mlir::RankedTensorType>(result.getType())) {
      ScratchBuffer *buffer = scratch.allocate(f.bufferBytes(result.getType()));
      f.buffers[result] = buffer;
      arguments.push_back(buffer->pointer);
      variables.push_back(nullptr);
    } else {
      variables.push_back(f.stackVariable(registerType(context, result.getType()), "result"));
      arguments.push_back(variables.back());
    }
  }
  for (ScratchBuffer *buffer : passed)
    scratch.use(*buffer);
  builder.CreateCall(target.function, arguments);
  for (auto [result, variable] : llvm::zip(call.getResults(), variables))
    if (variable)
      f.setScalar(result, builder.CreateLoad(variable->getAllocatedType(), variable));
  scratch.tick();
}

void addControlFlow(EmitterTable &table) {
  table.add<emitFor>();
  table.add<emitWhile>();
  table.add<emitIf>();
  table.add<emitGridBarrier>();
  table.add<emitCall>();
}

} // namespace tl::backend::cpu
