// SPDX-License-Identifier: MIT
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/BlockAccess.h"
#include "passes/CompositeValues.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_REWRITEBLOCKPOINTERS
#include "passes/Passes.h.inc"

namespace {

/// Base, shape, strides and offsets.
SmallVector<Type> partTypes(Type type) {
  auto pointer = dyn_cast<BlockPointerType>(type);
  if (!pointer)
    return {};
  RankedTensorType block = pointer.getBlockType();
  SmallVector<Type> types{PointerType::get(block.getElementType())};
  types.append(3 * block.getRank(), IntegerType::get(type.getContext(), 64));
  return types;
}

Value widen(OpBuilder &builder, Location loc, Value offset) {
  return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), offset);
}

void rewriteMaker(MakeTensorPtrOp op) {
  OpBuilder builder(op);
  SmallVector<Value> parts{op.getBase()};
  parts.append(op.getShape().begin(), op.getShape().end());
  parts.append(op.getStrides().begin(), op.getStrides().end());
  for (Value offset : op.getOffsets())
    parts.push_back(widen(builder, op.getLoc(), offset));
  op.replaceAllUsesWith(packParts(builder, op.getLoc(), op.getType(), parts));
}

void rewriteAdvance(AdvanceOp op) {
  OpBuilder builder(op);
  SmallVector<Value> parts = partsOf(builder, op.getPtr(), partTypes);
  const size_t first = parts.size() - op.getOffsets().size();
  for (auto [axis, offset] : llvm::enumerate(op.getOffsets()))
    parts[first + axis] = arith::AddIOp::create(builder, op.getLoc(), parts[first + axis],
                                                widen(builder, op.getLoc(), offset));
  op.replaceAllUsesWith(packParts(builder, op.getLoc(), op.getType(), parts));
}

/// The pointers and the mask of the block that an operation accesses.
BlockAccess addressBlock(Operation *op, Value pointer,
                         std::optional<ArrayRef<int32_t>> checkedAxes) {
  OpBuilder builder(op);
  const SmallVector<Value> parts = partsOf(builder, pointer, partTypes);
  RankedTensorType block = cast<BlockPointerType>(pointer.getType()).getBlockType();
  const size_t rank = block.getRank();
  const auto part = [&](size_t number) {
    return ArrayRef(parts).drop_front(1 + number * rank).take_front(rank);
  };
  StridedTensor tensor;
  tensor.base = parts.front();
  tensor.shape.append(part(0).begin(), part(0).end());
  tensor.strides.append(part(1).begin(), part(1).end());
  BlockAccess access(op, block.getShape(), block, std::move(tensor));
  access.addressBlock(part(2), [&](size_t axis) {
    return checkedAxes && llvm::is_contained(*checkedAxes, int32_t(axis));
  });
  return access;
}

void rewriteLoad(LoadOp op) {
  BlockAccess access = addressBlock(op, op.getPtr(), op.getBoundaryCheck());
  Value other;
  if (access.mask) {
    // What is unspecified without a padding is zero as well.
    TypedAttr value = cast<TypedAttr>(access.builder.getZeroAttr(access.block));
    if (op.getPadding() == PaddingOption::PAD_NAN) {
      auto element = cast<FloatType>(access.block.getElementType());
      value = DenseElementsAttr::get(access.block, APFloat::getNaN(element.getFloatSemantics()));
    }
    other = arith::ConstantOp::create(access.builder, access.loc, value);
  }
  auto load = LoadOp::create(access.builder, access.loc, access.pointers, access.mask, other,
                             op.getCache(), op.getEvict(), op.getIsVolatile());
  load->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(load.getResult());
}

void rewriteStore(StoreOp op) {
  BlockAccess access = addressBlock(op, op.getPtr(), op.getBoundaryCheck());
  auto store = StoreOp::create(access.builder, access.loc, access.pointers, op.getValue(),
                               access.mask, op.getCache(), op.getEvict(), op.getIgnoreCta());
  store->setDiscardableAttrs(op->getDiscardableAttrDictionary());
}

bool isByBlockPointer(Value pointer) { return isa<BlockPointerType>(pointer.getType()); }

bool isOwn(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return isByBlockPointer(load.getPtr());
  if (auto store = dyn_cast<StoreOp>(op))
    return isByBlockPointer(store.getPtr());
  return isa<MakeTensorPtrOp, AdvanceOp>(op);
}

LogicalResult rewrite(Operation *op) {
  if (auto made = dyn_cast<MakeTensorPtrOp>(op))
    rewriteMaker(made);
  else if (auto advance = dyn_cast<AdvanceOp>(op))
    rewriteAdvance(advance);
  else if (auto load = dyn_cast<LoadOp>(op))
    rewriteLoad(load);
  else
    rewriteStore(cast<StoreOp>(op));
  op->erase();
  return success();
}

struct RewriteBlockPointers : impl::RewriteBlockPointersBase<RewriteBlockPointers> {
  void runOnOperation() override {
    if (failed(rewriteBlockPointers(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult rewriteBlockPointers(ModuleOp module) {
  const auto isOfBlocks = [](Type type) { return isa<BlockPointerType>(type); };
  const auto hasAny = module.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArgumentTypes(), isOfBlocks))
          return WalkResult::interrupt();
    return llvm::any_of(op->getResultTypes(), isOfBlocks) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
  });
  if (!hasAny.wasInterrupted())
    return success();
  for (FuncOp function : module.getOps<FuncOp>())
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      if (function.isPublic() && isOfBlocks(type))
        return function.emitError()
               << "parameter " << number << " of kernel '" << function.getName()
               << "' is a block pointer, which no launch can pass";
  module.getContext()->loadDialect<arith::ArithDialect>();
  const auto stays = [](Operation *) { return false; };
  return rewriteComposites(module, {partTypes, "a block pointer", isOwn, rewrite, stays});
}

} // namespace tl::tt
