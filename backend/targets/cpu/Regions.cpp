// SPDX-License-Identifier: MIT
//
// Regions of scalars (of reductions, scans, element maps) on vectors of registers.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/DerivedTypes.h"

namespace tl::backend::cpu {

using llvm::Value;
namespace arith = mlir::arith;

bool FunctionLowering::isVectorisable(mlir::Region &region) {
  if (!region.hasOneBlock())
    return false;
  for (mlir::Operation &operation : region.front()) {
    if (operation.getNumRegions() || operation.getNumSuccessors())
      return false;
    if (mlir::isa<tt::AccessOpInterface, tt::CallOp, tt::PrintOp>(operation))
      return false;
  }
  return true;
}

Values FunctionLowering::emitRegion(mlir::Region &region, llvm::ArrayRef<Value *> arguments) {
  mlir::Block &block = region.front();
  llvm::DenseMap<mlir::Value, Value *> values;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  unsigned lanes = 1;
  for (Value *argument : arguments)
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(argument->getType()))
      lanes = vector->getNumElements();
  auto look = [&](mlir::Value value) -> Value * {
    auto known = values.find(value);
    if (known != values.end())
      return known->second;
    Value *outside = scalar(value);
    return lanes == 1 ? outside : builder.CreateVectorSplat(lanes, outside);
  };
  for (mlir::Operation &operation : block.without_terminator()) {
    if (auto constantOp = mlir::dyn_cast<arith::ConstantOp>(operation)) {
      Value *value = constant(constantOp.getValue(), constantOp.getType());
      values[constantOp] = lanes == 1 ? value : builder.CreateVectorSplat(lanes, value);
      continue;
    }
    Values operands;
    for (mlir::Value operand : operation.getOperands())
      operands.push_back(look(operand));
    values[operation.getResult(0)] = emitElementwise(&operation, operands);
  }
  Values results;
  for (mlir::Value result : block.getTerminator()->getOperands())
    results.push_back(look(result));
  return results;
}

} // namespace tl::backend::cpu
