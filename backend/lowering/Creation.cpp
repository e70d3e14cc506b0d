// SPDX-License-Identifier: MIT
//
// Constants, numbers of programs, ranges, and scalars as tensors.
#include "dialect/Context.h"
#include "lowering/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

namespace {

// ---- Constants

llvm::Constant *scalarConstant(const KernelLowering &kernel, mlir::Attribute attribute,
                               mlir::Type element) {
  llvm::Type *type = kernel.registerTypeOf(element);
  llvm::APInt bits;
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    bits = integer.getValue().zextOrTrunc(type->getIntegerBitWidth());
  else
    bits = mlir::cast<mlir::FloatAttr>(attribute).getValue().bitcastToAPInt();
  if (type->isIntegerTy())
    return llvm::ConstantInt::get(kernel.context, bits);
  return llvm::ConstantFP::get(kernel.context, llvm::APFloat(type->getFltSemantics(), bits));
}

/// A table in constant memory, indexed by the element.
Values tableOf(KernelLowering &kernel, mlir::DenseElementsAttr dense, mlir::RankedTensorType type) {
  auto &b = kernel.builder;
  mlir::Type element = type.getElementType();
  bool booleans = element.isInteger(1);
  llvm::SmallVector<llvm::Constant *> all;
  for (mlir::Attribute value : dense.getValues<mlir::Attribute>()) {
    llvm::Constant *one = scalarConstant(kernel, value, element);
    all.push_back(booleans ? llvm::ConstantInt::get(b.getInt8Ty(), one->isOneValue()) : one);
  }
  auto *array = llvm::ArrayType::get(all[0]->getType(), all.size());
  auto *table = new llvm::GlobalVariable(
      kernel.module, array, true, llvm::GlobalValue::InternalLinkage,
      llvm::ConstantArray::get(array, all), "table", nullptr, llvm::GlobalValue::NotThreadLocal, 1);
  Values registers;
  for (unsigned reg = 0; reg < registersOf(type); ++reg) {
    Value *index = kernel.threads.flatElement(ttg::layoutOf(type), reg, type.getShape());
    Value *value = b.CreateLoad(all[0]->getType(), b.CreateGEP(all[0]->getType(), table, {index}));
    registers.push_back(booleans ? b.CreateICmpNE(value, b.getInt8(0)) : value);
  }
  return registers;
}

void emitConstant(KernelLowering &kernel, mlir::arith::ConstantOp op) {
  mlir::TypedAttr attribute = op.getValue();
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(attribute.getType());
  if (!type)
    return kernel.set(op, {scalarConstant(kernel, attribute, attribute.getType())});
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (!dense)
    throw tt::errorAt(kernel.function, "a tensor constant is not dense", TL_INTERNAL_ERROR);
  if (!dense.isSplat())
    return kernel.set(op, tableOf(kernel, dense, type));
  kernel.set(
      op, Values(registersOf(type), scalarConstant(kernel, dense.getSplatValue<mlir::Attribute>(),
                                                   type.getElementType())));
}

void emitPoison(KernelLowering &kernel, mlir::ub::PoisonOp op) {
  kernel.set(op, Values(registersOf(op.getType()),
                        llvm::Constant::getNullValue(kernel.registerTypeOf(op.getType()))));
}

// ---- Programs

void emitProgramId(KernelLowering &kernel, tt::GetProgramIdOp op) {
  kernel.set(op, {kernel.target.program.programId(kernel.builder, unsigned(op.getAxisAsInt()))});
}

void emitProgramCount(KernelLowering &kernel, tt::GetNumProgramsOp op) {
  kernel.set(op, {kernel.target.program.programCount(kernel.builder, unsigned(op.getAxisAsInt()))});
}

// ---- Tensors

void emitRange(KernelLowering &kernel, tt::MakeRangeOp op) {
  auto &b = kernel.builder;
  const LinearLayout &layout = ttg::layoutOf(op.getType());
  llvm::Type *type = kernel.registerTypeOf(op.getType());
  Values results;
  for (unsigned reg = 0; reg < registersOf(op.getType()); ++reg) {
    Value *at = kernel.threads.coordinate(layout, reg, "dim0");
    if (int32_t start = int32_t(op.getStart()))
      at = b.CreateAdd(at, kernel.i32(start), "", false, true);
    results.push_back(b.CreateSExtOrTrunc(at, type));
  }
  kernel.set(op, std::move(results));
}

void emitSplat(KernelLowering &kernel, tt::SplatOp op) {
  kernel.set(op, Values(registersOf(op.getType()), kernel.scalar(op.getSrc())));
}

/// One element: every thread has it.
void emitUnsplat(KernelLowering &kernel, tt::UnsplatOp op) {
  kernel.set(op, {kernel.get(op.getSrc())[0]});
}

} // namespace

void registerCreation(OperationTable &table) {
  table.add<emitConstant>();
  table.add<emitPoison>();
  table.add<emitProgramCount>();
  table.add<emitProgramId>();
  table.add<emitRange>();
  table.add<emitSplat>();
  table.add<emitUnsplat>();
}

} // namespace tl::backend
