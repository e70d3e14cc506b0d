// SPDX-License-Identifier: MIT
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CFGToSCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_STRUCTUREFUNCTIONS
#include "passes/Passes.h.inc"

namespace {

Value equals(OpBuilder &builder, Location loc, Value flag, const APInt &value) {
  Value constant =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(flag.getType(), value));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, flag, constant);
}

/// What becomes of blocks: MLIR finds the branches and loops, and asks here for the operations.
struct Structure : CFGToSCFInterface {
  FailureOr<Operation *> createStructuredBranchRegionOp(OpBuilder &builder, Operation *jump,
                                                        TypeRange types,
                                                        MutableArrayRef<Region> regions) override {
    Location loc = jump->getLoc();
    auto branch = [&](Value condition, Region *then, Region *otherwise) {
      auto made = scf::IfOp::create(builder, loc, types, condition);
      made.getThenRegion().takeBody(*then);
      if (otherwise)
        made.getElseRegion().takeBody(*otherwise);
      return made;
    };
    if (auto conditional = dyn_cast<cf::CondBranchOp>(jump))
      return branch(conditional.getCondition(), &regions[0], &regions[1]).getOperation();
    auto among = dyn_cast<cf::SwitchOp>(jump);
    if (!among || regions.size() < 2)
      return failure();
    // The first region is that of all other values, the others are compared with one by one.
    OpBuilder::InsertionGuard guard(builder);
    Operation *outermost = nullptr;
    SmallVector<APInt> values(among.getCaseValues()->getValues<APInt>());
    for (auto [number, value] : llvm::enumerate(values)) {
      const bool isLast = number + 1 == values.size();
      Value condition = equals(builder, loc, among.getFlag(), value);
      scf::IfOp made = branch(condition, &regions[number + 1], isLast ? &regions[0] : nullptr);
      if (outermost) {
        builder.setInsertionPointAfter(made);
        scf::YieldOp::create(builder, loc, made.getResults());
      } else {
        outermost = made;
      }
      if (!isLast)
        builder.setInsertionPointToStart(&made.getElseRegion().emplaceBlock());
    }
    return outermost;
  }

  LogicalResult createStructuredBranchRegionTerminatorOp(Location loc, OpBuilder &builder,
                                                         Operation *, Operation *,
                                                         ValueRange results) override {
    scf::YieldOp::create(builder, loc, results);
    return success();
  }

  FailureOr<Operation *> createStructuredDoWhileLoopOp(OpBuilder &builder, Operation *replaced,
                                                       ValueRange first, Value condition,
                                                       ValueRange next, Region &&body) override {
    Location loc = replaced->getLoc();
    auto loop = scf::WhileOp::create(builder, loc, first.getTypes(), first);
    loop.getBefore().takeBody(body);
    builder.setInsertionPointToEnd(&loop.getBefore().back());
    if (!condition.getType().isInteger(1)) // a switch value, 0 or 1
      condition = arith::TruncIOp::create(builder, loc, builder.getI1Type(), condition);
    scf::ConditionOp::create(builder, loc, condition, next);
    SmallVector<Location> locations(first.size(), loc);
    Block *after =
        builder.createBlock(&loop.getAfter(), loop.getAfter().end(), first.getTypes(), locations);
    scf::YieldOp::create(builder, loc, after->getArguments());
    return loop.getOperation();
  }

  Value getCFGSwitchValue(Location loc, OpBuilder &builder, unsigned value) override {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(value)));
  }

  void createCFGSwitchOp(Location loc, OpBuilder &builder, Value flag, ArrayRef<unsigned> values,
                         BlockRange blocks, ArrayRef<ValueRange> arguments, Block *otherwise,
                         ValueRange otherArguments) override {
    if (values.empty()) {
      cf::BranchOp::create(builder, loc, otherwise, otherArguments);
    } else if (values.size() == 1) {
      const APInt value(flag.getType().getIntOrFloatBitWidth(), values[0]);
      cf::CondBranchOp::create(builder, loc, equals(builder, loc, flag, value), blocks[0],
                               arguments[0], otherwise, otherArguments);
    } else {
      cf::SwitchOp::create(builder, loc, flag, otherwise, otherArguments,
                           SmallVector<int32_t>(values.begin(), values.end()), blocks, arguments);
    }
  }

  Value getUndefValue(Location loc, OpBuilder &builder, Type type) override {
    return ub::PoisonOp::create(builder, loc, type);
  }

  /// After a loop without an end.
  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &builder,
                                                     Region &region) override {
    SmallVector<Value> results;
    for (Type type : cast<FuncOp>(region.getParentOp()).getResultTypes())
      results.push_back(getUndefValue(loc, builder, type));
    return ReturnOp::create(builder, loc, results).getOperation();
  }
};

struct StructureFunctions : impl::StructureFunctionsBase<StructureFunctions> {
  void runOnOperation() override {
    DenseSet<StringAttr> called;
    getOperation().walk([&](CallOp call) { called.insert(call.getCalleeAttr().getAttr()); });
    Structure structure;
    for (auto function : getOperation().getOps<FuncOp>()) {
      if (function.isExternal() || function.getBody().hasOneBlock() ||
          !called.contains(function.getSymNameAttr()))
        continue;
      IRRewriter rewriter(function);
      (void)eraseUnreachableBlocks(rewriter, function->getRegions());
      DominanceInfo dominance(function);
      if (failed(transformCFGToSCF(function.getBody(), structure, dominance))) {
        function.emitError("has branches that no structure was found for");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace tl::tt
