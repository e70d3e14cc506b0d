// SPDX-License-Identifier: MIT
//
// A product is written transposed, (b^T a^T)^T for a b, where instructions of groups of warps take
// its operands better so.
//
// They read elements of 16 bits with k or the other axis running along the rows of shared memory,
// all others with k alone. The first operand may come from registers, though, which read it however
// it lies: a word of memory has a neighbouring row of 32 bits, or four of 8 bits, whose words over
// four k are exchanged in registers. So for elements of 32 and of 8 bits:
//
//     a       b        lies with neighbours along k
//     yes     yes      both are read as they lie
//     no      yes      a by way of registers
//     yes     no       transposed, b by way of registers
//     no      no       as yes, no: there is nothing to gain
//
// A sum that goes around in a loop goes around transposed, so that the loop has nothing to do for
// it. In layouts a transposition exchanges the names of axes; no data move.
#include "analysis/AxisInfo.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"
#include "passes/LoadedOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_TRANSPOSEPRODUCTS
#include "passes/GpuPasses.h.inc"

namespace {

/// Whether an instruction of a group of warps that has k along the rows of shared memory computes
/// the transposed product.
bool hasInstruction(GpuAttr gpu, tt::DotOp dot) {
  RankedTensorType type = dot.getType(), a = dot.getA().getType(), b = dot.getB().getType();
  if (gpu.getWarps() % 4 || type.getRank() != 2)
    return false;
  const Type element = a.getElementType(), other = b.getElementType();
  auto multiplies = [&](MatrixInstructionAttr instruction) {
    const Type taken = instruction.getElement();
    if (taken.isTF32())
      return element.isF32() && other.isF32() &&
             dot.getInputPrecision() == tt::InputPrecision::TF32;
    if (tt::isFp8(taken))
      return other == taken && tt::isFp8(element) &&
             int64_t(dot.getMaxNumImpreciseAcc()) >= instruction.getK();
    return taken.isInteger(8) && element == taken && other == taken;
  };
  const Shape transposed = {type.getDimSize(1), type.getDimSize(0)};
  auto instructions = gpu.getMatrixInstructions().getAsRange<MatrixInstructionAttr>();
  return llvm::any_of(instructions, [&](MatrixInstructionAttr instruction) {
    return instruction.getFamily() == "wgmma" && multiplies(instruction) &&
           type.getElementType() == instruction.getSum() && transposed[0] >= instruction.getM() &&
           transposed[1] / wgmmaWarps(transposed, gpu.getWarps())[1] >= instruction.getN() &&
           a.getDimSize(1) >= instruction.getK();
  });
}

/// Whether a loop loads the operands so that they are better taken the other way around. Those of
/// 32 bits may be computed from what it loads: registers are where that is.
bool isBetterTransposed(tt::DotOp dot, GpuAttr gpu, const AxisInfoAnalysis &axes) {
  const bool mayCompute = hasRoomForComputed(dot.getType(), gpu.getWarps() * gpu.getLanes());
  auto loadedAlong = [&](Value operand, unsigned axis) {
    auto loaded = loadedOperand(operand, axes);
    return loaded && loaded->along == axis &&
           loaded->bits == unsigned(tt::getElementBits(operand.getType())) &&
           (loaded->isUnchanged || (loaded->bits == 32 && mayCompute)) &&
           isComputedFromLoads(operand, dot->getBlock());
  };
  return isa<scf::ForOp>(dot->getParentOp()) && loadedAlong(dot.getA(), 1) &&
         loadedAlong(dot.getB(), 1);
}

Value transposed(OpBuilder &b, Location where, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  constexpr int32_t exchanged[] = {1, 0};
  if (auto trans = value.getDefiningOp<tt::TransOp>();
      trans && trans.getOrder() == ArrayRef<int32_t>(exchanged))
    return trans.getSrc();
  auto turned =
      RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return arith::ConstantOp::create(b, where, elements.resizeSplat(turned));
  return tt::TransOp::create(b, where, value, exchanged);
}

/// The number of the value that the loop does nothing with but add the product to it.
std::optional<unsigned> carriedSum(tt::DotOp dot) {
  auto loop = cast<scf::ForOp>(dot->getParentOp());
  auto sum = dyn_cast<BlockArgument>(dot.getC());
  if (!sum || sum.getOwner() != loop.getBody() || !sum.hasOneUse() || !dot.getD().hasOneUse() ||
      loop.getTiedLoopYieldedValue(sum)->get() != dot.getD())
    return {};
  return sum.getArgNumber() - loop.getNumInductionVars();
}

void transpose(tt::DotOp dot) {
  OpBuilder b(dot);
  Location where = dot.getLoc();
  Value first = transposed(b, where, dot.getB()), second = transposed(b, where, dot.getA());
  auto multiply = [&](Value sum) {
    return tt::DotOp::create(b, where, sum.getType(), first, second, sum, dot.getInputPrecision(),
                             dot.getMaxNumImpreciseAcc());
  };
  std::optional<unsigned> carried = carriedSum(dot);
  if (!carried) {
    Value result = multiply(transposed(b, where, dot.getC()));
    dot.replaceAllUsesWith(transposed(b, where, result));
    dot.erase();
    return;
  }
  auto loop = cast<scf::ForOp>(dot->getParentOp());
  BlockArgument sum = loop.getRegionIterArgs()[*carried];
  Value result = loop.getResult(*carried);
  b.setInsertionPoint(loop);
  Value start = transposed(b, where, loop.getInitArgs()[*carried]);
  loop.getInitArgsMutable()[*carried].assign(start);
  sum.setType(start.getType());
  b.setInsertionPoint(dot);
  Value product = multiply(sum);
  dot.replaceAllUsesWith(product);
  dot.erase();
  result.setType(start.getType());
  if (result.use_empty())
    return;
  b.setInsertionPointAfter(loop);
  auto back = tt::TransOp::create(b, where, result, ArrayRef<int32_t>{1, 0});
  result.replaceAllUsesExcept(back, back);
}

struct TransposeProducts : impl::TransposeProductsBase<TransposeProducts> {
  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    SmallVector<tt::DotOp> candidates, chosen;
    getOperation().walk([&](tt::DotOp dot) {
      if (hasInstruction(gpu, dot))
        candidates.push_back(dot);
    });
    if (!candidates.empty()) {
      const AxisInfoAnalysis &axes = getAnalysis<AxisInfoAnalysis>();
      llvm::copy_if(candidates, std::back_inserter(chosen),
                    [&](tt::DotOp dot) { return isBetterTransposed(dot, gpu, axes); });
      // A result that meets those of other products has to be laid out as they are.
      const DenseSet<Operation *> better(chosen.begin(), chosen.end());
      llvm::erase_if(chosen, [&](tt::DotOp dot) {
        return !carriedSum(dot) &&
               !llvm::all_of(dot->getBlock()->getOps<tt::DotOp>(),
                             [&](tt::DotOp other) { return better.contains(other); });
      });
    }
    llvm::for_each(chosen, transpose);
    if (chosen.empty())
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tl::ttg
