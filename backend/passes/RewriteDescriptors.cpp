// SPDX-License-Identifier: MIT
//
// How descriptors travel: through functions, loops and branches. What their accesses become is in
// DescriptorAccess.cpp.
#include "analysis/AxisInfo.h"
#include "analysis/LaunchNumbers.h"
#include "dialect/GpuTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/DescribedOperands.h"
#include "passes/DescriptorParts.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_REWRITEDESCRIPTORS
#include "passes/Passes.h.inc"

void appendPartTypes(TensorDescType type, SmallVectorImpl<Type> &types) {
  MLIRContext *context = type.getContext();
  size_t rank = type.getShape().size();
  types.push_back(PointerType::get(type.getSignlessBlockType().getElementType()));
  types.append(2 * rank, IntegerType::get(context, 64));
  types.push_back(IntegerType::get(context, 1));
}

SmallVector<Type> flattenTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types)
    if (auto descriptor = dyn_cast<TensorDescType>(type))
      appendPartTypes(descriptor, flat);
    else
      flat.push_back(type);
  return flat;
}

Value packParts(OpBuilder &builder, Location loc, TensorDescType type, ValueRange parts) {
  return UnrealizedConversionCastOp::create(builder, loc, TypeRange(type), parts).getResult(0);
}

DescriptorParts partsOf(OpBuilder &builder, Value descriptor) {
  auto type = cast<TensorDescType>(descriptor.getType());
  SmallVector<Value> flat;
  auto pack = descriptor.getDefiningOp<UnrealizedConversionCastOp>();
  if (pack && pack.getNumResults() == 1) {
    flat = pack.getInputs();
  } else {
    SmallVector<Type> types;
    appendPartTypes(type, types);
    flat = UnrealizedConversionCastOp::create(builder, descriptor.getLoc(), types, descriptor)
               .getResults();
  }
  size_t rank = type.getShape().size();
  DescriptorParts parts;
  parts.base = flat.front();
  parts.shape.append(flat.begin() + 1, flat.begin() + 1 + rank);
  parts.strides.append(flat.begin() + 1 + rank, flat.begin() + 1 + 2 * rank);
  parts.padNan = flat.back();
  return parts;
}

SmallVector<Value> flattenValues(OpBuilder &builder, ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values) {
    if (!isa<TensorDescType>(value.getType())) {
      flat.push_back(value);
      continue;
    }
    DescriptorParts parts = partsOf(builder, value);
    flat.push_back(parts.base);
    flat.append(parts.shape.begin(), parts.shape.end());
    flat.append(parts.strides.begin(), parts.strides.end());
    flat.push_back(parts.padNan);
  }
  return flat;
}

namespace {

bool hasDescriptor(TypeRange types) {
  return llvm::any_of(types, [](Type type) { return isa<TensorDescType>(type); });
}

/// Replaces each descriptor among a block's arguments by arguments for its parts.
void flattenArguments(Block &block) {
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (unsigned i = 0; i < block.getNumArguments();) {
    BlockArgument argument = block.getArgument(i);
    auto type = dyn_cast<TensorDescType>(argument.getType());
    if (!type) {
      ++i;
      continue;
    }
    SmallVector<Type> types;
    appendPartTypes(type, types);
    SmallVector<Value> parts;
    for (auto [k, part] : llvm::enumerate(types))
      parts.push_back(block.insertArgument(i + 1 + k, part, argument.getLoc()));
    argument.replaceAllUsesWith(packParts(builder, argument.getLoc(), type, parts));
    block.eraseArgument(i);
    i += types.size();
  }
}

/// Attributes of a function's arguments, one entry per flattened argument.
ArrayAttr flattenArgumentAttributes(ArrayAttr old, TypeRange types) {
  if (!old)
    return {};
  SmallVector<Attribute> flat;
  for (auto [type, attribute] : llvm::zip(types, old)) {
    SmallVector<Type> parts = flattenTypes(type);
    if (parts.size() == 1)
      flat.push_back(attribute);
    else
      flat.append(parts.size(), DictionaryAttr::get(old.getContext()));
  }
  return ArrayAttr::get(old.getContext(), flat);
}

void flattenFunction(FuncOp function) {
  FunctionType type = function.getFunctionType();
  if (!hasDescriptor(type.getInputs()) && !hasDescriptor(type.getResults()))
    return;
  if (ArrayAttr attributes =
          flattenArgumentAttributes(function.getArgAttrsAttr(), type.getInputs()))
    function.setArgAttrsAttr(attributes);
  if (ArrayAttr attributes =
          flattenArgumentAttributes(function.getResAttrsAttr(), type.getResults()))
    function.setResAttrsAttr(attributes);
  function.setFunctionType(FunctionType::get(function.getContext(), flattenTypes(type.getInputs()),
                                             flattenTypes(type.getResults())));
}

/// Rebuilds an operation that hands descriptors on with their parts as operands and results.
LogicalResult flattenOperation(Operation *op) {
  OpBuilder builder(op);
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    SmallVector<Value> whenTrue = flattenValues(builder, branch.getTrueDestOperands());
    SmallVector<Value> whenFalse = flattenValues(builder, branch.getFalseDestOperands());
    cf::CondBranchOp::create(builder, op->getLoc(), branch.getCondition(), branch.getTrueDest(),
                             whenTrue, branch.getFalseDest(), whenFalse);
    op->erase();
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    SmallVector<Value> whenTrue = flattenValues(builder, select.getTrueValue());
    SmallVector<Value> whenFalse = flattenValues(builder, select.getFalseValue());
    SmallVector<Value> parts;
    for (auto [a, b] : llvm::zip(whenTrue, whenFalse))
      parts.push_back(arith::SelectOp::create(builder, op->getLoc(), select.getCondition(), a, b));
    select.replaceAllUsesWith(
        packParts(builder, op->getLoc(), cast<TensorDescType>(select.getType()), parts));
    op->erase();
    return success();
  }
  // A list, since no interface promises what is done here: that more operands may stand for one.
  if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp, cf::BranchOp,
           CallOp, ReturnOp>(op))
    return op->emitOpError() << "cannot hand on a tensor descriptor";

  OperationState state(op->getLoc(), op->getName());
  state.addOperands(flattenValues(builder, op->getOperands()));
  state.addTypes(flattenTypes(op->getResultTypes()));
  state.addSuccessors(op->getSuccessors());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.attributes = op->getDiscardableAttrDictionary();
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *flat = builder.create(state);
  unsigned next = 0;
  for (Value old : op->getResults()) {
    auto type = dyn_cast<TensorDescType>(old.getType());
    if (!type) {
      old.replaceAllUsesWith(flat->getResult(next++));
      continue;
    }
    SmallVector<Type> types;
    appendPartTypes(type, types);
    old.replaceAllUsesWith(
        packParts(builder, op->getLoc(), type, flat->getResults().slice(next, types.size())));
    next += types.size();
  }
  op->erase();
  return success();
}

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

