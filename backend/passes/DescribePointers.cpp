// SPDX-License-Identifier: MIT
//
// What TMA needs to know of a load by pointers is put together here, from the expression of their
// addresses (analysis/StridedPointers.h): axes with strides and coordinates, and limits from the
// mask.
//
//   offset + i * stride + j      i and j are indices of rows and columns, or the other way round
//
// Each product of the offset goes to one axis. If the rows' stride divides it, what is left is part
// of the coordinate of the rows; if no parameter is in it, it is part of that of the columns; and
// else the parameters in it make the stride of an axis of its own, whose block is one element:
//
//   pid * 64 * n      with stride n      64 * pid rows
//   k                                    k columns
//   head * m * n      with stride n      element head of an axis with stride m * n
//
// All of that is the same sum of products, so the addresses are the same. What differs is what TMA
// does at the edges: it gives zeros where a coordinate is negative, or not below the extent of its
// axis.
//
// - Coordinates are not negative, though a pointer with a negative index may be good because of
//   other parts of its offset. AxisInfo proves it of each product; or it follows if some parameters
//   are not negative, such as extents: then the descriptor names them, and the launch sees whether
//   they are from 0 to 2^30. It is relied on that the size of a group, a difference of two counts,
//   is positive where something is divided by it. Any other load stays as it is.
// - A mask `index < limit` makes the limit the extent, and TMA gives the zeros that `other` is. It
//   must be the very index: index - limit without the coordinate is minus the extent.
// - Without a mask the extent is as large as can be, 2^31 - 1, or that of the block if the
//   coordinate is zero: whoever promises that all pointers are good has them all read.
// - Coordinates have 32 bits: what is part of a number of 32 bits has them, and what is bounded by
//   extents that the launch has seen to be 2^30 at most. The rest is checked in 64 bits before the
//   loop where checks are asked for (TL_TMA=1), and else left to pointers.
//
// The launch sees whether the arguments are such as all that supposes: strides are not negative and
// less than 2^40 bytes, no extent is empty. For others libtl compiles the kernel once more, by
// pointers (Kernel::launchGeneral). Pointers may be null if nothing is loaded. As for a described
// block in a loop, nothing in the loop may write memory. More than for those is asked for around
// it: nothing in the kernel writes the parameter's memory, and no atomic, barrier or foreign code
// comes before. Other programs or kernels may then have written what is loaded, and generic writes
// are not ordered before reads by TMA.
//
// The pass runs before any descriptor is rewritten, so that these are treated as those that the
// author has made; where they would not be brought ahead of time, the load stays as it is.
#include "analysis/MemoryOrder.h"
#include "analysis/TensorMapRecipe.h"
#include "dialect/Hints.h"
#include "dialect/Traits.h"
#include "passes/DescribedOperands.h"
#include "passes/Passes.h"
#include "passes/PointerBlocks.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_DESCRIBEPOINTERS
#include "passes/Passes.h.inc"

namespace {

using backend::Form;
using backend::Monomial;

/// The form's value in the type, from the factors and constants alone.
Value build(OpBuilder &b, Location loc, const Form &form, IntegerType type) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value sum;
  for (const Monomial &term : form) {
    Value product;
    for (Value factor : term.factors) {
      if (factor.getType() != type)
        factor = arith::ExtSIOp::create(b, loc, type, factor);
      product = product ? arith::MulIOp::create(b, loc, product, factor).getResult() : factor;
    }
    if (!product)
      product = number(term.constant);
    else if (term.constant != 1)
      product = arith::MulIOp::create(b, loc, product, number(term.constant));
    sum = sum ? arith::AddIOp::create(b, loc, sum, product).getResult() : product;
  }
  return sum ? sum : number(0);
}

MakeTensorDescOp buildDescriptor(const PointerBlock &block, LoadOp load) {
  OpBuilder b = OpBuilder::atBlockBegin(block.base.getOwner());
  Location loc = load.getLoc();
  SmallVector<Value> shape, strides;
  SmallVector<int64_t> extents;
  for (const BlockAxis &axis : block.axes) {
    Monomial most;
    most.constant = axis.coordinate.empty() ? axis.block : mostElements;
    shape.push_back(build(b, loc, axis.isMasked ? axis.limit : Form{most}, b.getI32Type()));
    strides.push_back(build(b, loc, {axis.stride}, b.getI64Type()));
    extents.push_back(axis.block);
  }
  auto type = TensorDescType::get(
      RankedTensorType::get(extents, cast<RankedTensorType>(load.getType()).getElementType()));
  auto described = MakeTensorDescOp::create(b, loc, type, block.base, shape, strides,
                                            PaddingOption::PAD_ZERO, DenseI32ArrayAttr());
  SmallVector<int32_t> counts(block.counts.begin(), block.counts.end());
  described->setDiscardableAttr(fromPointersName, b.getDenseI32ArrayAttr(counts));
  return described;
}

