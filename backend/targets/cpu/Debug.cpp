// SPDX-License-Identifier: MIT
//
// What a kernel tells its host: printed values and failed assertions.
#include "targets/cpu/FunctionLowering.h"

#include "passes/Passes.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"

namespace tl::backend::cpu {

using llvm::Value;

/// Calls the report hook if the condition holds. `element` null: no element.
void FunctionLowering::reportIf(Value *condition, uint32_t site, Value *element) {
  auto *then = llvm::BasicBlock::Create(context, "report", code);
  auto *after = llvm::BasicBlock::Create(context, "checked", code);
  builder.CreateCondBr(condition, then, after);
  enterBlock(then);
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getInt32Ty(), builder.getInt64Ty(), builder.getInt64Ty()},
      false);
  builder.CreateCall(lowering.module.getOrInsertFunction(reportHook, type),
                     {builder.getInt32(site), program, element ? element : i64(-1)});
  builder.CreateBr(after);
  enterBlock(after);
}

void FunctionLowering::emitAssert(tt::AssertOp assertion) {
  bool always = assertion->hasAttr(tt::alwaysCheckedName);
  if (!lowering.options.debug && !always)
    return;
  flush();
  Site site;
  site.message = (always ? "" : "tl::device_assert failed: ") + assertion.getMessage().str();
  mlir::Value condition = assertion.getCondition();
  site.shape.assign(shapeOf(condition.getType()).begin(), shapeOf(condition.getType()).end());
  uint32_t number = addSite(lowering, site, assertion.getLoc());
  if (!mlir::isa<mlir::RankedTensorType>(condition.getType()))
    return reportIf(builder.CreateNot(scalar(condition)), number, nullptr);
  forEachElement(condition.getType(), [&](Nest &nest, const Index &index) {
    Value *holds = evaluate(nest, condition, index).value;
    Value *position = linear(nest, index).value;
    atTail(nest);
    reportIf(builder.CreateNot(holds), number, position);
    nest.levels.back().setup = nest.levels.back().tail = builder.GetInsertBlock();
  });
}

void FunctionLowering::emitPrint(tt::PrintOp print) {
  Site site;
  site.message = print.getPrefix().str();
  site.hex = print.getHex();
  llvm::ArrayRef<int32_t> isSigned = print.getIsSigned();
  flush();
  llvm::SmallVector<Slot *> tensors;
  for (mlir::Value value : print.getArgs())
    tensors.push_back(mlir::isa<mlir::RankedTensorType>(value.getType()) ? materialise(value)
                                                                         : nullptr);
  flush();
  size_t count = print.getArgs().size();
  llvm::Type *pointer = builder.getPtrTy();
  llvm::AllocaInst *table =
      stackVariable(llvm::ArrayType::get(pointer, std::max<size_t>(count, 1)), "printed");
  for (auto [i, value] : llvm::enumerate(print.getArgs())) {
    Site::Operand operand;
    llvm::raw_string_ostream(operand.type) << elementType(value.getType());
    operand.shape.assign(shapeOf(value.getType()).begin(), shapeOf(value.getType()).end());
    operand.isSigned = i >= isSigned.size() || isSigned[i] != 0;
    site.operands.push_back(operand);
    Value *address;
    if (Slot *slot = tensors[i]) {
      scratch.use(*slot);
      address = slot->pointer;
    } else {
      Value *stored = toMemory(scalar(value), value.getType());
      address = stackVariable(stored->getType(), "value");
      builder.CreateStore(stored, address);
    }
    builder.CreateStore(address, builder.CreateConstInBoundsGEP1_64(pointer, table, i));
  }
  uint32_t number = addSite(lowering, site, print.getLoc());
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getInt32Ty(), builder.getInt64Ty(), pointer, pointer}, false);
  builder.CreateCall(lowering.module.getOrInsertFunction(printHook, type),
                     {builder.getInt32(number), program, gridPointer, table});
  scratch.tick();
}

} // namespace tl::backend::cpu
