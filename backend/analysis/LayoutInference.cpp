// SPDX-License-Identifier: MIT
#include "analysis/LayoutInference.h"

#include "analysis/Exchanges.h"
#include "dialect/Dialect.h"
#include "layout/NamedLayouts.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tl::backend {

namespace {

/// Axes renamed by a function from the old number to the new one; outputs stay in their order of
/// significance as the new numbers have it (the last axis the most minor).
template <class To> LinearLayout renumber(const LinearLayout &layout, unsigned rank, To to) {
  // Two steps, since names may be exchanged.
  LinearLayout result = layout;
  for (unsigned axis = 0; axis < rank; ++axis)
    result = result.renameOut(dimName(axis), "to" + std::to_string(to(axis)));
  unsigned newRank = unsigned(result.outs().size());
  std::vector<unsigned> order(newRank);
  for (unsigned at = 0; at < newRank; ++at) {
    unsigned axis = unsigned(std::stoul(result.outs()[at].name.substr(2)));
    order[newRank - 1 - axis] = at;
  }
  result = result.permuteOuts(order);
  for (unsigned axis = 0; axis < newRank; ++axis)
    result = result.renameOut("to" + std::to_string(axis), dimName(axis));
  return result;
}

LinearLayout reshaped(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  std::vector<LinearLayout::OutDim> outs;
  for (unsigned axis = unsigned(shape.size()); axis-- > 0;)
    outs.push_back({dimName(axis), unsigned(llvm::Log2_64(uint64_t(shape[axis])))});
  return layout.reshapeOuts(std::move(outs));
}

/// Coordinates along the axes that have extent 1 in `shape` are forgotten.
LinearLayout clipped(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  LinearLayout result = layout;
  std::vector<LinearLayout::OutDim> outs = layout.outs();
  std::vector<LinearLayout::InDim> ins = layout.ins();
  for (auto &in : ins) {
    std::vector<uint64_t> images;
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      uint64_t image = 0;
      unsigned shift = 0;
      for (unsigned axis = unsigned(shape.size()); axis-- > 0;) {
        if (shape[axis] == 1)
          continue;
        if (layout.outBits(dimName(axis)))
          image |= layout.image(in.name, bit, dimName(axis)) << shift;
        shift += layout.outBits(dimName(axis));
      }
      if (image || in.name != "register")
        images.push_back(image);
    }
    in.images = std::move(images);
  }
  for (auto &out : outs)
    if (shape[std::stoul(out.name.substr(3))] == 1)
      out.bits = 0;
  return LinearLayout(std::move(ins), std::move(outs));
}

/// Position of the register bit that counts the innermost axis of extent 2, if there is exactly
/// one bit that touches it and it touches nothing else.
std::optional<unsigned> pairBit(const LinearLayout &layout, unsigned lastAxis) {
  std::optional<unsigned> found;
  for (const auto &in : layout.ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit)
      if (layout.image(in.name, bit, dimName(lastAxis))) {
        if (found || in.name != "register" || in.images[bit] != 1)
          return std::nullopt;
        found = bit;
      }
  return found;
}

/// The two halves' layout of a layout whose innermost axis of extent 2 is one register bit.
std::optional<LinearLayout> halfOf(const LinearLayout &layout) {
  unsigned lastAxis = unsigned(layout.outs().size()) - 1;
  auto pair = pairBit(layout, lastAxis);
  if (!pair)
    return std::nullopt;
  std::vector<LinearLayout::InDim> ins = layout.ins();
  for (auto &in : ins)
    if (in.name == "register")
      in.images.erase(in.images.begin() + *pair);
  return LinearLayout(std::move(ins), layout.outs()).dropOut(dimName(lastAxis));
}

/// The layout of a join: pairs sit in neighbouring registers.
LinearLayout paired(const LinearLayout &half) {
  unsigned rank = unsigned(half.outs().size());
  LinearLayout pair = LinearLayout::identity("register", dimName(rank), 1);
  return pair * half;
}

} // namespace

bool isElementwise(Operation *op) {
  // A hint does not have the trait, since what it promises holds for its own shape alone.
  return op->hasTrait<OpTrait::Elementwise>() || isa<tt::HintOp>(op);
}

LinearLayout removeAxis(const LinearLayout &layout, unsigned axis) {
  return sliceLayout(layout, axis);
}

LinearLayout insertUnitAxis(const LinearLayout &layout, unsigned axis) {
  unsigned rank = unsigned(layout.outs().size());
  LinearLayout unit({}, {{dimName(rank), 0}});
  return renumber(layout * unit, rank + 1, [&](unsigned old) {
    if (old == rank)
      return axis;
    return old < axis ? old : old + 1;
  });
}

std::optional<LinearLayout> forwardLayout(Operation *op, unsigned operand,
                                          const LinearLayout &layout) {
  if (isElementwise(op))
    return layout;
  return TypeSwitch<Operation *, std::optional<LinearLayout>>(op)
      .Case([&](tt::ExpandDimsOp expand) {
        return std::optional(insertUnitAxis(layout, unsigned(expand.getAxis())));
      })
      .Case([&](tt::ReduceOp reduce) {
        return std::optional(removeAxis(layout, unsigned(reduce.getAxis())));
      })
      .Case([&](tt::ScanOp) { return std::optional(layout); })
      .Case([&](tt::TransOp trans) {
        auto order = trans.getOrder();
        // Axis i of the result is axis order[i] of the source.
        return std::optional(renumber(layout, unsigned(order.size()), [&](unsigned old) {
          return unsigned(llvm::find(order, int32_t(old)) - order.begin());
        }));
      })
      .Case([&](tt::ReshapeOp reshape) {
        return std::optional(reshaped(layout, reshape.getType().getShape()));
      })
      .Case([&](tt::JoinOp) { return std::optional(paired(layout)); })
      .Case([&](tt::SplitOp) { return halfOf(layout); })
      .Case([&](tt::GatherOp gather) {
        return operand == 1 || exchangedBits(gather) ? std::optional(layout) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<LinearLayout> backwardLayout(Operation *op, unsigned operand,
                                           const LinearLayout &layout) {
  if (isElementwise(op))
    return layout;
  return TypeSwitch<Operation *, std::optional<LinearLayout>>(op)
      .Case([&](tt::ExpandDimsOp expand) {
        return std::optional(removeAxis(layout, unsigned(expand.getAxis())));
      })
      .Case([&](tt::BroadcastOp broadcast) {
        return std::optional(clipped(layout, broadcast.getSrc().getType().getShape()));
      })
      .Case([&](tt::ScanOp) { return std::optional(layout); })
      .Case([&](tt::TransOp trans) {
        auto order = trans.getOrder();
        return std::optional(renumber(layout, unsigned(order.size()),
                                      [&](unsigned axis) { return unsigned(order[axis]); }));
      })
      .Case([&](tt::ReshapeOp reshape) {
        return std::optional(reshaped(layout, reshape.getSrc().getType().getShape()));
      })
      .Case([&](tt::JoinOp) { return halfOf(layout); })
      .Case([&](tt::SplitOp) { return std::optional(paired(layout)); })
      .Case([&](tt::GatherOp gather) {
        return operand == 1 || exchangedBits(gather) ? std::optional(layout) : std::nullopt;
      })
      .Case<tt::DotOp, tt::DotScaledOp>([&](auto product) {
        bool isAccumulator = operand == product.getCMutable().getOperandNumber();
        return isAccumulator ? std::optional(layout) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace tl::backend
