// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"
#include "dialect/MatrixProducts.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"
#include "passes/LayoutConversions.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_SHAREPRODUCTOPERANDS
#include "passes/GpuPasses.h.inc"

namespace {

constexpr unsigned widestSwizzle = 128, narrowestSwizzle = 32; // bytes

/// The axis along which registers, or else lanes, count neighbours.
unsigned fastestAxis(RankedTensorType type) {
  const LinearLayout &layout = layoutOf(type);
  for (const char *in : {"register", "lane"})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      for (unsigned axis = unsigned(type.getRank()); axis-- > 0;)
        if (layout.outBits(dimName(axis)) && layout.image(in, bit, dimName(axis)) == 1)
          return axis;
  return unsigned(type.getRank()) - 1;
}

MemDescType memoryType(RankedTensorType type, unsigned fastest, unsigned swizzle) {
  unsigned bits = tt::getElementBits(type.getElementType());
  LinearLayout layout =
      hardwareSwizzledShared(type.getShape().vec(), {fastest, 1 - fastest}, bits, swizzle);
  return MemDescType::get(type.getContext(), type.getShape(), type.getElementType(),
                          SharedLayoutAttr::get(type.getContext(), layout));
}

class OperandsInMemory {
public:
  /// The operand in shared memory, from where it is computed on. `axisOfK` is its axis of k,
  /// `instructionRows` how many of its rows (or columns) one instruction takes.
  Value share(Value operand, unsigned axisOfK, int64_t instructionRows) {
    auto type = cast<RankedTensorType>(operand.getType());
    auto trans = operand.getDefiningOp<tt::TransOp>();
    // What a load brings stays as it lies in global memory; the transposition becomes a view.
    Value source = trans ? Value(trans.getSrc()) : operand;
    auto sourceType = cast<RankedTensorType>(source.getType());
    unsigned bytes = tt::getElementBits(type.getElementType()) / 8;
    unsigned sourceK = trans ? 1 - axisOfK : axisOfK;
    // TMA brings rows.
    unsigned fastest = source.getDefiningOp<tt::DescriptorLoadOp>() ? 1 : fastestAxis(sourceType);
    auto patternBytes = [&](unsigned axis) {
      int64_t extent = sourceType.getDimSize(axis);
      return unsigned(axis == sourceK ? extent : std::min(extent, instructionRows)) * bytes;
    };
    // Only elements of 16 bits can be read with rows running fastest.
    if (bytes != 2 || patternBytes(fastest) < narrowestSwizzle)
      fastest = sourceK;
    unsigned swizzle = std::min(widestSwizzle, patternBytes(fastest));

    Value &memory = copies[{source, memoryType(sourceType, fastest, swizzle)}];
    OpBuilder b(source.getContext());
    if (!memory) {
      b.setInsertionPointAfterValue(source);
      memory = LocalAllocOp::create(b, source.getLoc(), memoryType(sourceType, fastest, swizzle),
                                    source, /*ordered=*/false);
    }
    if (!trans)
      return memory;
    b.setInsertionPointAfterValue(memory);
    return MemDescTransOp::create(b, source.getLoc(), memoryType(type, 1 - fastest, swizzle),
                                  memory, trans.getOrder());
  }

private:
  DenseMap<std::pair<Value, Type>, Value> copies;
};

void replaceDot(tt::DotOp dot, MatrixInstructionAttr instruction, unsigned warps,
                OperandsInMemory &memory) {
  OpBuilder b(dot);
  std::vector<unsigned> split = wgmmaWarps(dot.getType().getShape().vec(), warps);
  Value a = dot.getA(), c = dot.getC();
  SmallVector<Operation *> before = {a.getDefiningOp(), dot.getB().getDefiningOp()};
  if (layoutOf(a.getType()) !=
      wgmmaOperand(dot.getA().getType().getShape().vec(), instruction.getOperandBits(), split))
    a = memory.share(a, 1, instruction.getM());
  Value sharedB = memory.share(dot.getB(), 0, instruction.getN());
  auto product = WarpGroupDotOp::create(
      b, dot.getLoc(), dot.getType(), a, sharedB, c,
      b.getDenseI32ArrayAttr(
          {int32_t(instruction.getM()), int32_t(instruction.getN()), int32_t(instruction.getK())}),
      b.getDenseI32ArrayAttr({int32_t(split[0]), int32_t(split[1])}));
  auto wait = WarpGroupDotWaitOp::create(b, dot.getLoc(), TypeRange{dot.getType()},
                                         ValueRange{product.getD()}, 0u);
  dot.replaceAllUsesWith(wait.getOutputs()[0]);
  dot.erase();
  for (Operation *op : llvm::SetVector<Operation *>(before.begin(), before.end()))
    if (isa_and_nonnull<tt::TransOp>(op) && op->use_empty())
      op->erase();
}

struct ShareProductOperands : impl::ShareProductOperandsBase<ShareProductOperands> {
  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    OperandsInMemory memory;
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) { dots.push_back(dot); });
    for (tt::DotOp dot : dots)
      if (MatrixInstructionAttr instruction = instructionOf(dot);
          instruction && instruction.getFamily() == "wgmma")
        replaceDot(dot, instruction, gpu.getWarps(), memory);
  }
};

} // namespace
} // namespace tl::ttg
