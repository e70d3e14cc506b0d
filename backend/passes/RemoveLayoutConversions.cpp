// SPDX-License-Identifier: MIT
#include "analysis/AxesInMemory.h"
#include "analysis/LayoutInference.h"
#include "analysis/Rematerialisation.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"
#include "passes/LayoutConversions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_REMOVELAYOUTCONVERSIONS
#include "passes/GpuPasses.h.inc"

namespace {

/// Computes a converted value where it is needed, if what is left to convert is much less:
///
///     %s = arith.subf %rows, %columns : #a       both broadcast: the conversions of these are
///     %e = math.exp2 %s : #a                     computed again (Rematerialisation.h), those of
///     %f = ttg.convert_layout %e : #a -> #b      a row and a column remain
///
/// So it is for what a load brings narrow and arithmetic has wide.
class ConvertEarlier {
public:
  explicit ConvertEarlier(tt::FuncOp function) : function(function), rematerialisation(function) {}

  void run() {
    SmallVector<ConvertLayoutOp> conversions;
    DenseSet<Operation *> erased;
    function.walk([&](ConvertLayoutOp convert) { conversions.push_back(convert); });
    for (ConvertLayoutOp convert : llvm::reverse(conversions)) {
      if (erased.contains(convert))
        continue;
      Value value = convert.getSrc();
      LayoutAttr layout = layoutAttrOf(convert);
      constexpr int64_t gain = 2; // times less is worth it
      costs.clear();
      made.clear();
      // What a product takes, share-product-operands brings to it.
      const bool feedsProduct = llvm::any_of(convert->getUsers(), [](Operation *user) {
        return isa<tt::DotOp, tt::DotScaledOp>(user);
      });
      if (feedsProduct || !isOnlyFor(value, convert) || rematerialisation.contains(value) ||
          registers(layout) > registers(layoutAttrOf(value)) ||
          gain * toConvert(value, layout, 0) > bytes(value))
        continue;
      convert.replaceAllUsesWith(computedIn(value, layout));
      convert.erase();
      eraseUnused(value, [&](Value unused) { erased.insert(unused.getDefiningOp()); });
    }
  }

private:
  using InLayout = std::pair<Value, Attribute>;

  static unsigned registers(LayoutAttr layout) { return layout.getMap().inBits("register"); }
  static int64_t bytes(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getNumElements() * tt::memoryBytes(type);
  }

  /// An elementwise operation whose result nobody else uses.
  static bool isOnlyFor(Value value, Operation *user) {
    Operation *op = value.getDefiningOp();
    return op && op->getNumResults() == 1 && isElementwise(op) && isPure(op) &&
           llvm::all_of(op->getUsers(), [&](Operation *other) { return other == user; }) &&
           op->getBlock() == user->getBlock();
  }

  /// What conversions that nobody else uses have made the value of.
  static Value source(Value value) {
    for (auto convert = value.getDefiningOp<ConvertLayoutOp>(); convert && convert->hasOneUse();
         convert = value.getDefiningOp<ConvertLayoutOp>())
      value = convert.getSrc();
    return value;
  }

  /// How many bytes have to be converted if the value is computed in the layout, at most those of
  /// the value itself.
  int64_t toConvert(Value value, LayoutAttr layout, unsigned depth) {
    constexpr unsigned deepest = 64;
    value = source(value);
    if (layoutAttrOf(value) == layout)
      return 0;
    if (auto broadcast = value.getDefiningOp<tt::BroadcastOp>())
      return bytes(broadcast.getSrc());
    if (rematerialisation.contains(value))
      return 0;
    Operation *op = value.getDefiningOp();
    if (depth == deepest || !op || op->use_empty() || !isOnlyFor(value, *op->getUsers().begin()))
      return bytes(value);
    if (auto known = costs.find(InLayout(value, layout)); known != costs.end())
      return known->second;
    int64_t sum = 0;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        sum += toConvert(operand, layout, depth + 1);
    return costs[{value, layout}] = std::min(sum, bytes(value));
  }

  Value computedIn(Value value, LayoutAttr layout) {
    value = source(value);
    if (layoutAttrOf(value) == layout)
      return value;
    if (Value known = made.lookup({value, layout}))
      return known;
    auto cost = costs.find(InLayout(value, layout));
    const bool moves = cost == costs.end() || cost->second == bytes(value);
    Value result =
        moves ? convertTo(value, layout)
              : computeAgain(value.getDefiningOp(), layout, [this](Value each, LayoutAttr wanted) {
                  return computedIn(each, wanted);
                });
    return made[{value, layout}] = result;
  }

