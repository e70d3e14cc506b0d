// SPDX-License-Identifier: MIT
//
// What a loop loads for its products gets a layout in which copies in lane order bring it to shared
// memory, and lies there so that it is read with as few conflicts in the banks as before. Loads
// whose pointers would have to move between threads for that stay as they are, and so do those
// whose neighbours in memory are not those that products read together, unless the GPU reads
// columns (LDS reads that transpose): threads put them in order.
#include "analysis/AxesInMemory.h"
#include "analysis/Rematerialisation.h"
#include "dialect/SharedMemoryUse.h"
#include "layout/Exchange.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"
#include "passes/GpuPasses.h"
#include "passes/LaneCopies.h"
#include "passes/LayoutConversions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_ARRANGECOPIES
#include "passes/GpuPasses.h.inc"

namespace {

/// Values that are cheap to compute, in other layouts.
class Recomputation {
public:
  /// Whether the value follows from what all threads have, by nothing but cheap operations.
  bool isCheap(Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return true;
    auto [known, isNew] = cheap.try_emplace(value, false);
    if (!isNew)
      return known->second;
    Operation *op = beforeConversion(value).getDefiningOp();
    const bool result = op && op->getNumResults() == 1 && Rematerialisation::isCheap(op) &&
                        llvm::all_of(op->getOperands(), [&](Value each) { return isCheap(each); });
    return cheap[value] = result;
  }

  /// A cheap value, right before where it is computed now.
  Value computeIn(Value value, LayoutAttr layout) {
    value = beforeConversion(value);
    if (layoutAttrOf(value) == layout)
      return value;
    if (Value known = made.lookup({value, layout}))
      return known;
    Value result =
        computeAgain(value.getDefiningOp(), layout,
                     [this](Value each, LayoutAttr wanted) { return computeIn(each, wanted); });
    return made[{value, layout}] = result;
  }

private:
  DenseMap<Value, bool> cheap;
  DenseMap<std::pair<Value, Attribute>, Value> made;
};

struct ArrangeCopies : impl::ArrangeCopiesBase<ArrangeCopies> {
  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    if (!getOperation()->hasAttr(laneCopiesName))
      return;
    const AxisInfoAnalysis &axes = getAnalysis<AxisInfoAnalysis>();
    SmallVector<LocalAllocOp> allocs;
    getOperation().walk([&](LocalAllocOp alloc) { allocs.push_back(alloc); });
    SmallVector<Value> replaced;
    for (LocalAllocOp alloc : allocs)
      arrange(alloc, axes, replaced);
    eraseUnused(replaced);
  }

  void arrange(LocalAllocOp alloc, const AxisInfoAnalysis &axes, SmallVector<Value> &replaced) {
    auto load = alloc.getSrc() ? alloc.getSrc().getDefiningOp<tt::LoadOp>() : tt::LoadOp();
    if (!load || !load->hasOneUse() || load->getBlock() != alloc->getBlock() ||
        !isa<scf::ForOp>(load->getParentOp()) ||
        !llvm::all_of(alloc->getUsers(), llvm::IsaPred<LocalLoadOp>) ||
        !llvm::all_of(load->getOperands(), [&](Value each) { return values.isCheap(each); }))
      return;
    const unsigned bytes = laneCopyBytes(load, axes);
    std::optional<LinearLayout> shared = bytes ? sharedFor(load, alloc, bytes, axes) : std::nullopt;
    if (!shared)
      return;
    MLIRContext *context = load.getContext();
    auto layout = LayoutAttr::get(context, inLaneOrder(*shared, load, bytes));
    llvm::append_range(replaced, load->getOperands());
    for (OpOperand &operand : load->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        operand.set(values.computeIn(operand.get(), layout));
    setLayout(load.getResult(), layout);
    MemDescType type = alloc.getType();
    alloc.getResult().setType(MemDescType::get(context, type.getShape(), type.getElementType(),
                                               SharedLayoutAttr::get(context, *shared)));
  }

  /// Rows of pieces of the widest access, which are read at least as well as what there is.
  std::optional<LinearLayout> sharedFor(tt::LoadOp load, LocalAllocOp alloc, unsigned bytes,
                                        const AxisInfoAnalysis &axes) {
    auto type = cast<RankedTensorType>(load.getType());
    const unsigned elementBytes = tt::memoryBytes(type), banks = banksOf(getOperation());
    const LinearLayout &own = layoutOf(type);
    if (type.getRank() != 2 || own.inBits("register") < llvm::Log2_32(bytes / elementBytes))
      return std::nullopt;
    for (const auto &[name, bits] : own.freeBits())
      if (bits)
        return std::nullopt;
    const unsigned fastest = axesInMemory(load.getPtr(), axes)[0];
    const unsigned piece = widestLaneCopy / elementBytes;
    if (type.getDimSize(fastest) < int64_t(piece))
      return std::nullopt;
    auto cyclesOfReaders = [&](const LinearLayout &shared) {
      unsigned cycles = 0;
      for (Operation *user : alloc->getUsers())
        cycles += readPasses(layoutOf(user->getResult(0).getType()), shared, elementBytes,
                             matrixFormOf(getOperation()), banks);
      return cycles;
    };
    std::optional<LinearLayout> best;
    unsigned least = cyclesOfReaders(alloc.getType().getLayout().getMap()) + 1;
    for (unsigned vector = piece; vector <= type.getDimSize(fastest); vector *= 2)
      for (unsigned perPhase = 1; perPhase <= 8; perPhase *= 2)
        for (unsigned maxPhase = 1; vector * maxPhase <= type.getDimSize(fastest); maxPhase *= 2) {
          LinearLayout shared = swizzledShared(type.getShape().vec(), {fastest, 1 - fastest},
                                               {vector, perPhase, maxPhase});
          if (unsigned cycles = cyclesOfReaders(shared); cycles < least) {
            least = cycles;
            best = shared;
          }
        }
    return best;
  }

  /// The offsets of shared memory by who writes them: neighbours, lanes, warps, and the rest by
  /// further copies.
  LinearLayout inLaneOrder(const LinearLayout &shared, tt::LoadOp load, unsigned bytes) {
    const LinearLayout &own = layoutOf(load.getType());
    std::vector<uint64_t> offsets;
    for (const auto &in : shared.ins())
      if (in.name == "offset")
        offsets = in.images;
    auto at = offsets.begin();
    auto take = [&](unsigned count) {
      std::vector<uint64_t> images(at, at + count);
      at += count;
      return images;
    };
    std::vector<uint64_t> registers = take(llvm::Log2_32(bytes / tt::memoryBytes(load.getType())));
    std::vector<uint64_t> lanes = take(own.inBits("lane")), warps = take(own.inBits("warp"));
    registers.insert(registers.end(), at, offsets.end());
    const LinearLayout made(
        {{"register", registers}, {"lane", lanes}, {"warp", warps}, {"block", {}}}, shared.outs());
    std::vector<unsigned> order;
    for (const auto &out : own.outs())
      for (unsigned i = 0; i < shared.outs().size(); ++i)
        if (shared.outs()[i].name == out.name)
          order.push_back(i);
    return made.permuteOuts(order);
  }

  Recomputation values;
};

} // namespace
} // namespace tl::ttg
