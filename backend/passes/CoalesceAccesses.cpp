// SPDX-License-Identifier: MIT
#include "analysis/AxesInMemory.h"
#include "analysis/Exchanges.h"
#include "analysis/Rematerialisation.h"
#include "dialect/SharedMemoryUse.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"
#include "passes/LoadedOperands.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_COALESCEACCESSES
#include "passes/GpuPasses.h.inc"

namespace {

/// Of a tensor that moves through shared memory to the threads that store it.
constexpr uint64_t mostMovedBytes = 64 * 1024;

struct Access {
  Operation *op;
  RankedTensorType type;       // of the pointers
  std::vector<unsigned> order; // axes, the most contiguous first
  unsigned perThread;          // neighbours that one thread accesses at a time
};

struct CoalesceAccesses : impl::CoalesceAccessesBase<CoalesceAccesses> {
  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    const AxisInfoAnalysis &axes = getAnalysis<AxisInfoAnalysis>();
    getOperation().walk([&](tt::FuncOp function) {
      anchorAccesses(function, gpu, axes);
      anchorExchanges(function, gpu);
    });
    markAnalysesPreserved<AxisInfoAnalysis>();
  }

  void anchorAccesses(tt::FuncOp function, GpuAttr gpu, const AxisInfoAnalysis &axes) {
    SmallVector<Access> accesses;
    DenseSet<Operation *> acrossK = operandsAcrossK(function, axes);
    const Rematerialisation rematerialisation(function);
    function.walk([&](tt::AccessOpInterface op) {
      Value pointer = op.getPtr();
      auto type = dyn_cast<RankedTensorType>(pointer.getType());
      if (!type)
        return;
      if (type.getRank() == 0)
        return anchor(op, plainLayout({}, gpu.getLanes(), gpu.getWarps()));
      if (isScattered(op, axes) && (!rematerialisation.contains(pointer) || isRepeated(op, axes)))
        op->setDiscardableAttr(scatteredName, UnitAttr::get(op->getContext()));
      std::vector<unsigned> order = axesInMemory(pointer, axes);
      const int64_t width = widthOf(op, order[0], gpu, axes);
      // No thread goes idle for the sake of wide accesses; but copies have a least width.
      int64_t threads = int64_t(gpu.getWarps()) * gpu.getLanes();
      int64_t share = std::max<int64_t>(1, type.getNumElements() / threads);
      if (isCopiedBesideProducts(op))
        share =
            std::max<int64_t>(share, leastCopyBytes / tt::memoryBytes(op->getResult(0).getType()));
      accesses.push_back({op, type, order, unsigned(std::min(width, share))});
    });
    // A load takes as many neighbours as other accesses that it meets, which saves conversions;
    // what it takes in several pieces lies in the cache. A store would leave gaps between the
    // lanes; what it writes moves to other threads first, as far as shared memory has room for it.
    for (Access &access : accesses) {
      unsigned widest = access.perThread;
      const bool stores = isa<tt::StoreOp>(access.op) && bytesOf(access.type) <= mostMovedBytes;
      for (const Access &other : accesses)
        if (!stores && other.type.getShape() == access.type.getShape() &&
            other.order == access.order)
          widest = std::max(widest, other.perThread);
      if (acrossK.contains(access.op))
        anchor(access.op, layoutOfPieces(access, gpu));
      else
        anchor(access.op, distributedLayout(access.type.getShape().vec(), access.order, {widest},
                                            gpu.getLanes(), gpu.getWarps()));
    }
  }

  /// Whether it loads elements from anywhere: as well in the layout of their numbers as in any.
  static bool isScattered(Operation *op, const AxisInfoAnalysis &axes) {
    auto load = dyn_cast<tt::LoadOp>(op);
    return load && llvm::all_of(axes.of(load.getPtr()).contiguity,
                                [](int64_t neighbours) { return neighbours == 1; });
  }

  /// Whether neighbours along an axis are one and the same element.
  static bool isRepeated(Operation *op, const AxisInfoAnalysis &axes) {
    return llvm::any_of(axes.of(cast<tt::LoadOp>(op).getPtr()).constancy,
                        [](int64_t equal) { return equal > 1; });
  }

  /// Neighbours that a thread accesses at once, at least where the mask does not end among them.
  /// An asynchronous copy has one predicate.
  static int64_t widthOf(tt::AccessOpInterface op, unsigned axis, GpuAttr gpu,
                         const AxisInfoAnalysis &axes) {
    const unsigned most = gpu.getAccessBytes();
    auto load = dyn_cast<tt::LoadOp>(op.getOperation());
    auto loop = load ? dyn_cast<scf::ForOp>(load->getParentOp()) : scf::ForOp();
    if (loop && (!loop.getBody()->getOps<tt::DotOp>().empty() || loop->hasAttr("tt.num_stages"))) {
      const int64_t copied = axes.vectorWidth(load.getPtr(), load.getMask(), axis, most);
      if (copied * tt::memoryBytes(load.getType()) >= leastCopyBytes)
        return copied;
    }
    return isa<tt::LoadOp, tt::StoreOp>(op.getOperation())
               ? axes.widthOutsideCuts(op.getPtr(), op.getMask(), axis, most)
               : axes.vectorWidth(op.getPtr(), op.getMask(), axis, most);
  }

