// SPDX-License-Identifier: MIT
#include "passes/DescribedOperands.h"

#include "analysis/MemoryOrder.h"
#include "layout/NamedLayouts.h"
#include "passes/StagedLoop.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tl::tt {

namespace {

/// Whether a product by a group of warps reads the block, of rank 2, out of shared memory where its
/// rows lie as TMA brings them.
bool isTakenAsItLies(DotOp dot, Value operand, bool isTransposed, unsigned warps) {
  RankedTensorType type = dot.getType();
  RankedTensorType a = dot.getA().getType(), b = dot.getB().getType();
  if (warps == 0 || warps % 4 || type.getRank() != 2 || a.getElementType() != b.getElementType() ||
      type.getDimSize(0) < 64 ||
      type.getDimSize(1) / backend::wgmmaWarps(type.getShape().vec(), warps)[1] < 8)
    return false;
  Type element = a.getElementType();
  if (element.isF16() || element.isBF16())
    return type.getElementType().isF32() && a.getDimSize(1) >= 16;
  // Others are read with k along the rows alone.
  bool alongRows = operand == dot.getA() ? !isTransposed : isTransposed;
  return alongRows && element.isInteger(8) && type.getElementType().isInteger(32) &&
         a.getDimSize(1) >= 32;
}

/// Whether the load can run ahead of a product of its loop.
bool isOperandOfLoop(DescriptorLoadOp load, unsigned warps) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!loop || loop.getUnsignedCmp() || cast<RankedTensorType>(load.getType()).getRank() != 2)
    return false;
  if (auto stages = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
      stages && stages.getInt() < 2)
    return false;
  Value block = load.getResult();
  bool isTransposed = false;
  while (block.hasOneUse() && isa<TransOp>(*block.user_begin())) {
    block = block.user_begin()->getResult(0);
    isTransposed = !isTransposed;
  }
  auto dot = block.hasOneUse() ? dyn_cast<DotOp>(*block.user_begin()) : DotOp();
  if (!dot || dot->getBlock() != loop.getBody() || block == dot.getC() ||
      !isTakenAsItLies(dot, block, isTransposed, warps))
    return false;
  if (!ttg::LoopSlice(loop).add(load->getOperands()))
    return false;
  return !loop.getBody()
              ->walk([](Operation *op) {
                return backend::writesMemory(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

} // namespace

bool areOperandsOfLoops(MakeTensorDescOp op, unsigned warps) {
  if (op->getParentOfType<LoopLikeOpInterface>())
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto load = dyn_cast<DescriptorLoadOp>(user);
    return !user->getParentOfType<LoopLikeOpInterface>() || (load && isOperandOfLoop(load, warps));
  });
}

} // namespace tl::tt
