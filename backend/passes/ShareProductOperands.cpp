// SPDX-License-Identifier: MIT
//
// Which operands lie in shared memory, and how. For products of groups of warps the instruction
// says so. A first operand may be taken from registers, and products of single warps take both from
// there; but where a loop loads such operands, shared memory is the way that data take from the
// threads which load them to those which multiply, and there pipeline-loops can have them copied
// ahead of time. Outside of loops it is where they wait for their product, and take no registers.
// So a conversion of what a load brings becomes a store and a load that stand in the text, and what
// is computed of it on the way, such as weights that are widened, is computed after the load. What
// else products follow from in a loop goes there as well, and what a loop without products loads
// that says how many stages it has: each thread finds what it loaded itself.
#include "analysis/LayoutInference.h"
#include "analysis/Rematerialisation.h"
#include "dialect/Dialect.h"
#include "dialect/ProductParts.h"
#include "dialect/SharedMemoryUse.h"
#include "layout/Exchange.h"
#include "layout/NamedLayouts.h"
#include "layout/NeighbouringRows.h"
#include "layout/Queries.h"
#include "passes/BufferRings.h"
#include "passes/GpuPasses.h"
#include "passes/LayoutConversions.h"
#include "passes/LoopProducts.h"
#include "passes/ProductWaits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
    unsigned bytes = tt::memoryBytes(type);
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

/// How many products one sum of the matrix unit has, a multiple of the instruction's: all of k, but
/// for fp8 whose sums are to be added as f32 before.
int64_t productsOfSum(tt::DotOp dot, MatrixInstructionAttr instruction) {
  const int64_t all = dot.getA().getType().getDimSize(1), unit = instruction.getK();
  const int64_t most = int64_t(dot.getMaxNumImpreciseAcc());
  if (!isa<FloatType>(instruction.getElement()) || instruction.getOperandBits() != 8 || most >= all)
    return all;
  return most / unit * unit;
}

/// Whether the first operand is laid out as the instruction takes it in registers, for the rows
/// that the result has.
bool isInRegisters(tt::DotOp dot, MatrixInstructionAttr instruction,
                   const std::vector<unsigned> &warps) {
  LinearLayout result =
      wgmmaAccumulator(dot.getType().getShape().vec(), unsigned(instruction.getN()), warps);
  LinearLayout operand =
      wgmmaOperand(dot.getA().getType().getShape().vec(), instruction.getOperandBits(), warps);
  return layoutOf(dot.getA().getType()) ==
         (layoutOf(dot.getType()) == result ? operand : withNeighbouringRows(operand));
}

void replaceDot(tt::DotOp dot, MatrixInstructionAttr instruction, unsigned warps,
                OperandsInMemory &memory) {
  OpBuilder b(dot);
  std::vector<unsigned> split = wgmmaWarps(dot.getType().getShape().vec(), warps);
  Value a = dot.getA(), c = dot.getC();
  SmallVector<Operation *> before = {a.getDefiningOp(), dot.getB().getDefiningOp()};
  if (!isInRegisters(dot, instruction, split))
    a = memory.share(a, 1, instruction.getM());
  Value sharedB = memory.share(dot.getB(), 0, instruction.getN());
  Location where = dot.getLoc();
  const int64_t all = dot.getA().getType().getDimSize(1), step = productsOfSum(dot, instruction);
  auto multiply = [&](Value sum, int64_t first, int64_t end) {
    auto product = WarpGroupDotOp::create(
        b, where, dot.getType(), a, sharedB, sum,
        b.getDenseI32ArrayAttr({int32_t(instruction.getM()), int32_t(instruction.getN()),
                                int32_t(instruction.getK())}),
        b.getDenseI32ArrayAttr({int32_t(split[0]), int32_t(split[1])}));
    if (end - first < all)
      setPart(product, first, end);
    return WarpGroupDotWaitOp::create(b, where, TypeRange{dot.getType()},
                                      ValueRange{product.getD()}, 0u)
        .getOutputs()[0];
  };
  Value result;
  if (step == all) {
    result = multiply(c, 0, all);
  } else {
    Value zeros =
        arith::ConstantOp::create(b, where, cast<TypedAttr>(b.getZeroAttr(dot.getType())));
    result = c;
    for (int64_t first = 0; first < all; first += step) {
      Value part = multiply(zeros, first, std::min(first + step, all));
      result = arith::AddFOp::create(b, where, result, part);
    }
  }
  dot.replaceAllUsesWith(result);
  dot.erase();
  for (Operation *op : llvm::SetVector<Operation *>(before.begin(), before.end()))
    if (isa_and_nonnull<tt::TransOp>(op) && op->use_empty())
      op->erase();
}

