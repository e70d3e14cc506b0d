// SPDX-License-Identifier: MIT
//
// A group of fusion roots as a whole: fused where its accesses turn out not to conflict, apart
// otherwise.
#include "targets/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"

namespace tl::backend::cpu {

using llvm::Value;

ScratchBuffer *FunctionLowering::copyLoaded(mlir::Value value, const Copies &copies) {
  FusionRoot root;
  root.value = value;
  root.buffer = scratch.allocate(bufferBytes(value.getType()));
  emitNest(root, copies, true);
  return root.buffer;
}

void FunctionLowering::emitGroup(Group &group) {
  group.slice = sliceOf(group.roots);
  llvm::SmallVector<Hazard> hazards;
  llvm::SmallVector<mlir::Value> copied;
  findHazards(group.roots, group.slice, hazards, copied);
  Copies copies;
  // Copies are made before anything of the group is stored: they compute what it stores in passing.
  auto copy = [&](llvm::ArrayRef<mlir::Value> loads) {
    NotYetStored before(*this, group);
    for (mlir::Value load : loads)
      if (!copies.contains(load))
        copies[load] = copyLoaded(load, copies);
  };
  copy(copied);
  if (hazards.empty()) {
    emitNest(group.roots, copies, false);
  } else {
    Value *safe = nullptr;
    for (const Hazard &hazard : hazards) {
      Value *one = noHazard(hazard);
      safe = safe ? builder.CreateAnd(safe, one) : one;
    }
    auto *fused = llvm::BasicBlock::Create(context, "fused", code);
    auto *apart = llvm::BasicBlock::Create(context, "apart", code);
    auto *after = llvm::BasicBlock::Create(context, "together", code);
    auto *branch = builder.CreateCondBr(safe, fused, apart);
    branch->setMetadata(llvm::LLVMContext::MD_prof,
                        llvm::MDBuilder(context).createBranchWeights(1000, 1));
    builder.SetInsertPoint(fused);
    emitNest(group.roots, copies, false);
    builder.CreateBr(after);
    builder.SetInsertPoint(apart);
    llvm::SmallVector<mlir::Value> loads;
    for (const Hazard &hazard : hazards)
      if (auto load = mlir::dyn_cast<tt::LoadOp>(hazard.first))
        loads.push_back(load);
    copy(loads);
    for (const FusionRoot &root : group.roots)
      emitNest(root, copies, true);
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  }
  for (const FusionRoot &root : group.roots)
    if (root.kind == FusionRoot::Kind::reduce)
      finishReduce(root, copies);
}

/// Runs a body for every element, one lane at a time, in row-major order.
void FunctionLowering::forEachElement(mlir::Type type,
                                      llvm::function_ref<void(Nest &, const Index &)> body) {
  Nest nest = newNest(1);
  int64_t count = elementCount(type);
  Digit digit;
  digit.extent = count;
  emitCounted(nest, i64(0), i64(count), 1, 32, [&](Value *i) {
    digit.base = i;
    digit.level = nest.levels.size() - 1;
    Index index;
    if (count > 1)
      index.digits.push_back(digit);
    body(nest, index);
  });
  leaveNest(nest);
}

} // namespace tl::backend::cpu
