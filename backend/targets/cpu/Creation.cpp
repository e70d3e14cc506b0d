// SPDX-License-Identifier: MIT
//
// Scalars that are made out of nothing but constants and the launch grid.
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

static void emitProgramId(FunctionLowering &f, tt::GetProgramIdOp id) {
  f.setScalar(id, f.programId[id.getAxisAsInt()]);
}

static void emitNumPrograms(FunctionLowering &f, tt::GetNumProgramsOp count) {
  llvm::IRBuilder<> &builder = f.builder;
  f.setScalar(count,
              builder.CreateLoad(builder.getInt32Ty(),
                                 builder.CreateConstInBoundsGEP1_64(
                                     builder.getInt32Ty(), f.gridPointer, count.getAxisAsInt())));
}

static void emitConstant(FunctionLowering &f, mlir::arith::ConstantOp constant) {
  f.setScalar(constant, f.constant(constant.getValue(), constant.getType()));
}

static void emitPoison(FunctionLowering &f, mlir::ub::PoisonOp poison) {
  f.setScalar(poison, llvm::Constant::getNullValue(registerType(f.context, poison.getType())));
}

static void emitUnsplat(FunctionLowering &f, tt::UnsplatOp unsplat) {
  f.flush();
  Nest nest = f.newNest(1);
  Value *value = f.evaluate(nest, unsplat.getSrc(), Index{}).value;
  f.leaveNest(nest);
  f.setScalar(unsplat, value);
}

void addCreation(EmitterTable &table) {
  table.add<emitProgramId>();
  table.add<emitNumPrograms>();
  table.add<emitConstant>();
  table.add<emitPoison>();
  table.add<emitUnsplat>();
}

} // namespace tl::backend::cpu
