// SPDX-License-Identifier: MIT
//
// Which descriptors stay for TMA, and what making one becomes where it does not. What accesses
// become is in DescriptorAccess.cpp.
#include "analysis/AxisInfo.h"
#include "analysis/LaunchNumbers.h"
#include "dialect/GpuTarget.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/DescribedOperands.h"
#include "passes/DescriptorParts.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_REWRITEDESCRIPTORS
#include "passes/Passes.h.inc"

SmallVector<Type> descriptorPartTypes(Type type) {
  auto descriptor = dyn_cast<TensorDescType>(type);
  if (!descriptor)
    return {};
  MLIRContext *context = type.getContext();
  SmallVector<Type> types{PointerType::get(descriptor.getSignlessBlockType().getElementType())};
  types.append(2 * descriptor.getShape().size(), IntegerType::get(context, 64));
  types.push_back(IntegerType::get(context, 1));
  return types;
}

DescriptorParts descriptorPartsOf(OpBuilder &builder, Value descriptor) {
  const SmallVector<Value> flat = partsOf(builder, descriptor, descriptorPartTypes);
  const size_t rank = cast<TensorDescType>(descriptor.getType()).getShape().size();
  DescriptorParts parts;
  parts.tensor.base = flat.front();
  parts.tensor.shape.append(flat.begin() + 1, flat.begin() + 1 + rank);
  parts.tensor.strides.append(flat.begin() + 1 + rank, flat.begin() + 1 + 2 * rank);
  parts.padNan = flat.back();
  return parts;
}

namespace {

/// A new descriptor is its operands, in 64 bits.
void packOperands(MakeTensorDescOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> parts{op.getBase()};
  for (Value extent : op.getShape())
    parts.push_back(arith::ExtSIOp::create(builder, loc, builder.getI64Type(), extent));
  parts.append(op.getStrides().begin(), op.getStrides().end());
  parts.push_back(arith::ConstantOp::create(
      builder, loc, builder.getBoolAttr(op.getPadding() == PaddingOption::PAD_NAN)));
  op.replaceAllUsesWith(packParts(builder, loc, op.getType(), parts));
  op->erase();
}

/// reshape(descriptor_load) that only drops leading extents of 1 => a load of the smaller block.
void dropUnitAxes(ModuleOp module) {
  module.walk([](ReshapeOp reshape) {
    auto load = reshape.getSrc().getDefiningOp<DescriptorLoadOp>();
    if (!load || !load->hasOneUse() || reshape.getAllowReorder())
      return;
    ArrayRef<int64_t> from = load.getType().getShape(), to = reshape.getType().getShape();
    if (to.size() >= from.size() || from.take_back(to.size()) != to ||
        llvm::any_of(from.drop_back(to.size()), [](int64_t extent) { return extent != 1; }))
      return;
    // In the load's place: memory may be written between the two.
    OpBuilder b(load);
    reshape.replaceAllUsesWith(DescriptorLoadOp::create(b, load.getLoc(), reshape.getType(),
                                                        load.getDesc(), load.getIndices(),
                                                        load.getCache(), load.getEvict())
                                   .getResult());
    reshape.erase();
    load.erase();
  });
}

/// Most bytes of a block that lies in shared memory as a whole, and of one that passes in parts.
constexpr int64_t maxCopiedBytes = 64 * 1024, maxDividedBytes = 128 * 1024;

/// Whether TMA combines elements with memory as atomic operations do.
bool canBeReduced(DescriptorReduceKind kind, Type element) {
  if (element.isF32())
    return kind == DescriptorReduceKind::ADD;
  return element.isInteger(32) && kind != DescriptorReduceKind::INC &&
         kind != DescriptorReduceKind::DEC;
}

/// Whether TMA can move the blocks of a descriptor, wherever they are used.
bool canBeCopied(MakeTensorDescOp op, const backend::AxisInfoAnalysis &axes, unsigned warps) {
  TensorDescType type = op.getType();
  ArrayRef<int64_t> box = type.getShape();
  Type element = type.getSignlessBlockType().getElementType();
  int64_t bytes = memoryBytes(element);
  if (box.empty() || getElementBits(element) < 8 || isa<PointerType>(element) ||
      box.back() * bytes % 16)
    return false;
  if (op.getPadding() == PaddingOption::PAD_NAN && bytes == 1)
    return false; // TMA knows such elements as integers
  const int64_t most = passInParts(op, warps) ? maxDividedBytes : maxCopiedBytes;
  int64_t total = bytes;
  for (int64_t extent : box) {
    total *= extent;
    if (extent > 256 || total > most)
      return false;
  }
  auto divides = [&](Value value, int64_t unit) {
    return axes.of(value).divisibility[0] * unit % 16 == 0;
  };
  if (!divides(op.getBase(), 1))
    return false;
  for (Value stride : op.getStrides().drop_back())
    if (!divides(stride, bytes))
      return false;
  auto last = axes.of(op.getStrides().back()).constant;
  if (last != 1)
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (auto load = dyn_cast<DescriptorLoadOp>(user))
      return divides(load.getIndices().back(), bytes);
    // What is written ends at a multiple of 16 bytes, be the extent less.
    if (!divides(op.getShape().back(), bytes))
      return false;
    if (auto store = dyn_cast<DescriptorStoreOp>(user))
      return divides(store.getIndices().back(), bytes);
    auto reduce = dyn_cast<DescriptorReduceOp>(user);
    return reduce && canBeReduced(reduce.getKind(), element) &&
           divides(reduce.getIndices().back(), bytes);
  });
}