  tt::FuncOp function;
  Rematerialisation rematerialisation;
  DenseMap<InLayout, int64_t> costs; // of a conversion
  DenseMap<InLayout, Value> made;
};

/// A value without conversions, but for one to the layout if it has another one.
Value inLayoutOf(Value value, LayoutAttr layout) {
  value = beforeConversion(value);
  return layoutAttrOf(value) == layout ? value : convertTo(value, layout);
}

/// Brings few elements to all threads that need them, by one load each, instead of loading them
/// once and moving them through shared memory, which is two steps and a barrier more:
///
///     %h = tt.load %p : 64 elements, #a                    %h = tt.load %p : slice of #b
///     %e = tt.expand_dims %h                               %e = tt.expand_dims %h
///     %f = ttg.convert_layout %e : #a -> #b
///
/// They come out of the cache then. What waits in shared memory, as loads of pipelined loops do, is
/// read from there as it is needed and stays as it is.
class LoadWhereNeeded {
public:
  LoadWhereNeeded(tt::FuncOp function, GpuAttr gpu, const AxisInfoAnalysis &axes)
      : function(function), gpu(gpu), axes(axes), rematerialisation(function) {}

  void run() {
    SmallVector<ConvertLayoutOp> conversions;
    function.walk([&](ConvertLayoutOp convert) { conversions.push_back(convert); });
    for (ConvertLayoutOp convert : conversions) {
      SmallVector<std::pair<Operation *, LayoutAttr>> steps; // from the conversion up to the load
      if (!leadsToLoad(convert, steps))
        continue;
      for (auto [op, layout] : steps)
        setLayout(op->getResult(0), layout);
      for (OpOperand &operand : steps.back().first->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()))
          operand.set(inLayoutOf(operand.get(), steps.back().second));
      convert.replaceAllUsesWith(convert.getSrc());
      convert.erase();
    }
  }

private:
  /// Whether the converted value is that of a load, or computed of it alone, for nobody else and
  /// without exchanges between threads, as scans have them.
  bool leadsToLoad(ConvertLayoutOp convert,
                   SmallVectorImpl<std::pair<Operation *, LayoutAttr>> &steps) {
    Value value = convert.getSrc();
    LayoutAttr layout = layoutAttrOf(convert);
    while (true) {
      Operation *op = value.getDefiningOp();
      if (!op || op->getNumResults() != 1 || !value.hasOneUse() ||
          op->getBlock() != convert->getBlock())
        return false;
      steps.push_back({op, layout});
      if (auto load = dyn_cast<tt::LoadOp>(op))
        return isCheapIn(load, layout);
      if (!isPure(op) || op->getNumOperands() != 1 || op->getNumRegions() != 0 ||
          op->hasTrait<tt::PacksElements>())
        return false;
      std::optional<LinearLayout> before = backwardLayout(op, 0, layout.getMap());
      if (!before)
        return false;
      layout = LayoutAttr::get(op->getContext(), *before);
      value = op->getOperand(0);
    }
  }

  /// Whether a thread loads in one access what it needs in the layout.
  bool isCheapIn(tt::LoadOp load, LayoutAttr layout) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() == 0 || load.getIsVolatile() ||
        load.getCache() == tt::CacheModifier::CV || waits(load) ||
        type.getNumElements() > int64_t(gpu.getWarps()) * gpu.getLanes())
      return false;
    for (Value operand : load->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          !rematerialisation.contains(beforeConversion(operand)))
        return false;
    const unsigned axis = axesInMemory(beforeConversion(load.getPtr()), axes)[0];
    const int64_t width = axes.widthOutsideCuts(
        beforeConversion(load.getPtr()),
        load.getMask() ? beforeConversion(load.getMask()) : Value(), axis, gpu.getAccessBytes());
    const LinearLayout &map = layout.getMap();
    unsigned elements = 1, together = 1;
    for (const LinearLayout::InDim &in : map.ins())
      for (unsigned bit = 0; in.name == "register" && bit < in.images.size(); ++bit) {
        elements <<= in.images[bit] != 0;
        together <<= in.images[bit] != 0 && 2 * int64_t(together) <= width &&
                     map.image(in.name, bit, dimName(axis)) == together;
      }
    return elements == together;
  }

  /// Whether its loop brings it ahead.
  static bool waits(tt::LoadOp load) {
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    if (!loop)
      return false;
    auto stages = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
    return (stages && stages.getInt() > 1) || llvm::any_of(*loop.getBody(), [](Operation &op) {
             return isa<tt::DotOp, tt::DotScaledOp>(op);
           });
  }

  tt::FuncOp function;
  GpuAttr gpu;
  const AxisInfoAnalysis &axes;
  Rematerialisation rematerialisation;
};

