// SPDX-License-Identifier: MIT
//
// An operand is put into shared memory right before the product, or before the loop with the
// product if it is computed outside; a transposition becomes a view of what is transposed. So what
// a load brings lies where pipeline-loops can have it copied ahead of time.
//
// How it lies is a compromise between the layout in which it is computed and that in which the
// threads read it: exchangeLayout finds one that suits both.
#include "analysis/LayoutInference.h"
#include "dialect/MatrixProducts.h"
#include "layout/Exchange.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_FEEDMULTIPLYADDS
#include "passes/GpuPasses.h.inc"

namespace {

class OperandsInMemory {
public:
  /// The operand in shared memory, to be read in the layout.
  Value share(tt::DotOp dot, Value operand, const LinearLayout &reading) {
    auto type = cast<RankedTensorType>(operand.getType());
    auto trans = operand.getDefiningOp<tt::TransOp>();
    if (!trans)
      return stored(dot, operand, reading);
    Value memory = stored(dot, trans.getSrc(), *backwardLayout(trans, 0, reading));
    const LinearLayout &below = cast<MemDescType>(memory.getType()).getLayout().getMap();
    OpBuilder b(dot);
    auto view = SharedLayoutAttr::get(b.getContext(), *forwardLayout(trans, 0, below));
    return MemDescTransOp::create(
        b, trans.getLoc(),
        MemDescType::get(b.getContext(), type.getShape(), type.getElementType(), view), memory,
        trans.getOrder());
  }

private:
  Value stored(tt::DotOp dot, Value source, const LinearLayout &reading) {
    auto type = cast<RankedTensorType>(source.getType());
    unsigned bytes = tt::memoryBytes(type);
    Value &memory = known[{source, LayoutAttr::get(dot.getContext(), reading)}];
    if (memory)
      return memory;
    auto layout =
        SharedLayoutAttr::get(dot.getContext(), exchangeLayout(layoutOf(type), reading, bytes));
    OpBuilder b(source.getParentRegion()->findAncestorOpInRegion(*dot));
    memory = LocalAllocOp::create(
        b, source.getLoc(),
        MemDescType::get(b.getContext(), type.getShape(), type.getElementType(), layout), source,
        /*ordered=*/false);
    return memory;
  }

  DenseMap<std::pair<Value, Attribute>, Value> known;
};

struct FeedMultiplyAdds : impl::FeedMultiplyAddsBase<FeedMultiplyAdds> {
  void runOnOperation() override {
    SmallVector<tt::DotOp> dots; // in the order of the text
    getOperation().walk([&](tt::DotOp dot) {
      if (!instructionOf(dot))
        dots.push_back(dot);
    });
    OperandsInMemory memory;
    for (tt::DotOp dot : dots) {
      const LinearLayout &layout = layoutOf(dot.getType());
      int64_t k = dot.getA().getType().getShape().back();
      Operation *before[] = {dot.getA().getDefiningOp(), dot.getB().getDefiningOp()};
      Value a = memory.share(dot, dot.getA(), productOperand(layout, 0, k));
      Value b = memory.share(dot, dot.getB(), productOperand(layout, 1, k));
      OpBuilder builder(dot);
      auto product = LocalDotOp::create(builder, dot.getLoc(), dot.getType(), a, b, dot.getC());
      dot.replaceAllUsesWith(product.getResult());
      dot.erase();
      for (Operation *op : {before[0], before[1] == before[0] ? nullptr : before[1]})
        if (isa_and_nonnull<tt::TransOp>(op) && op->use_empty())
          op->erase();
    }
  }
};

} // namespace
} // namespace tl::ttg