/// Makes the kernel look at the strides of which nothing is known before it runs.
void checkStrides(MakeTensorDescOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t bytes = memoryBytes(op.getType().getSignlessBlockType());
  int64_t limit = (int64_t(1) << 40) / bytes;
  for (auto [axis, stride] : llvm::enumerate(op.getStrides().drop_back())) {
    auto known = backend::launchNumberOf(stride);
    if (known && known->isConstant() && known->constant >= 0 && known->constant < limit)
      continue;
    Value most = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(limit));
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, stride, most);
    createCheck(builder, loc, holds,
                "the stride of axis " + std::to_string(axis) +
                    " of a tensor descriptor is negative, or 2^40 bytes or more");
  }
}

/// What is stored, or added, lies in shared memory with the widest swizzle that it has room for.
void swizzleStores(MakeTensorDescOp op) {
  ArrayRef<int64_t> block = op.getType().getShape();
  auto isWritten = [](Operation *user) { return isa<DescriptorStoreOp, DescriptorReduceOp>(user); };
  if (block.size() < 2 || !llvm::all_of(op->getUsers(), isWritten) ||
      llvm::any_of(block.drop_back(2), [](int64_t extent) { return extent != 1; }))
    return;
  int64_t rowBytes = block.back() * memoryBytes(op.getType().getSignlessBlockType());
  for (int64_t bytes : {128, 64, 32})
    if (rowBytes >= bytes) {
      op->setAttr(ttg::swizzleName, IntegerAttr::get(IntegerType::get(op.getContext(), 32), bytes));
      return;
    }
}

struct RewriteDescriptors : impl::RewriteDescriptorsBase<RewriteDescriptors> {
  using RewriteDescriptorsBase::RewriteDescriptorsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dropUnitAxes(module);
    DenseSet<Operation *> kept;
    if (copies != TmaUse::none) {
      backend::AxisInfoAnalysis axes(module);
      DenseMap<Operation *, unsigned> maps; // that a launch would make for each function
      module.walk([&](MakeTensorDescOp op) {
        if (!canBeCopied(op, axes, productWarps))
          return;
        // A thread that waits for one block after another moves less than one with all the loads of
        // a block under way; and a map that each program makes costs more than it gains.
        // But for operands of products, copies of which run ahead, and for their results.
        bool onlyWorthwhile = copies == TmaUse::worthwhile;
        bool isInLoop = llvm::any_of(op->getUsers(), [](Operation *user) {
          return bool(user->getParentOfType<LoopLikeOpInterface>());
        });
        if (onlyWorthwhile && isInLoop) {
          if (!areMovedForProducts(op, productWarps))
            return;
          onlyWorthwhile = false;
        }
        bool byLaunch = backend::tensorMapRecipeOf(op) &&
                        ++maps[op->getParentOfType<FuncOp>()] <= backend::mostTensorMaps;
        if (onlyWorthwhile && !byLaunch)
          return;
        kept.insert(op);
        swizzleStores(op);
        if (!byLaunch) // which would refuse what TMA cannot take
          checkStrides(op);
      });
    }
    const auto stays = [&](Operation *op) {
      return kept.contains(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
               return kept.contains(operand.getDefiningOp());
             });
    };
    if (failed(rewriteDescriptors(module, descriptorPartTypes, stays)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult rewriteDescriptors(ModuleOp module, PartTypes partTypes,
                                 llvm::function_ref<bool(Operation *)> stays) {
  const auto isOwn = [&](Operation *op) {
    if (auto access = dyn_cast<DescriptorAccessOpInterface>(op))
      return !partTypes(access.getDesc().getType()).empty();
    auto made = dyn_cast<MakeTensorDescOp>(op);
    return made && !partTypes(made.getType()).empty();
  };
  const auto rewrite = [](Operation *op) {
    if (!isa<MakeTensorDescOp>(op))
      return rewriteAccess(op);
    packOperands(cast<MakeTensorDescOp>(op));
    return success();
  };
  return rewriteComposites(module, {partTypes, "a tensor descriptor", isOwn, rewrite, stays});
}
} // namespace tl::tt