/// Rows along `fastest` with the widest swizzle that they have room for.
LinearLayout widestRows(RankedTensorType type, unsigned fastest) {
  unsigned bytes = tt::memoryBytes(type);
  unsigned swizzle = unsigned(std::min<int64_t>(type.getDimSize(fastest) * bytes, widestSwizzle));
  return hardwareSwizzledShared(type.getShape().vec(), {fastest, 1 - fastest}, bytes * 8,
                                swizzle < narrowestSwizzle ? 0 : swizzle);
}

/// The axes of a tensor, that along which neighbours run first.
std::vector<unsigned> fastestFirst(RankedTensorType type) {
  std::vector<unsigned> order = {fastestAxis(type)};
  for (unsigned axis : lastAxisFirst(unsigned(type.getRank())))
    if (axis != order[0])
      order.push_back(axis);
  return order;
}

/// Shared memory for a tensor that is stored in its own layout and read in the other: rows of
/// pieces of 16 bytes, which copies write and which lie so that neither side meets in a bank.
LinearLayout sharedForReading(RankedTensorType type, const LinearLayout &reading) {
  unsigned bytes = tt::memoryBytes(type);
  std::vector<unsigned> order = fastestFirst(type);
  unsigned fastest = order[0];
  Shape shape = type.getShape().vec();
  int64_t rowBytes = shape[fastest] * bytes;
  constexpr unsigned piece = 16;
  if (rowBytes < piece || type.getRank() != 2)
    return rowMajorShared(shape, order);
  LinearLayout best = widestRows(type, fastest);
  if (auto tiles = matrixAccess(reading, best, bytes); tiles && tiles->passes == 1)
    return best;
  auto passes = [&](const LinearLayout &shared) {
    return bankPasses(layoutOf(type), shared, bytes) + bankPasses(reading, shared, bytes);
  };
  unsigned least = passes(best);
  for (unsigned vector = piece / bytes; vector * bytes <= 64; vector *= 2)
    for (unsigned perPhase = 1; perPhase <= 8; perPhase *= 2)
      for (unsigned maxPhase = 2; maxPhase <= 8; maxPhase *= 2) {
        if (int64_t(vector) * maxPhase > shape[fastest])
          continue;
        LinearLayout shared = swizzledShared(shape, order, {vector, perPhase, maxPhase});
        if (unsigned cost = passes(shared); cost < least) {
          least = cost;
          best = shared;
        }
      }
  return best;
}

/// What a block loads for its products goes by way of shared memory.
class LoadsInMemory {
public:
  LoadsInMemory(ModuleOp module, GpuAttr gpu)
      : waitInRegisters(loadsWaitInRegisters(module)), form(matrixFormOf(module)),
        banks(banksOf(module)), room(roomOutsideOfLoops(module, gpu)) {}

  /// For an operand of a product that takes it from registers. What is computed of a load's value
  /// is computed in the product's layout, if shared memory can be read well in it.
  void shareOperand(OpOperand &operand) {
    Value value = beforeConversion(operand.get());
    LayoutAttr layout = layoutAttrOf(operand.get());
    block = operand.getOwner()->getBlock();
    loop = operand.getOwner()->getParentOfType<scf::ForOp>();
    ways.clear();
    if (layoutAttrOf(value) == layout || wayTo(value, layout) != Way::Loads ||
        !hasRoom(value, operand.getOwner()))
      return;
    Value before = operand.get();
    OpBuilder b(operand.getOwner());
    operand.set(computeIn(b, value, layout));
    forgetUnused(before);
  }

