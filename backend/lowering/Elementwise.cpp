// SPDX-License-Identifier: MIT
//
// Elementwise operations on the registers of a tensor: each one by arithmetic/Elementwise.h, or by
// a call where all of them would be too much code.
#include "codegen/CodeGenerators.h"
#include "layout/NamedLayouts.h"
#include "lowering/Division.h"
#include "lowering/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;
namespace arith = mlir::arith;

namespace {

/// About how many instructions of the machine an instruction becomes.
unsigned weightOf(const llvm::Instruction &instruction) {
  llvm::Type *type = instruction.getType();
  bool isDouble = type->getScalarType()->isDoubleTy();
  switch (instruction.getOpcode()) {
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return llvm::isa<llvm::Constant>(instruction.getOperand(1)) ? 4
           : type->getScalarSizeInBits() > 32                   ? 64
                                                                : 24;
  case llvm::Instruction::FDiv:
    return isDouble ? 32 : 12;
  case llvm::Instruction::FRem:
    return 64;
  case llvm::Instruction::Call: {
    const llvm::Function *callee = llvm::cast<llvm::CallBase>(instruction).getCalledFunction();
    if (!callee) // assembly
      return 1;
    if (callee->getIntrinsicID() == llvm::Intrinsic::sqrt)
      return isDouble ? 32 : 12;
    if (callee->isIntrinsic())
      return 1;
    unsigned sum = callee->isDeclaration() ? 64 : 0; // of the vendor's library
    for (const llvm::BasicBlock &block : *callee)
      for (const llvm::Instruction &inner : block)
        sum += weightOf(inner);
    return sum;
  }
  default:
    return isDouble ? 2 : 1; // constants take a move for each half
  }
}

/// Register bits of a mask that do not change it, by the axis analysis: elements within an aligned
/// block of `constancy` are equal.
unsigned constantBits(KernelLowering &kernel, mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger(1))
    return 0;
  AxisInfo info = kernel.axes.of(value);
  const LinearLayout &layout = ttg::layoutOf(type);
  unsigned bits = 0;
  for (unsigned bit = 0; bit < layout.inBits("register"); ++bit) {
    bool constant = true;
    for (unsigned axis = 0; axis < unsigned(type.getRank()) && constant; ++axis)
      constant = layout.outBits(dimName(axis)) == 0 ||
                 layout.image("register", bit, dimName(axis)) < uint64_t(info.constancy[axis]);
    bits |= unsigned(constant) << bit;
  }
  return bits;
}

using Pair = std::pair<Value *, Value *>;

/// Registers two at a time; false, and nothing is set, where the target has no such conversion.
bool emitPairs(KernelLowering &kernel, mlir::Operation *op,
               llvm::function_ref<std::optional<Pair>(Value *, Value *)> convert) {
  const Values sources = kernel.get(op->getOperand(0));
  Values results;
  for (unsigned r = 0; r + 1 < sources.size(); r += 2) {
    auto pair = convert(sources[r], sources[r + 1]);
    if (!pair)
      return false;
    results.push_back(pair->first);
    results.push_back(pair->second);
  }
  if (results.empty())
    return false;
  kernel.set(op->getResult(0), std::move(results));
  return true;
}

/// Floats, two at a time where the hardware converts two.
bool emitPairedConversion(KernelLowering &kernel, mlir::Operation *op) {
  auto from = floatFormat(elementType(op->getOperand(0).getType()));
  auto to = floatFormat(elementType(op->getResult(0).getType()));
  Rounding rounding = Rounding::toNearestEven;
  if (auto convert = mlir::dyn_cast<tt::FpToFpOp>(op);
      convert && convert.getRounding() == tt::RoundingMode::RTZ)
    rounding = Rounding::towardZero;
  if (auto trunc = mlir::dyn_cast<arith::TruncFOp>(op);
      trunc && trunc.getRoundingmode() == arith::RoundingMode::toward_zero)
    rounding = Rounding::towardZero;
  return emitPairs(kernel, op, [&](Value *first, Value *second) {
    return kernel.target.arithmetic.convertPair(kernel.builder, first, second, *from, *to,
                                                rounding);
  });
}

/// Integers, two at a time where that is faster.
bool emitPairedIntegers(KernelLowering &kernel, mlir::Operation *op) {
  auto to = floatFormat(elementType(op->getResult(0).getType()));
  return emitPairs(kernel, op, [&](Value *first, Value *second) {
    return kernel.target.arithmetic.convertIntegers(kernel.builder, first, second,
                                                    mlir::isa<arith::SIToFPOp>(op), *to);
  });
}

