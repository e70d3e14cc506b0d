// SPDX-License-Identifier: MIT
//
// A function as a whole: the loop over programs around a kernel's body, blocks, and everything that
// works on scalars.
#include "targets/cpu/CarriedValues.h"
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Jit.h"
#include "targets/cpu/Matrices.h"
#include "targets/cpu/Operations.h"

#include "dialect/Context.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

void unsupported(mlir::Operation *operation, const llvm::Twine &message) {
  throw tt::errorAt(operation, message.str(), TL_UNSUPPORTED);
}

uint32_t addSite(ModuleLowering &module, Site site, mlir::Location location) {
  site.location = tt::sourceLocationOf(location);
  module.sites.push_back(std::move(site));
  return module.sites.size() - 1;
}

/// Numbers the operations in the order of the text.
static void numberOperations(FunctionLowering &f) {
  unsigned number = 0;
  f.function.getBody().walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::Operation *operation) { f.order[operation] = ++number; });
}

FunctionLowering::FunctionLowering(ModuleLowering &module, tt::FuncOp function)
    : ElementwiseEmitter(module.module.getContext(), module.features, "cpu"), lowering(module),
      features(module.features), function(function) {
  layOperandsAsLoaded(*this);
  numberOperations(*this);
}

llvm::AllocaInst *FunctionLowering::stackVariable(llvm::Type *type, const llvm::Twine &name) {
  llvm::IRBuilder<> at(entry, entry->begin());
  return at.CreateAlloca(type, nullptr, name);
}

llvm::Function *FunctionLowering::emitKernel(llvm::StringRef symbol) {
  llvm::Type *pointer = builder.getPtrTy(), *wide = builder.getInt64Ty();
  auto *type =
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, wide, wide, pointer}, false);
  code = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, lowering.module);
  setTargetAttributes(*code, features);
  Value *arguments = code->getArg(0), *begin = code->getArg(2), *end = code->getArg(3);
  gridPointer = code->getArg(1);
  arguments->setName("arguments");
  gridPointer->setName("grid");
  begin->setName("begin");
  end->setName("end");
  code->getArg(4)->setName("scratch");
  // Scratch, grid and argument words belong to the launch: no pointer of the kernel reaches them.
  code->addParamAttr(4, llvm::Attribute::NoAlias);
  code->addParamAttr(1, llvm::Attribute::NoAlias);
  code->addParamAttr(0, llvm::Attribute::NoAlias);
  entry = llvm::BasicBlock::Create(context, "entry", code);
  builder.SetInsertPoint(entry);
  scratch.begin(entry, code->getArg(4));
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    if (mlir::isa<mlir::RankedTensorType>(argument.getType()))
      unsupported(function, "a kernel parameter is a tensor");
    Value *address =
        builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(pointer, arguments, i));
    mlir::Type element = argument.getType();
    Value *loaded = builder.CreateLoad(memoryType(context, element), address);
    setScalar(argument, fromMemory(loaded, element));
  }
  Value *extent[2];
  for (unsigned axis = 0; axis < 2; ++axis)
    extent[axis] = builder.CreateZExt(
        builder.CreateLoad(builder.getInt32Ty(), builder.CreateConstInBoundsGEP1_64(
                                                     builder.getInt32Ty(), gridPointer, axis)),
        wide);
  auto *header = llvm::BasicBlock::Create(context, "programs", code);
  auto *body = llvm::BasicBlock::Create(context, "program", code);
  auto *latch = llvm::BasicBlock::Create(context, "next", code);
  auto *exit = llvm::BasicBlock::Create(context, "exit", code);
  builder.CreateBr(header);
  enterBlock(header);
  auto *number = builder.CreatePHI(wide, 2, "program");
  number->addIncoming(begin, entry);
  builder.CreateCondBr(builder.CreateICmpULT(number, end), body, exit);
  enterBlock(body);
  program = number;
  // x runs fastest; 64-bit divisions are expensive, so a one-dimensional grid avoids them.
  auto *split = llvm::BasicBlock::Create(context, "grid2", code);
  auto *start = llvm::BasicBlock::Create(context, "start", code);
  builder.CreateCondBr(builder.CreateICmpULT(number, extent[0]), start, split);
  enterBlock(split);
  Value *x = builder.CreateURem(number, extent[0]), *rest = builder.CreateUDiv(number, extent[0]);
  Value *y = builder.CreateURem(rest, extent[1]), *z = builder.CreateUDiv(rest, extent[1]);
  builder.CreateBr(start);
  enterBlock(start);
  Value *far[3] = {x, y, z}, *near[3] = {number, i64(0), i64(0)};
  llvm::PHINode *coordinates[3];
  for (unsigned axis = 0; axis < 3; ++axis) {
    coordinates[axis] = builder.CreatePHI(wide, 2);
    coordinates[axis]->addIncoming(near[axis], body);
    coordinates[axis]->addIncoming(far[axis], split);
  }
  for (unsigned axis = 0; axis < 3; ++axis)
    programId[axis] = builder.CreateTrunc(coordinates[axis], builder.getInt32Ty());
  emitBody([&] { builder.CreateBr(latch); });
  enterBlock(latch);
  Value *following = builder.CreateAdd(number, i64(1), "", true, true);
  number->addIncoming(following, latch);
  builder.CreateBr(header);
  enterBlock(exit);
  fenceStreams();
  builder.CreateRetVoid();
  scratch.assign();
  return code;
}