void buildCheck(const CoordinateCheck &check, scf::ForOp loop, Location loc) {
  OpBuilder b(loop);
  IntegerType wide = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, value));
  };
  auto with = [&](Value bound) -> Value {
    Value sum = build(b, loc, check.first, wide);
    if (check.each == 0)
      return sum;
    bound = arith::ExtSIOp::create(b, loc, wide, bound);
    bound = arith::MulIOp::create(b, loc, bound, number(check.each));
    return arith::AddIOp::create(b, loc, sum, bound);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value bound, int64_t to) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, with(bound), number(to));
  };
  Value holds = compare(arith::CmpIPredicate::sge, loop.getLowerBound(), 0);
  if (!check.fits) {
    const int64_t most = mostElements - mostBlock;
    Value fits = compare(arith::CmpIPredicate::slt, loop.getUpperBound(), most);
    holds = arith::AndIOp::create(b, loc, holds, fits);
  }
  // A loop that does not run loads nothing.
  holds = arith::OrIOp::create(b, loc, holds,
                               arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                                     loop.getLowerBound(), loop.getUpperBound()));
  createCheck(b, loc, holds,
              "a block that a loop loads begins before its tensor, or 2^31 elements past its "
              "beginning along an axis; set TL_TMA=0 if it is meant to");
}

/// What the loop carried for the load alone goes: it does not change any more.
void dropCarried(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!loop.getResult(unsigned(index)).use_empty())
      continue;
    Value value = argument;
    while (value.hasOneUse() && isa<AddPtrOp>(*value.user_begin()) &&
           value.use_begin()->getOperandNumber() == 0)
      value = value.user_begin()->getResult(0);
    if (value != argument && value.hasOneUse() && *value.user_begin() == yield &&
        yield.getOperand(unsigned(index)) == value)
      yield.setOperand(unsigned(index), argument);
  }
}

/// Whether TMA reads what the kernel's order of memory operations says; see the top of the file.
bool isOnlyRead(LoadOp load, Value parameter) {
  auto function = load->getParentOfType<FuncOp>();
  auto isWritten = function.getBody().walk([&](Operation *op) {
    return backend::mayWrite(op, parameter) ? WalkResult::interrupt() : WalkResult::advance();
  });
  // What others have written may be waited for by anything but plain accesses.
  return !isWritten.wasInterrupted() && !backend::anyBefore(load, [](Operation *op) {
    auto plain = dyn_cast<LoadOp>(op);
    const bool isPlain = (isa<AccessOpInterface>(op) && !isa<AtomicOpInterface>(op)) ||
                         isa<DescriptorAccessOpInterface>(op) || op->hasTrait<TouchesNoBuffer>();
    return backend::accessesMemory(op) && (!isPlain || (plain && plain.getIsVolatile()));
  });
}

struct DescribePointers : impl::DescribePointersBase<DescribePointers> {
  using DescribePointersBase::DescribePointersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<LoadOp> loads;
    module.walk([&](LoadOp load) {
      auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
      auto function = load->getParentOfType<FuncOp>();
      if (loop && function && function.isPublic() && isa<RankedTensorType>(load.getType()))
        loads.push_back(load);
    });
    if (loads.empty() || productWarps == 0)
      return;
    made.clear();
    backend::AxisInfoAnalysis info(module);
    // Nothing is changed before all is known: the analysis knows only what it has seen.
    std::vector<std::pair<LoadOp, PointerBlock>> blocks;
    for (LoadOp load : loads) {
      auto block = pointerBlockOf(load, cast<scf::ForOp>(load->getParentOp()), info, mayCheck);
      if (block && isOnlyRead(load, block->base))
        blocks.emplace_back(load, std::move(*block));
    }
    DenseMap<Operation *, unsigned> maps;
    for (auto &[load, block] : blocks)
      if (maps[load->getParentOfType<FuncOp>()] < backend::mostTensorMaps / 2 &&
          describe(load, block))
        ++maps[load->getParentOfType<FuncOp>()];
  }

  bool describe(LoadOp load, const PointerBlock &block) {
    auto loop = cast<scf::ForOp>(load->getParentOp());
    MakeTensorDescOp described = buildDescriptor(block, load);
    OpBuilder b(load);
    Location loc = load.getLoc();
    SmallVector<Value> indices;
    for (const BlockAxis &axis : block.axes)
      indices.push_back(build(b, loc, axis.coordinate, b.getI32Type()));
    auto type = cast<RankedTensorType>(load.getType());
    auto blockType =
        block.isTransposed
            ? RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType())
            : type;
    auto loaded = DescriptorLoadOp::create(b, loc, blockType, described, indices,
                                           CacheModifier::NONE, load.getEvict());
    Value value = loaded;
    if (block.isTransposed)
      value = TransOp::create(b, loc, value, ArrayRef<int32_t>{1, 0});
    load.replaceAllUsesWith(value);
    if (!areMovedForProducts(described, productWarps)) {
      value.replaceAllUsesWith(load.getResult());
      if (block.isTransposed)
        value.getDefiningOp()->erase();
      loaded.erase();
      described.erase();
      return false;
    }
    load.erase();
    for (const CoordinateCheck &check : block.checks) {
      const bool isMade = llvm::any_of(made, [&](const auto &other) {
        return other.first == loop && other.second.isAsStrictAs(check);
      });
      if (!isMade) {
        buildCheck(check, loop, loc);
        made.emplace_back(loop, check);
      }
    }
    dropCarried(loop);
    return true;
  }

private:
  std::vector<std::pair<scf::ForOp, CoordinateCheck>> made;
};

} // namespace
} // namespace tl::tt
