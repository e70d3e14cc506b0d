// SPDX-License-Identifier: MIT
#include "passes/DescribedOperands.h"

#include "analysis/MemoryOrder.h"
#include "analysis/TensorStores.h"
#include "layout/NamedLayouts.h"
#include "passes/StagedLoop.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tl::tt {

namespace {

/// Whether groups of warps have an instruction for a result of m x n.
bool hasRoom(int64_t m, int64_t n, unsigned warps) {
  constexpr int64_t leastRows = 64, leastColumns = 8;
  return m >= leastRows && n / backend::wgmmaWarps({m, n}, warps)[1] >= leastColumns;
}

/// Whether a product by a group of warps reads the block, of rank 2, out of shared memory where its
/// rows lie as TMA brings them.
bool isTakenAsItLies(DotOp dot, Value operand, bool isTransposed, unsigned warps) {
  RankedTensorType type = dot.getType(), a = dot.getA().getType();
  Type element = a.getElementType();
  if (warps == 0 || warps % 4 || type.getRank() != 2 ||
      element != dot.getB().getType().getElementType())
    return false;
  const int64_t m = type.getDimSize(0), n = type.getDimSize(1), k = a.getDimSize(1);
  const bool isFloat = type.getElementType().isF32();
  if (element.isF16() || element.isBF16())
    return hasRoom(m, n, warps) && isFloat && k >= 16;
  // Others are read with k along the rows alone, unless the product is transposed.
  const bool alongRows = operand == dot.getA() ? !isTransposed : isTransposed;
  if (element.isF32()) {
    if (!isFloat || dot.getInputPrecision() != InputPrecision::TF32 || k < 8)
      return false;
    auto isLoadedBeside = [&](Value other) {
      auto load = other.getDefiningOp<DescriptorLoadOp>();
      return load && load->getBlock() == dot->getBlock();
    };
    return (hasRoom(n, m, warps) && isLoadedBeside(dot.getA()) && isLoadedBeside(dot.getB())) ||
           (alongRows && hasRoom(m, n, warps));
  }
  if (!alongRows || !hasRoom(m, n, warps) || k < 32)
    return false;
  if (isFp8(element))
    return isFloat && dot.getMaxNumImpreciseAcc() >= 32;
  return element.isInteger(8) && type.getElementType().isInteger(32);
}

/// Whether all that uses the block, or is its transpose, is products of the loop.
bool areTakenAsItLies(Value block, bool isTransposed, scf::ForOp loop, unsigned warps) {
  return llvm::all_of(block.getUsers(), [&](Operation *user) {
    if (auto trans = dyn_cast<TransOp>(user))
      return areTakenAsItLies(trans.getResult(), !isTransposed, loop, warps);
    auto dot = dyn_cast<DotOp>(user);
    return dot && dot->getBlock() == loop.getBody() && block != dot.getC() &&
           isTakenAsItLies(dot, block, isTransposed, warps);
  });
}

/// Whether the load can run ahead of the products of its loop.
bool isOperandOfLoop(DescriptorLoadOp load, MakeTensorDescOp made, unsigned warps) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!loop || loop.getUnsignedCmp() || cast<RankedTensorType>(load.getType()).getRank() != 2)
    return false;
  if (auto stages = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
      stages && stages.getInt() < 2)
    return false;
  if (load.getResult().use_empty() || !areTakenAsItLies(load.getResult(), false, loop, warps) ||
      !ttg::LoopSlice(loop).add(load->getOperands()))
    return false;
  Value parameter = backend::ownParameterOf(made.getBase());
  return !loop.getBody()
              ->walk([&](Operation *op) {
                return backend::mayBePassedBy(op, parameter) ? WalkResult::advance()
                                                             : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether a loop adds results of its products to the block.
bool addsProducts(DescriptorReduceOp reduce, unsigned warps) {
  auto loop = dyn_cast<scf::ForOp>(reduce->getParentOp());
  return loop && warps >= 4 && !loop.getBody()->getOps<DotOp>().empty();
}

/// Whether the store comes once for a loop of products, which stands before it in the same loop.
bool isAfterProducts(DescriptorStoreOp store, unsigned warps) {
  bool isAfter = false;
  for (auto loop : store->getBlock()->getOps<scf::ForOp>())
    loop.getBody()->walk([&](DotOp) { isAfter |= loop->isBeforeInBlock(store); });
  return isAfter && warps >= 4;
}

} // namespace

bool areMovedForProducts(MakeTensorDescOp op, unsigned warps) {
  if (op->getParentOfType<LoopLikeOpInterface>())
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (!user->getParentOfType<LoopLikeOpInterface>())
      return true;
    if (auto load = dyn_cast<DescriptorLoadOp>(user))
      return isOperandOfLoop(load, op, warps);
    if (auto reduce = dyn_cast<DescriptorReduceOp>(user))
      return addsProducts(reduce, warps);
    auto store = dyn_cast<DescriptorStoreOp>(user);
    return store && isAfterProducts(store, warps);
  });
}

/// Whether a value has the layout of a loop's result: it is computed element by element.
static bool isLaidOutByLoop(Value value) {
  for (unsigned steps = 0; steps < 16; ++steps) {
    if (value.getDefiningOp<scf::ForOp>())
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || !op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<PacksElements>())
      return false;
    value = op->getOperand(0);
  }
  return false;
}

bool passInParts(MakeTensorDescOp op, unsigned warps) {
  ArrayRef<int64_t> block = op.getType().getShape();
  if (warps == 0 || warps % 4 || block.size() != 2 || !hasRoom(block[0], block[1], warps) ||
      backend::wgmmaWarps({block[0], block[1]}, warps)[1] != 1)
    return false;
  unsigned stores = 0; // of the kernel, which share the memory
  op->getParentOfType<FuncOp>().walk([&](DescriptorStoreOp) { ++stores; });
  return stores == 1 && llvm::all_of(op->getUsers(), [&](Operation *user) {
           auto store = dyn_cast<DescriptorStoreOp>(user);
           return store && backend::isAmongLastingRings(store, warps) &&
                  backend::isAloneInLoop(store) && isAfterProducts(store, warps) &&
                  isLaidOutByLoop(store.getSrc());
         });
}

} // namespace tl::tt