llvm::Function *FunctionLowering::emitCallee(llvm::StringRef symbol) {
  llvm::Type *pointer = builder.getPtrTy(), *word = builder.getInt32Ty();
  // Coordinates, program number, grid, scratch; then arguments (tensors by address) and places for
  // the results.
  llvm::SmallVector<llvm::Type *> types = {word,    word,   word, builder.getInt64Ty(),
                                           pointer, pointer};
  for (mlir::Value argument : function.getArguments())
    types.push_back(mlir::isa<mlir::RankedTensorType>(argument.getType())
                        ? pointer
                        : registerType(context, argument.getType()));
  types.append(function.getFunctionType().getNumResults(), pointer);
  code = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                llvm::Function::InternalLinkage, symbol, lowering.module);
  setTargetAttributes(*code, features);
  entry = llvm::BasicBlock::Create(context, "entry", code);
  builder.SetInsertPoint(entry);
  for (unsigned axis = 0; axis < 3; ++axis)
    programId[axis] = code->getArg(axis);
  program = code->getArg(3);
  gridPointer = code->getArg(4);
  scratch.begin(entry, code->getArg(5));
  unsigned next = 6;
  for (mlir::Value argument : function.getArguments()) {
    Value *passed = code->getArg(next++);
    if (mlir::isa<mlir::RankedTensorType>(argument.getType()))
      buffers[argument] = scratch.external(passed, bufferBytes(argument.getType()), true);
    else
      setScalar(argument, passed);
  }
  while (next < code->arg_size())
    resultPointers.push_back(code->getArg(next++));
  auto *body = llvm::BasicBlock::Create(context, "body", code);
  builder.CreateBr(body);
  enterBlock(body);
  emitBody([&] { builder.CreateRetVoid(); });
  scratch.assign();
  return code;
}

const ModuleLowering::Callee &ModuleLowering::callee(tt::FuncOp function) {
  Callee &known = callees[function];
  if (known.inProgress)
    unsupported(function, "the cpu target does not run recursive functions");
  if (known.function)
    return known;
  known.inProgress = true;
  FunctionLowering lowering(*this, function);
  llvm::Function *code = lowering.emitCallee("tl_function_" + function.getSymName().str());
  // The map may have grown meanwhile.
  Callee &done = callees[function];
  done = {code, lowering.scratchBytes(), false};
  return done;
}