  /// For what a loop loads and converts as it is, such as the sums of rows of scores: it is read
  /// the way it is needed, which takes no barrier but that of the copies.
  void shareConversion(ConvertLayoutOp convert) {
    block = convert->getBlock();
    loop = dyn_cast<scf::ForOp>(block->getParentOp());
    Value value = convert.getSrc();
    while (Operation *op = value.getDefiningOp()) {
      bool follows = isElementwise(op) || op->hasTrait<tt::MovesElements>();
      if (!follows || op->getNumOperands() != 1)
        break;
      value = op->getOperand(0);
    }
    ways.clear();
    LayoutAttr layout = layoutAttrOf(convert.getResult());
    if (!loop || !isLoadOfBlock(value) || wayTo(convert.getSrc(), layout) != Way::Loads)
      return;
    OpBuilder b(convert);
    convert.getResult().replaceAllUsesWith(computeIn(b, convert.getSrc(), layout));
    forgetUnused(convert.getResult());
  }

  /// For a loop without products that says how many stages it has.
  void shareLoadsOf(scf::ForOp loop) {
    for (tt::LoadOp load : llvm::to_vector(loop.getBody()->getOps<tt::LoadOp>()))
      if (isLoad(load))
        keepInMemory(load);
  }

  /// For what a product follows from in its loop: loads whose values are computed with first.
  void shareSourcesOf(Operation *op) {
    for (Value value : op->getOperands()) {
      Operation *maker = value.getDefiningOp();
      if (!maker || maker->getBlock() != op->getBlock() || !seen.insert(maker).second)
        continue;
      if (isLoad(value) && isa<scf::ForOp>(maker->getParentOp()))
        keepInMemory(value);
      else if (maker->getNumRegions() == 0)
        shareSourcesOf(maker);
    }
  }

private:
  static bool isLoad(Value value) {
    return value.getDefiningOp<tt::LoadOp>() && isa<RankedTensorType>(value.getType());
  }
  /// Of the product's own loop, or block: what a loop around it loads is there once for all
  /// products.
  bool isLoadOfBlock(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && (isLoad(value) || isa<tt::DescriptorLoadOp>(op)) &&
           (op->getBlock() == block || isOfLoop(op));
  }
  bool isOfLoop(Operation *op) const { return loop && op->getParentOp() == loop; }

  /// Outside of loops what is loaded may wait in shared memory for its product, instead of in
  /// registers: in as much of it as a program has that takes all registers, beside what else needs
  /// memory.
  static int64_t roomOutsideOfLoops(ModuleOp module, GpuAttr gpu) {
    constexpr unsigned fullWarps = 8; // with all registers
    uint64_t kept = 0, moved = 0;
    module.walk([&](Operation *op) {
      kept += bytesKeptBy(op);
      if (auto alloc = dyn_cast<LocalAllocOp>(op))
        kept += bytesOf(alloc.getType());
      moved = std::max(moved, bytesMovedThrough(op));
    });
    const int64_t all = gpu.getSharedBytes();
    return std::min(all / fullWarps * std::min(gpu.getWarps(), fullWarps / 2),
                    all - int64_t(kept + moved));
  }

  /// Room for the loads that the value follows from, which it takes, unless a loop in between needs
  /// it for its own.
  bool hasRoom(Value value, Operation *product) {
    if (loop && block == loop.getBody())
      return true;
    constexpr size_t most = 256; // values that are looked at
    llvm::SetVector<Value> open;
    open.insert(value);
    int64_t bytes = 0;
    for (size_t i = 0; i < open.size(); ++i) {
      Value one = beforeConversion(open[i]);
      Operation *op = one.getDefiningOp();
      if (open.size() > most)
        return false;
      if (!op || op->getBlock() != block)
        continue;
      if (!isLoadOfBlock(one)) {
        open.insert(op->operand_begin(), op->operand_end());
        continue;
      }
      if (isOfLoop(op) || memories.contains(one))
        continue;
      auto type = cast<RankedTensorType>(one.getType());
      bytes += type.getNumElements() * tt::memoryBytes(type);
      for (Operation *at = op; at != product; at = at->getNextNode())
        if (isa<scf::ForOp, scf::WhileOp>(at))
          return false;
    }
    if (bytes > std::max<int64_t>(room, 0))
      return false;
    room -= bytes;
    return true;
  }

