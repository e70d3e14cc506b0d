// SPDX-License-Identifier: MIT
#include "passes/CompositeValues.h"

#include "dialect/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tl::tt {

Value packParts(OpBuilder &builder, Location loc, Type type, ValueRange parts) {
  return UnrealizedConversionCastOp::create(builder, loc, TypeRange(type), parts).getResult(0);
}

SmallVector<Value> partsOf(OpBuilder &builder, Value composite, PartTypes partTypes) {
  auto pack = composite.getDefiningOp<UnrealizedConversionCastOp>();
  if (pack && pack.getNumResults() == 1)
    return pack.getInputs();
  return UnrealizedConversionCastOp::create(builder, composite.getLoc(),
                                            partTypes(composite.getType()), composite)
      .getResults();
}

namespace {

/// The rewrite of what hands composites on.
class Carriers {
public:
  explicit Carriers(const CompositeRewrite &how) : partTypes(how.partTypes), name(how.name) {}

  bool isAny(TypeRange types) const {
    return llvm::any_of(types, [&](Type type) { return !partTypes(type).empty(); });
  }

  /// Replaces each composite among a block's arguments by arguments for its parts.
  void flattenArguments(Block &block) {
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (unsigned i = 0; i < block.getNumArguments();) {
      BlockArgument argument = block.getArgument(i);
      const SmallVector<Type> types = partTypes(argument.getType());
      if (types.empty()) {
        ++i;
        continue;
      }
      SmallVector<Value> parts;
      for (auto [k, part] : llvm::enumerate(types))
        parts.push_back(block.insertArgument(i + 1 + k, part, argument.getLoc()));
      argument.replaceAllUsesWith(packParts(builder, argument.getLoc(), argument.getType(), parts));
      block.eraseArgument(i);
      i += types.size();
    }
  }

  void flattenFunction(FuncOp function) {
    FunctionType type = function.getFunctionType();
    if (!isAny(type.getInputs()) && !isAny(type.getResults()))
      return;
    if (ArrayAttr attributes =
            flattenArgumentAttributes(function.getArgAttrsAttr(), type.getInputs()))
      function.setArgAttrsAttr(attributes);
    if (ArrayAttr attributes =
            flattenArgumentAttributes(function.getResAttrsAttr(), type.getResults()))
      function.setResAttrsAttr(attributes);
    function.setFunctionType(FunctionType::get(
        function.getContext(), flattenTypes(type.getInputs()), flattenTypes(type.getResults())));
  }

  /// Rebuilds an operation that hands composites on with their parts as operands and results.
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
        parts.push_back(
            arith::SelectOp::create(builder, op->getLoc(), select.getCondition(), a, b));
      select.replaceAllUsesWith(packParts(builder, op->getLoc(), select.getType(), parts));
      op->erase();
      return success();
    }
    if (auto poison = dyn_cast<ub::PoisonOp>(op)) {
      SmallVector<Value> parts;
      for (Type type : partTypes(poison.getType()))
        parts.push_back(ub::PoisonOp::create(builder, op->getLoc(), type));
      poison.replaceAllUsesWith(packParts(builder, op->getLoc(), poison.getType(), parts));
      op->erase();
      return success();
    }
    // A list, since no interface promises what is done here: that more operands may stand for one.
    if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp, cf::BranchOp,
             CallOp, ReturnOp>(op))
      return op->emitOpError() << "cannot hand on " << name;

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
      const SmallVector<Type> types = partTypes(old.getType());
      if (types.empty()) {
        old.replaceAllUsesWith(flat->getResult(next++));
        continue;
      }
      old.replaceAllUsesWith(packParts(builder, op->getLoc(), old.getType(),
                                       flat->getResults().slice(next, types.size())));
      next += types.size();
    }
    op->erase();
    return success();
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
        return cast.emitError() << name << " is used in a way that is not understood";
    return success();
  }

private:
  SmallVector<Type> flattenTypes(TypeRange types) const {
    SmallVector<Type> flat;
    for (Type type : types)
      if (const SmallVector<Type> parts = partTypes(type); !parts.empty())
        flat.append(parts);
      else
        flat.push_back(type);
    return flat;
  }

  SmallVector<Value> flattenValues(OpBuilder &builder, ValueRange values) const {
    SmallVector<Value> flat;
    for (Value value : values)
      if (partTypes(value.getType()).empty())
        flat.push_back(value);
      else
        flat.append(partsOf(builder, value, partTypes));
    return flat;
  }

  /// Attributes of a function's arguments, one entry per flattened argument.
  ArrayAttr flattenArgumentAttributes(ArrayAttr old, TypeRange types) {
    if (!old)
      return {};
    SmallVector<Attribute> flat;
    for (auto [type, attribute] : llvm::zip(types, old)) {
      if (const SmallVector<Type> parts = partTypes(type); !parts.empty())
        flat.append(parts.size(), DictionaryAttr::get(old.getContext()));
      else
        flat.push_back(attribute);
    }
    return ArrayAttr::get(old.getContext(), flat);
  }

  PartTypes partTypes;
  const char *name;
};

} // namespace

LogicalResult rewriteComposites(ModuleOp module, const CompositeRewrite &how) {
  Carriers carriers(how);
  SmallVector<Operation *> own, handingOn;
  SmallVector<Block *> blocks;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (carriers.isAny(block.getArgumentTypes()))
          blocks.push_back(&block);
    if (how.stays(op))
      return;
    if (how.isOwn(op))
      own.push_back(op);
    else if (carriers.isAny(op->getOperandTypes()) || carriers.isAny(op->getResultTypes()))
      handingOn.push_back(op);
  });
  for (FuncOp function : module.getOps<FuncOp>())
    carriers.flattenFunction(function);
  for (Block *block : blocks)
    carriers.flattenArguments(*block);
  for (Operation *op : own)
    if (failed(how.rewrite(op)))
      return failure();
  // The blocks of a carrier move into its replacement: inner ones first.
  for (Operation *op : llvm::reverse(handingOn))
    if (failed(carriers.flattenOperation(op)))
      return failure();
  return carriers.resolveCasts(module);
}

} // namespace tl::tt