/// Joins each unpacking with the packing that it undoes, then drops what is left over.
LogicalResult resolveCasts(ModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  for (UnrealizedConversionCastOp unpack : casts) {
    if (unpack.getInputs().size() != 1)
      continue;
    auto pack = unpack.getInputs().front().getDefiningOp<UnrealizedConversionCastOp>();
    if (pack && pack.getNumResults() == 1)
      unpack.replaceAllUsesWith(pack.getInputs());
  }
  for (UnrealizedConversionCastOp cast : llvm::reverse(casts))
    if (cast.use_empty())
      cast.erase();
    else
      return cast.emitError() << "a tensor descriptor is used in a way that is not understood";
  return success();
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

/// Most bytes of a block that stays in shared memory.
constexpr int64_t maxCopiedBytes = 64 * 1024;

/// Whether TMA can move the blocks of a descriptor, wherever they are used.
bool canBeCopied(MakeTensorDescOp op, const backend::AxisInfoAnalysis &axes) {
  TensorDescType type = op.getType();
  ArrayRef<int64_t> box = type.getShape();
  Type element = type.getSignlessBlockType().getElementType();
  int64_t bytes = getElementBits(element) / 8;
  if (box.empty() || bytes == 0 || isa<PointerType>(element) || box.back() * bytes % 16)
    return false;
  if (op.getPadding() == PaddingOption::PAD_NAN && bytes == 1)
    return false; // TMA knows such elements as integers
  int64_t total = bytes;
  for (int64_t extent : box) {
    total *= extent;
    if (extent > 256 || total > maxCopiedBytes)
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
    return reduce && element.isInteger(32) && reduce.getKind() != DescriptorReduceKind::INC &&
           reduce.getKind() != DescriptorReduceKind::DEC &&
           divides(reduce.getIndices().back(), bytes);
  });
}

/// Makes the kernel look at the strides of which nothing is known before it runs.
void checkStrides(MakeTensorDescOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t bytes = getElementBits(op.getType().getSignlessBlockType().getElementType()) / 8;
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

/// What is stored lies in shared memory with the widest swizzle that it has room for.
void swizzleStores(MakeTensorDescOp op) {
  ArrayRef<int64_t> block = op.getType().getShape();
  if (block.size() != 2 ||
      !llvm::all_of(op->getUsers(), [](Operation *user) { return isa<DescriptorStoreOp>(user); }))
    return;
  int64_t rowBytes =
      block[1] * getElementBits(op.getType().getSignlessBlockType().getElementType()) / 8;
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
        if (!canBeCopied(op, axes))
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
    SmallVector<Operation *> makers, accesses, carriers;
    SmallVector<Block *> blocks;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (hasDescriptor(block.getArgumentTypes()))
            blocks.push_back(&block);
      bool stays = kept.contains(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
                     return kept.contains(operand.getDefiningOp());
                   });
      if (stays)
        return;
      if (isa<MakeTensorDescOp>(op))
        makers.push_back(op);
      else if (isa<DescriptorAccessOpInterface>(op))
        accesses.push_back(op);
      else if (hasDescriptor(op->getOperandTypes()) || hasDescriptor(op->getResultTypes()))
        carriers.push_back(op);
    });
    for (FuncOp function : module.getOps<FuncOp>())
      flattenFunction(function);
    for (Block *block : blocks)
      flattenArguments(*block);
    for (Operation *op : makers)
      packOperands(cast<MakeTensorDescOp>(op));
    for (Operation *op : accesses)
      if (failed(rewriteAccess(op)))
        return signalPassFailure();
    // The blocks of a carrier move into its replacement: inner ones first.
    for (Operation *op : llvm::reverse(carriers))
      if (failed(flattenOperation(op)))
        return signalPassFailure();
    if (failed(resolveCasts(module)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tl::tt
