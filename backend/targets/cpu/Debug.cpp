// SPDX-License-Identifier: MIT
//
// What a kernel tells its host: printed values and failed assertions.
#include "dialect/Hints.h"
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

#include "passes/Passes.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"

namespace tl::backend::cpu {

using llvm::Value;

/// Calls the report hook if the condition holds. `element` null: no element.
void reportIf(FunctionLowering &f, Value *condition, uint32_t site, Value *element) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  auto *then = llvm::BasicBlock::Create(context, "report", f.code);
  auto *after = llvm::BasicBlock::Create(context, "checked", f.code);
  builder.CreateCondBr(condition, then, after);
  f.enterBlock(then);
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getInt32Ty(), builder.getInt64Ty(), builder.getInt64Ty()},
      false);
  builder.CreateCall(f.lowering.module.getOrInsertFunction(reportHook, type),
                     {builder.getInt32(site), f.program, element ? element : f.i64(-1)});
  builder.CreateBr(after);
  f.enterBlock(after);
}

static void emitAssert(FunctionLowering &f, tt::AssertOp assertion) {
  llvm::IRBuilder<> &builder = f.builder;
  f.flush();
  Site site;
  const char *who = assertion->hasAttr(tt::alwaysCheckedName) ? "" : "tl::device_assert failed: ";
  site.message = who + assertion.getMessage().str();
  mlir::Value condition = assertion.getCondition();
  site.shape.assign(shapeOf(condition.getType()).begin(), shapeOf(condition.getType()).end());
  uint32_t number = addSite(f.lowering, site, assertion.getLoc());
  if (!mlir::isa<mlir::RankedTensorType>(condition.getType()))
    return reportIf(f, builder.CreateNot(f.scalar(condition)), number, nullptr);
  f.forEachElement(condition.getType(), [&](Nest &nest, const Index &index) {
    Value *holds = f.evaluate(nest, condition, index).value;
    Value *position = f.linear(nest, index).value;
    f.atTail(nest);
    reportIf(f, builder.CreateNot(holds), number, position);
    nest.levels.back().setup = nest.levels.back().tail = builder.GetInsertBlock();
  });
}

static void emitPrint(FunctionLowering &f, tt::PrintOp print) {
  llvm::IRBuilder<> &builder = f.builder;
  Scratch &scratch = f.scratch;
  Site site;
  site.message = print.getPrefix().str();
  site.hex = print.getHex();
  llvm::ArrayRef<int32_t> isSigned = print.getIsSigned();
  f.flush();
  llvm::SmallVector<ScratchBuffer *> tensors;
  for (mlir::Value value : print.getArgs())
    tensors.push_back(mlir::isa<mlir::RankedTensorType>(value.getType()) ? f.materialise(value)
                                                                         : nullptr);
  f.flush();
  size_t count = print.getArgs().size();
  llvm::Type *pointer = builder.getPtrTy();
  llvm::AllocaInst *table =
      f.stackVariable(llvm::ArrayType::get(pointer, std::max<size_t>(count, 1)), "printed");
  for (auto [i, value] : llvm::enumerate(print.getArgs())) {
    Site::Operand operand;
    llvm::raw_string_ostream(operand.type) << elementType(value.getType());
    operand.shape.assign(shapeOf(value.getType()).begin(), shapeOf(value.getType()).end());
    const llvm::SmallVector<int64_t> printed = print.getPrintedShape(unsigned(i));
    operand.printed.assign(printed.begin(), printed.end());
    operand.isSigned = i >= isSigned.size() || isSigned[i] != 0;
    site.operands.push_back(operand);
    Value *address;
    if (ScratchBuffer *buffer = tensors[i]) {
      scratch.use(*buffer);
      address = buffer->pointer;
    } else {
      Value *stored = f.toMemory(f.scalar(value), value.getType());
      address = f.stackVariable(stored->getType(), "value");
      builder.CreateStore(stored, address);
    }
    builder.CreateStore(address, builder.CreateConstInBoundsGEP1_64(pointer, table, i));
  }
  uint32_t number = addSite(f.lowering, site, print.getLoc());
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getInt32Ty(), builder.getInt64Ty(), pointer, pointer}, false);
  builder.CreateCall(f.lowering.module.getOrInsertFunction(printHook, type),
                     {builder.getInt32(number), f.program, f.gridPointer, table});
  scratch.tick();
}

void addDebug(EmitterTable &table) {
  table.add<emitPrint>();
  table.add<emitAssert>();
  // Hints and barriers order nothing here: a program is one thread.
  table.addAll<mlir::LLVM::AssumeOp, ttg::BarrierOp>([](FunctionLowering &, mlir::Operation *) {});
}

} // namespace tl::backend::cpu
