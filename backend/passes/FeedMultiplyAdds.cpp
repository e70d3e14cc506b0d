// SPDX-License-Identifier: MIT
//
// An operand is put into shared memory right before the product, or before the loop with the
// product if it is computed outside; a transposition becomes a view of what is transposed. So what
// a load brings lies where pipeline-loops can have it copied ahead of time.
//
// How it lies is a compromise between the layout in which it is computed and that in which the
// threads read it: exchangeLayout finds one that suits both. Where neighbours along k would lie
// together, a thread that reads four of each of its rows keeps 8 x 4 numbers in registers for steps
// to come, and has none to spare for sums. So rows (or columns) lie together instead if they are
// read many times: those who write, which asynchronous copies spare the registers, do it by single
// elements.
#include "analysis/LayoutInference.h"
#include "dialect/MatrixProducts.h"
#include "dialect/SharedMemoryUse.h"
#include "layout/Exchange.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"
#include "passes/GpuPasses.h"
#include "passes/LoadedOperands.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_FEEDMULTIPLYADDS
#include "passes/GpuPasses.h.inc"

namespace {

/// The same with the first registers as if they were warps, which no access takes together.
LinearLayout withoutFirstRegisters(const LinearLayout &layout, unsigned count) {
  std::vector<LinearLayout::InDim> ins = layout.ins();
  auto named = [&](StringRef name) -> std::vector<uint64_t> & {
    return llvm::find_if(ins, [&](const auto &in) { return in.name == name; })->images;
  };
  std::vector<uint64_t> &registers = named("register"), &warps = named("warp");
  warps.insert(warps.end(), registers.begin(), registers.begin() + count);
  registers.erase(registers.begin(), registers.begin() + count);
  return LinearLayout(std::move(ins), layout.outs());
}

/// How an operand lies in shared memory that is written by threads in one layout and read in
/// another one, which has k in its first `bitsOfK` registers.
LinearLayout layoutInMemory(const LinearLayout &from, const LinearLayout &reading, unsigned bitsOfK,
                            unsigned bytes, bool avoidsK) {
  LinearLayout layout = exchangeLayout(from, reading, bytes);
  const SharedAccess access = sharedAccess(reading, layout, bytes);
  auto isAlongK = [&](unsigned bit) { return bit < bitsOfK; };
  if (!avoidsK || llvm::none_of(access.registerBits, isAlongK))
    return layout;
  LinearLayout other = exchangeLayout(withoutFirstRegisters(from, from.inBits("register")),
                                      withoutFirstRegisters(reading, bitsOfK), bytes);
  const SharedAccess across = sharedAccess(reading, other, bytes);
  const bool isAsWide =
      across.elements >= access.elements && llvm::none_of(across.registerBits, isAlongK);
  return isAsWide ? other : layout;
}

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
    auto layout = SharedLayoutAttr::get(
        dot.getContext(), layoutInMemory(layoutOf(type), reading, bitsOfK(dot), bytes,
                                         bytes >= leastCopyBytes && isReadOften(dot, type)));
    OpBuilder b(source.getParentRegion()->findAncestorOpInRegion(*dot));
    memory = LocalAllocOp::create(
        b, source.getLoc(),
        MemDescType::get(b.getContext(), type.getShape(), type.getElementType(), layout), source,
        /*ordered=*/false);
    return memory;
  }

  static int64_t extentOfK(tt::DotOp dot) { return dot.getA().getType().getShape().back(); }
  static unsigned bitsOfK(tt::DotOp dot) { return llvm::Log2_64(uint64_t(extentOfK(dot))); }

  /// Whether the copies of single elements are few beside the products that each is a factor of.
  static bool isReadOften(tt::DotOp dot, RankedTensorType operand) {
    constexpr int64_t many = 64;
    return !loadsWaitInRegisters(dot->getParentOfType<ModuleOp>()) &&
           dot.getType().getNumElements() * extentOfK(dot) >= many * operand.getNumElements();
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