void FunctionLowering::emitBody(std::function<void()> whenDone) {
  onReturn = std::move(whenDone);
  emitBranches(*this, function.getBody(), [&](mlir::Operation *terminator) {
    for (auto [value, place] : llvm::zip(terminator->getOperands(), resultPointers)) {
      if (!mlir::isa<mlir::RankedTensorType>(value.getType())) {
        builder.CreateStore(scalar(value), place);
        continue;
      }
      pass(*this, Passed{value, scratch.external(place, bufferBytes(value.getType()), true)});
    }
    onReturn();
  });
}

Value *FunctionLowering::constant(mlir::Attribute attribute, mlir::Type element) {
  llvm::Type *type = registerType(context, element);
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(attribute)) {
    if (type->isIntegerTy())
      return llvm::ConstantInt::get(type, number.getValue().bitcastToAPInt());
    return llvm::ConstantFP::get(context, number.getValue());
  }
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    return llvm::ConstantInt::get(type, number.getValue().zextOrTrunc(type->getIntegerBitWidth()));
  throw Error(TL_INTERNAL_ERROR, "a constant of an unknown kind");
}

Value *FunctionLowering::scalar(mlir::Value value) {
  if (auto known = scalars.find(value); known != scalars.end())
    return known->second;
  // A reduction of the open group, most likely.
  flush();
  if (auto known = scalars.find(value); known != scalars.end())
    return known->second;
  if (mlir::Operation *operation = value.getDefiningOp()) {
    if (auto constantOp = mlir::dyn_cast<mlir::arith::ConstantOp>(operation))
      return scalars[value] = constant(constantOp.getValue(), constantOp.getType());
    throw tt::errorAt(operation, "a value is used before it was computed", TL_INTERNAL_ERROR);
  }
  throw Error(TL_INTERNAL_ERROR, "an argument is used before it was set");
}

struct FunctionLowering::BlockScope {
  BlockScope(FunctionLowering &owner, mlir::Block &entered)
      : owner(owner), outer(owner.block), borrowed(std::move(owner.borrowed)),
        loads(std::move(owner.deferredLoads)) {
    owner.block = &entered;
    owner.borrowed.clear();
    owner.deferredLoads.clear();
  }
  ~BlockScope() {
    for (mlir::Value value : owner.borrowed)
      owner.buffers.erase(value);
    owner.block = outer;
    owner.borrowed = std::move(borrowed);
    owner.deferredLoads = std::move(loads);
  }
  FunctionLowering &owner;
  mlir::Block *outer;
  llvm::SmallVector<mlir::Value> borrowed;
  llvm::SmallVector<tt::LoadOp> loads;
};

void FunctionLowering::emitBlock(mlir::Block &entered,
                                 llvm::function_ref<void(mlir::Operation *)> terminate) {
  BlockScope scope(*this, entered);
  for (mlir::Operation &operation : entered.without_terminator())
    emitOperation(&operation);
  mlir::Operation *terminator = entered.getTerminator();
  current = order.lookup(terminator);
  terminate(terminator);
  flush();
}

/// Elementwise, on scalars.
static void emitScalar(FunctionLowering &f, mlir::Operation *operation) {
  auto isTensor = [](mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); };
  if (operation->getNumResults() != 1 || llvm::any_of(operation->getOperandTypes(), isTensor))
    unsupported(operation,
                "the cpu target has no lowering for '" + operation->getName().getStringRef() + "'");
  Values operands;
  for (mlir::Value operand : operation->getOperands())
    operands.push_back(f.scalar(operand));
  f.setScalar(operation->getResult(0), f.emitElementwise(operation, operands));
}

void FunctionLowering::emitOperation(mlir::Operation *operation) {
  current = order.lookup(operation);
  if (isDeferred(operation)) {
    if (auto load = mlir::dyn_cast<tt::LoadOp>(operation))
      deferredLoads.push_back(load);
    return;
  }
  if (Emitter emit = emitters().find(operation))
    return emit(*this, operation);
  emitScalar(*this, operation);
}

} // namespace tl::backend::cpu