  /// Whether it loads small elements beside the operands of products, which asynchronous copies can
  /// bring if a thread has several.
  static bool isCopiedBesideProducts(Operation *op) {
    auto load = dyn_cast<tt::LoadOp>(op);
    return load && isa<scf::ForOp>(load->getParentOp()) &&
           tt::memoryBytes(load.getType()) < leastCopyBytes &&
           !load->getBlock()->getOps<tt::DotOp>().empty() &&
           !loadsWaitInRegisters(load->getParentOfType<ModuleOp>());
  }

  /// Loads of operands of products whose neighbours in memory are not those along k, where threads
  /// store them to shared memory and no reads of it transpose them.
  static DenseSet<Operation *> operandsAcrossK(tt::FuncOp function, const AxisInfoAnalysis &axes) {
    DenseSet<Operation *> found;
    auto module = function->getParentOfType<ModuleOp>();
    if (loadsWaitInRegisters(module))
      function.walk([&](tt::DotOp dot) {
        const unsigned rank = unsigned(dot.getType().getRank());
        for (auto [operand, axisOfK] :
             {std::pair(dot.getA(), rank - 1), std::pair(dot.getB(), rank - 2)})
          if (auto loaded = loadedOperand(operand, axes);
              loaded && loaded->along != axisOfK && isa<tt::LoadOp>(loaded->load) && rank == 2 &&
              !areReadAsColumns(module, operand.getType(), loaded->bits))
            found.insert(loaded->load);
      });
    return found;
  }

  /// Columns are as many elements of k as have 8 bytes, and those of 16 lanes go together.
  static bool areReadAsColumns(ModuleOp module, RankedTensorType operand, unsigned bits) {
    constexpr int64_t lanes = 16;
    return matrixFormOf(module) == MatrixForm::Columns && (bits == 8 || bits == 16) &&
           llvm::all_of(operand.getShape(), [](int64_t extent) { return extent >= lanes; });
  }

  /// A thread has a piece of a few neighbours along both axes, so that it stores neighbours along
  /// the one that it has not loaded together.
  static LinearLayout layoutOfPieces(const Access &access, GpuAttr gpu) {
    const uint64_t bytes =
        std::max<uint64_t>(1, bytesOf(access.type) / uint64_t(access.type.getNumElements()));
    const uint64_t share = std::max<uint64_t>(1, uint64_t(access.type.getNumElements()) /
                                                     (uint64_t(gpu.getWarps()) * gpu.getLanes()));
    uint64_t along = access.perThread, across = share / along;
    constexpr uint64_t wordBytes = 4;
    for (; across * bytes < 2 * wordBytes && along * bytes > wordBytes; across *= 2)
      along /= 2;
    across = std::min({across, 16 / bytes, uint64_t(access.type.getDimSize(access.order[1]))});
    return distributedLayout(access.type.getShape().vec(), access.order,
                             {unsigned(along), unsigned(across)}, gpu.getLanes(), gpu.getWarps());
  }

  /// Where tensors are exchanged many times, as sorts do, the lowest bits of the positions, which
  /// are exchanged the most, are registers', then lanes' and warps'. The first one of a chain is
  /// anchored, the others follow.
  static void anchorExchanges(tt::FuncOp function, GpuAttr gpu) {
    constexpr size_t many = 8; // so that it pays to bring the tensor into the layout and back
    SmallVector<tt::GatherOp> exchanges;
    function.walk([&](tt::GatherOp gather) {
      if (exchangedBits(gather))
        exchanges.push_back(gather);
    });
    if (exchanges.size() < many)
      return;
    for (tt::GatherOp exchange : exchanges) {
      auto type = cast<RankedTensorType>(exchange.getType());
      if (followsFromExchange(exchange.getSrc()))
        continue;
      std::vector<unsigned> order = {exchange.getAxis()};
      for (unsigned axis : lastAxisFirst(unsigned(type.getRank())))
        if (axis != exchange.getAxis())
          order.push_back(axis);
      int64_t threads = int64_t(gpu.getWarps()) * gpu.getLanes();
      int64_t share = std::max<int64_t>(1, type.getNumElements() / threads);
      anchor(exchange, distributedLayout(type.getShape().vec(), order, {unsigned(share)},
                                         gpu.getLanes(), gpu.getWarps()));
    }
  }

  /// Whether an exchange is among what a value is computed from in its block.
  static bool followsFromExchange(Value value) {
    DenseSet<Operation *> seen;
    SmallVector<Value> open = {value};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != value.getParentBlock() || !seen.insert(op).second)
        continue;
      if (auto gather = dyn_cast<tt::GatherOp>(op); gather && exchangedBits(gather))
        return true;
      llvm::append_range(open, op->getOperands());
    }
    return false;
  }

  static uint64_t bytesOf(RankedTensorType pointers) {
    Type element = cast<tt::PointerType>(pointers.getElementType()).getPointeeType();
    return uint64_t(pointers.getNumElements()) * tt::memoryBytes(element);
  }

  static void anchor(Operation *op, const LinearLayout &layout) {
    op->setDiscardableAttr(anchorName, LayoutAttr::get(op->getContext(), layout));
  }
};

} // namespace
} // namespace tl::ttg