  /// How a value comes about in another layout.
  enum class Way {
    Moves, ///< only by a conversion
    Costs, ///< nothing: of numbers that every thread has, or of a narrow one that moves
    Loads, ///< of loads that go by way of shared memory, too
  };

  Way wayTo(Value value, LayoutAttr layout) {
    value = beforeConversion(value);
    auto [known, isNew] = ways.try_emplace({value, layout}, Way::Moves);
    if (!isNew)
      return known->second;
    Way way = findWay(value, layout);
    return ways[{value, layout}] = way;
  }

  Way findWay(Value value, LayoutAttr layout) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return Way::Moves;
    if (isLoadOfBlock(value))
      return isa<tt::DescriptorLoadOp>(op) || isReadWell(value, layout) ? Way::Loads : Way::Moves;
    bool follows = isElementwise(op) || op->hasTrait<tt::MovesElements>();
    if (op->getNumResults() != 1 || !isPure(op) || !(follows || Rematerialisation::isCheap(op)))
      return Way::Moves;
    Way way = Way::Costs;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      auto wanted = backwardLayout(op, unsigned(index), layout.getMap());
      Way from = wanted ? wayTo(operand, LayoutAttr::get(value.getContext(), *wanted)) : Way::Moves;
      // What is one number along an axis at least moves before it is repeated.
      if (from == Way::Moves && !isa<tt::BroadcastOp>(op))
        return Way::Moves;
      way = std::max(way, from);
    }
    return way;
  }

  /// By words at least: single bytes and halves are better stored as the product wants them.
  bool isReadWell(Value load, LayoutAttr layout) {
    auto type = cast<RankedTensorType>(load.getType());
    constexpr unsigned wordBytes = 4;
    unsigned bytes = tt::memoryBytes(type);
    LinearLayout shared = memoryFor(type, layout.getMap());
    return (form && matrixAccess(layout.getMap(), shared, bytes, *form)) ||
           sharedAccess(layout.getMap(), shared, bytes).elements * bytes >= wordBytes;
  }

  /// Once for all products of a block that come after it.
  Value computeIn(OpBuilder &b, Value value, LayoutAttr layout) {
    Value source = beforeConversion(value);
    if (layoutAttrOf(source) == layout)
      return source;
    for (Value known : computed.lookup(source)) {
      Operation *op = known.getDefiningOp();
      if (layoutAttrOf(known) == layout && op->getBlock() == b.getBlock() &&
          op->isBeforeInBlock(&*b.getInsertionPoint()))
        return known;
    }
    Value result;
    if (wayTo(source, layout) == Way::Moves) {
      result = ConvertLayoutOp::create(
          b, source.getLoc(), cast<RankedTensorType>(source.getType()).cloneWithEncoding(layout),
          source);
    } else if (isLoadOfBlock(source)) {
      result = read(b, source, layout);
    } else {
      Operation *op = source.getDefiningOp();
      SmallVector<Value> operands = operandsFor(op, layout, [&](Value operand, LayoutAttr wanted) {
        return computeIn(b, operand, wanted);
      });
      result = computeAgain(b, op, layout, operands);
    }
    computed[source].push_back(result);
    return result;
  }

  Value read(OpBuilder &b, Value load, LayoutAttr layout) {
    auto type = cast<RankedTensorType>(load.getType());
    Value &memory = memories[load];
    if (!memory)
      memory = alloc(load, isa<tt::DescriptorLoadOp>(load.getDefiningOp())
                               ? widestRows(type, 1)
                               : memoryFor(type, layout.getMap()));
    return LocalLoadOp::create(b, load.getLoc(), type.cloneWithEncoding(layout), memory);
  }

  /// Copies write pieces as they come; what waits in registers may lie as reading it is best.
  LinearLayout memoryFor(RankedTensorType type, const LinearLayout &reading) {
    if (!waitInRegisters)
      return sharedForReading(type, reading);
    const unsigned bytes = tt::memoryBytes(type);
    const LinearLayout &writing = layoutOf(type);
    LinearLayout best = exchangeLayout(writing, reading, bytes, banks);
    if (form != MatrixForm::Columns)
      return best;
    auto passes = [&](const LinearLayout &shared) {
      return bankPasses(writing, shared, bytes, banks) +
             readPasses(reading, shared, bytes, form, banks);
    };
    if (std::optional<LinearLayout> columns = columnReading(reading, bytes)) {
      LinearLayout other = exchangeLayout(writing, *columns, bytes, banks, columnBytes);
      if (passes(other) < passes(best))
        best = std::move(other);
    }
    return best;
  }

  static Value alloc(Value source, const LinearLayout &layout) {
    auto type = cast<RankedTensorType>(source.getType());
    OpBuilder b(source.getContext());
    b.setInsertionPointAfterValue(source);
    return LocalAllocOp::create(b, source.getLoc(),
                                MemDescType::get(b.getContext(), type.getShape(),
                                                 type.getElementType(),
                                                 SharedLayoutAttr::get(b.getContext(), layout)),
                                source, /*ordered=*/false);
  }

  /// Threads find again what they have loaded, so rows lie as they are.
  void keepInMemory(Value load) {
    if (memories.contains(load) || load.use_empty())
      return;
    for (Operation *user : load.getUsers())
      if (isa<LocalAllocOp>(user))
        return;
    auto type = cast<RankedTensorType>(load.getType());
    if (type.getRank() == 0)
      return;
    Value memory = alloc(load, rowMajorShared(type.getShape().vec(), fastestFirst(type)));
    memories[load] = memory;
    OpBuilder b(load.getContext());
    b.setInsertionPointAfterValue(memory);
    Value read = LocalLoadOp::create(b, load.getLoc(), type, memory);
    load.replaceAllUsesExcept(read, memory.getDefiningOp());
  }

  void forgetUnused(Value value) {
    eraseUnused(value, [this](Value erased) { computed.erase(erased); });
  }

  const bool waitInRegisters;
  const std::optional<MatrixForm> form;
  const unsigned banks;
  int64_t room;    // bytes that are left outside of loops
  Block *block;    // of the product
  scf::ForOp loop; // around it, if any
  DenseMap<std::pair<Value, Attribute>, Way> ways;
  DenseMap<Value, SmallVector<Value, 1>> computed; // in the layouts that products want
  DenseMap<Value, Value> memories;                 // of loads
  DenseSet<Operation *> seen;
};

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
    LoadsInMemory loads(getOperation(), gpu);
    SmallVector<OpOperand *> operands;
    getOperation().walk([&](Operation *op) {
      if (!instructionOf(op))
        return;
      if (auto dot = dyn_cast<tt::DotOp>(op))
        operands.append({&dot.getAMutable(), &dot.getBMutable()});
      else if (auto scaled = dyn_cast<tt::DotScaledOp>(op))
        operands.append({&scaled.getAMutable(), &scaled.getBMutable()});
    });
    for (OpOperand *operand : operands)
      loads.shareOperand(*operand);
    getOperation().walk([&](WarpGroupDotOp dot) {
      if (dot.readsAFromRegisters())
        loads.shareOperand(dot->getOpOperand(0));
    });
    llvm::SetVector<Operation *> products;
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      if (!isProductOfThreads(op) && !isa<WarpGroupDotOp>(op))
        return;
      products.insert(op);
      blocks.insert(op->getBlock());
    });
    for (Block *block : blocks)
      for (ConvertLayoutOp convert : llvm::to_vector(block->getOps<ConvertLayoutOp>()))
        loads.shareConversion(convert);
    for (Operation *product : products)
      loads.shareSourcesOf(product);
    getOperation().walk([&](scf::ForOp loop) {
      auto stages = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
      if (stages && stages.getInt() > 1 && !blocks.contains(loop.getBody()))
        loads.shareLoadsOf(loop);
    });
    for (Block *block : blocks)
      delayProductWaits(*block);
  }
};

} // namespace
} // namespace tl::ttg