struct RemoveLayoutConversions : impl::RemoveLayoutConversionsBase<RemoveLayoutConversions> {
  void runOnOperation() override {
    gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    getOperation().walk([&](tt::FuncOp function) {
      if (function.isExternal())
        return;
      LoadWhereNeeded(function, gpu, getAnalysis<AxisInfoAnalysis>()).run();
      ConvertEarlier(function).run();
      SmallVector<tt::StoreOp> stores; // whose value is converted
      function.walk([&](tt::StoreOp store) {
        if (store.getValue().getDefiningOp<ConvertLayoutOp>())
          stores.push_back(store);
      });
      if (stores.empty())
        return;
      Rematerialisation rematerialisation(function);
      for (tt::StoreOp store : stores) {
        Value value = beforeConversion(store.getValue());
        if (!rematerialisation.contains(value) && costsLess(store, layoutAttrOf(value)))
          moveTo(store, layoutAttrOf(value));
      }
    });
  }

  static void moveTo(tt::StoreOp store, LayoutAttr layout) {
    for (OpOperand &operand : store->getOpOperands())
      operand.set(inLayoutOf(operand.get(), layout));
  }

  /// Whether a store where its value is costs less than to convert the value and to store it as it
  /// does now.
  bool costsLess(tt::StoreOp store, LayoutAttr layout) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    if (type.getNumElements() <= int64_t(gpu.getWarps()) * gpu.getLanes())
      return true; // at most one element a thread: moving them costs more than it saves
    return 2 * sectors(store, layout.getMap()) <=
           3 * sectors(store, layoutAttrOf(store.getValue()).getMap());
  }

  /// How many sectors of memory the accesses of a warp touch, each access counted on its own.
  uint64_t sectors(tt::StoreOp store, const LinearLayout &layout) {
    const AxisInfoAnalysis &axes = getAnalysis<AxisInfoAnalysis>();
    Value pointer = beforeConversion(store.getPtr());
    Value mask = store.getMask() ? beforeConversion(store.getMask()) : Value();
    unsigned fastest = axesInMemory(pointer, axes)[0];
    unsigned bytes = tt::memoryBytes(store.getValue().getType());
    // Registers that move together: they count along the fastest axis, from its lowest bit.
    unsigned registers = layout.inBits("register");
    std::string name = dimName(fastest);
    auto counts = [&](uint64_t step) {
      for (unsigned bit = 0; bit < registers; ++bit)
        if (layout.outBits(name) && layout.image("register", bit, name) == step)
          return true;
      return false;
    };
    int64_t width = axes.widthOutsideCuts(pointer, mask, fastest, gpu.getAccessBytes());
    unsigned together = 1;
    while (together * 2 <= width && counts(together))
      together *= 2;
    unsigned accesses = std::max(1u, (1u << registers) / together);
    // Rows of other axes are taken to be far apart.
    llvm::DenseSet<uint64_t> touched;
    for (unsigned lane = 0; lane < 1u << layout.inBits("lane"); ++lane) {
      uint64_t row = 0, column = 0;
      for (const auto &[dim, value] : layout.apply({{"lane", lane}})) {
        if (dim == name)
          column = value;
        else
          row = row << 21 | value;
      }
      uint64_t last = ((column + together) * bytes - 1) / gpu.getSectorBytes();
      for (uint64_t sector = column * bytes / gpu.getSectorBytes(); sector <= last; ++sector)
        touched.insert(row << 24 | sector);
    }
    return uint64_t(touched.size()) * accesses;
  }

  GpuAttr gpu;
};

} // namespace
} // namespace tl::ttg