/// The operation as a function of its own. An assembler takes more than its time for code that is
/// long: a hundred instructions for each of 256 registers take minutes, as many calls a tenth of a
/// second.
llvm::Function *routineFor(KernelLowering &kernel, mlir::Operation *op,
                           llvm::ArrayRef<Value *> operands, llvm::Type *result) {
  auto &b = kernel.builder;
  llvm::SmallVector<llvm::Type *, 4> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *routine = llvm::Function::Create(
      llvm::FunctionType::get(result, types, false), llvm::GlobalValue::InternalLinkage,
      "tl.shared." + op->getName().stripDialect(), kernel.module);
  routine->addFnAttr(sharedRoutine);
  routine->addFnAttr(llvm::Attribute::NoInline);
  routine->setDoesNotThrow();
  routine->setDoesNotAccessMemory();
  routine->setWillReturn();
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(llvm::BasicBlock::Create(kernel.context, "entry", routine));
  llvm::SmallVector<Value *, 4> arguments;
  for (unsigned i = 0; i < operands.size(); ++i) {
    bool same =
        llvm::isa<llvm::Constant>(operands[i]) && llvm::all_equal(kernel.get(op->getOperand(i)));
    arguments.push_back(same ? operands[i] : routine->getArg(i));
  }
  b.CreateRet(kernel.scalars.emitElementwise(op, arguments));
  return routine;
}

void emitElementwise(KernelLowering &kernel, mlir::Operation *op) {
  auto &b = kernel.builder;
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    kernel.unsupported(op, "has no lowering for '" + op->getName().getStringRef() + "'");
  unsigned count = registersOf(op->getResult(0).getType());
  unsigned constant = constantBits(kernel, op->getResult(0));
  auto operandsOf = [&](unsigned r) {
    llvm::SmallVector<Value *, 4> operands;
    for (mlir::Value operand : op->getOperands()) {
      const Values &registers = kernel.get(operand);
      operands.push_back(registers[registers.size() == 1 ? 0 : r]);
    }
    return operands;
  };
  Values results;
  llvm::Function *routine = nullptr;
  for (unsigned r = 0; r < count; ++r) {
    if (r & constant) {
      results.push_back(results[r & ~constant]);
      continue;
    }
    llvm::SmallVector<Value *, 4> operands = operandsOf(r);
    if (routine) {
      results.push_back(b.CreateCall(routine, operands));
      continue;
    }
    llvm::BasicBlock *block = b.GetInsertBlock(), *lastBlock = &block->getParent()->back();
    auto last = block->empty() ? block->end() : std::prev(block->end());
    Value *result = kernel.scalars.emitElementwise(op, operands);
    results.push_back(result);
    if (r == 0 && count > 1 && mlir::isMemoryEffectFree(op)) {
      unsigned weight = 0;
      for (auto at = last == block->end() ? block->begin() : std::next(last); at != block->end();
           ++at)
        weight += weightOf(*at);
      // Blocks that it made stand at the end of the function.
      for (auto at = std::next(lastBlock->getIterator()); at != block->getParent()->end(); ++at)
        for (const llvm::Instruction &instruction : *at)
          weight += weightOf(instruction);
      // A call takes some ten instructions; 8192 are assembled in a second.
      constexpr unsigned mostInline = 8192, longerThanCall = 24;
      if (weight >= longerThanCall && weight * count > mostInline)
        routine = routineFor(kernel, op, operands, result->getType());
    }
  }
  kernel.set(op->getResult(0), std::move(results));
}

void emitFloatCast(KernelLowering &kernel, mlir::Operation *op) {
  if (!emitPairedConversion(kernel, op))
    emitElementwise(kernel, op);
}

void emitIntegerCast(KernelLowering &kernel, mlir::Operation *op) {
  if (!emitPairedIntegers(kernel, op))
    emitElementwise(kernel, op);
}

void emitIntegerDivision(KernelLowering &kernel, mlir::Operation *op) {
  if (!emitDivisions(kernel, op))
    emitElementwise(kernel, op);
}

void emitHint(KernelLowering &kernel, tt::HintOp op) {
  const Values source = kernel.get(op.getSrc());
  kernel.set(op, source);
}

} // namespace

/// What no group knows is an operation on each element, or refused there.
void registerElementwise(OperationTable &table) {
  table.add<emitFloatCast, arith::ExtFOp, arith::TruncFOp, tt::FpToFpOp>();
  table.add<emitIntegerCast, arith::SIToFPOp, arith::UIToFPOp>();
  table.add<emitIntegerDivision, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>();
  table.add<emitHint>();
  table.addOthers(emitElementwise);
}

} // namespace tl::backend
