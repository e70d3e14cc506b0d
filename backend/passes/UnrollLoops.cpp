// SPDX-License-Identifier: MIT
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_UNROLLLOOPS
#include "passes/Passes.h.inc"

namespace {

constexpr const char *factorName = "tt.loop_unroll_factor";

int64_t sizeOf(Operation *op) {
  int64_t size = 0;
  op->walk([&](Operation *) { ++size; });
  return size;
}

class Unroller {
public:
  /// Its kernel must not grow beyond maxKernelOperations: the hint is not followed then. Nested
  /// factors multiply, and compiling would take longer than any kernel could win back.
  explicit Unroller(scf::ForOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()), type(loop.getInductionVar().getType()) {}

  void unroll(int64_t factor) {
    // Whoever has said how often is asked no more.
    loop->setAttr(factorName, builder.getI32IntegerAttr(1));
    APInt step;
    // The step of the unrolled loop must fit; with a step that is not known, it might not.
    if (!type.isIntOrIndex() || !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
        !step.isStrictlyPositive() || step.getActiveBits() > 31)
      return;
    int64_t wide = step.getSExtValue() * factor;
    if (factor < 2 ||
        sizeOf(loop->getParentOfType<FuncOp>()) + sizeOf(loop) * factor > maxKernelOperations ||
        (!type.isIndex() && !llvm::isIntN(type.getIntOrFloatBitWidth(), wide)))
      return;

    Value split = splitPoint(step.getSExtValue(), factor);
    Value bigStep = constant(wide);
    auto bulk = scf::ForOp::create(builder, loc, loop.getLowerBound(), split, bigStep,
                                   loop.getInitArgs(), nullptr, loop.getUnsignedCmp());
    bulk->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    fill(bulk, step.getSExtValue(), factor);

    // The old loop does what is left.
    loop.getLowerBoundMutable().assign(split);
    loop.getInitArgsMutable().assign(bulk.getResults());
    loop->setAttr("tt.num_stages", builder.getI32IntegerAttr(1));
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }

  /// Where the unrolled loop ends: the lower bound plus a multiple of the factor's iterations.
  /// Iterations are counted without sign, which holds the distance of any two bounds, and are zero
  /// if the loop is empty. If no iteration is left over, the upper bound itself, so that nothing
  /// runs past it.
  Value splitPoint(int64_t step, int64_t factor) {
    Value low = loop.getLowerBound(), high = loop.getUpperBound();
    Value zero = constant(0), one = constant(1);
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(builder, loc, predicate, low, high);
    Value distance = arith::SubIOp::create(builder, loc, high, low);
    Value last = arith::SubIOp::create(builder, loc, distance, one);
    Value tripCount = arith::DivUIOp::create(builder, loc, last, constant(step));
    tripCount = arith::AddIOp::create(builder, loc, tripCount, one);
    tripCount = arith::SelectOp::create(builder, loc, runs, tripCount, zero);
    Value rest = arith::RemUIOp::create(builder, loc, tripCount, constant(factor));
    Value whole = arith::SubIOp::create(builder, loc, tripCount, rest);
    Value reach = arith::MulIOp::create(builder, loc, whole, constant(step));
    Value end = arith::AddIOp::create(builder, loc, low, reach);
    Value nothingLeft = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, zero);
    Value all = arith::AndIOp::create(builder, loc, nothingLeft, runs);
    return arith::SelectOp::create(builder, loc, all, high, end);
  }

  void fill(scf::ForOp bulk, int64_t step, int64_t factor) {
    Block *body = bulk.getBody();
    OpBuilder inside = OpBuilder::atBlockBegin(body);
    SmallVector<Value> carried(bulk.getRegionIterArgs());
    for (int64_t copy = 0; copy < factor; ++copy) {
      Value index = bulk.getInductionVar();
      if (copy > 0) {
        Value ahead =
            arith::ConstantOp::create(inside, loc, inside.getIntegerAttr(type, copy * step));
        index = arith::AddIOp::create(inside, loc, index, ahead);
      }
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), index);
      mapping.map(loop.getRegionIterArgs(), carried);
      for (Operation &op : loop.getBody()->without_terminator())
        inside.clone(op, mapping);
      carried.clear();
      for (Value value : loop.getYieldedValues())
        carried.push_back(mapping.lookupOrDefault(value));
    }
    // A loop without carried values has its yield already.
    if (!body->mightHaveTerminator())
      scf::YieldOp::create(inside, loc, carried);
  }

  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  Type type;
};

/// How often a short loop runs; nothing if it is not to be unrolled as a whole.
std::optional<int64_t> iterationsOfShort(scf::ForOp loop) {
  constexpr int64_t mostIterations = 4, mostElements = 32768; // of all results
  std::optional<APInt> count = tripCountOf(loop);
  if (!count || count->ule(1) || count->ugt(mostIterations) || !loop->getDiscardableAttrs().empty())
    return std::nullopt;
  int64_t elements = 0;
  bool loads = false;
  const bool isPlain =
      !loop.getBody()
           ->walk([&](Operation *op) -> WalkResult {
             if (isa<DotOp, DotScaledOp, LoopLikeOpInterface, DescriptorAccessOpInterface>(op))
               return WalkResult::interrupt();
             loads |= isa<LoadOp>(op);
             for (Type type : op->getResultTypes()) {
               auto tensor = dyn_cast<RankedTensorType>(type);
               elements += tensor ? tensor.getNumElements() : 1;
             }
             return WalkResult::advance();
           })
           .wasInterrupted();
  const int64_t iterations = count->getSExtValue();
  return isPlain && loads && elements * iterations <= mostElements ? std::optional(iterations)
                                                                   : std::nullopt;
}

struct UnrollLoops : impl::UnrollLoopsBase<UnrollLoops> {
  using UnrollLoopsBase::UnrollLoopsBase;

  void runOnOperation() override {
    // Inner loops first: the copies of an outer body then hold unrolled loops.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(factorName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      Unroller(loop).unroll(cast<IntegerAttr>(loop->getAttr(factorName)).getValue().getSExtValue());
    }
    if (unrollShort) {
      SmallVector<std::pair<scf::ForOp, int64_t>> shortLoops;
      getOperation().walk([&](scf::ForOp loop) {
        if (std::optional<int64_t> iterations = iterationsOfShort(loop))
          shortLoops.push_back({loop, *iterations});
      });
      for (auto [loop, iterations] : shortLoops)
        Unroller(loop).unroll(iterations);
    }
    getOperation().walk([](scf::ForOp loop) { loop->removeAttr(factorName); });
  }
};

} // namespace
} // namespace tl::tt
