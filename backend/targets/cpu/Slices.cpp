// SPDX-License-Identifier: MIT
//
// What a fusion root needs: the slice of deferred values behind it, each with the bits of the
// nest's index that it is read at, and what computing it costs.
#include "targets/cpu/Costs.h"
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tl::backend::cpu {

namespace {
bool isIdentity(const Slice &slice, const Bits &bits) {
  if (bits.size() != slice.bits)
    return false;
  for (unsigned b = 0; b < bits.size(); ++b)
    if (bits[b] != int8_t(b))
      return false;
  return true;
}

} // namespace

Bits identityBits(unsigned count) {
  Bits bits;
  for (unsigned b = 0; b < count; ++b)
    bits.push_back(int8_t(b));
  return bits;
}

unsigned FunctionLowering::cost(mlir::Value value) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()) || buffers.contains(value))
    return 0;
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation || !isDeferred(operation))
    return 0;
  if (auto known = costs.find(value); known != costs.end())
    return known->second;
  costs[value] = 0;
  // What stays affine costs next to nothing in a loop.
  if (!floatFormat(elementType(value.getType())) && isAffine(value))
    return 0;
  unsigned sum = costOf(operation).again;
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation))
    sum = isAffine(load.getPtr()) ? 2 : 10;
  for (mlir::Value operand : operation->getOperands())
    sum = std::min(1000u, sum + cost(operand));
  costs[value] = sum;
  return sum;
}

void walk(FunctionLowering &f, Slice &slice, mlir::Value value, Bits bits) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType())) {
    slice.scalars.push_back(value);
    return;
  }
  auto &seen = slice.visited[value];
  if (llvm::is_contained(seen, bits))
    return;
  seen.push_back(bits);
  bool identity = isIdentity(slice, bits);
  if (f.buffers.contains(value)) {
    slice.buffers.push_back({value, bits, identity});
    return;
  }
  walkDefinition(f, slice, value, bits);
}

void walkDefinition(FunctionLowering &f, Slice &slice, mlir::Value value, const Bits &bits) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    return;
  bool identity = isIdentity(slice, bits);
  // A boundary below bit p of a value: the nest must not run over it with one digit.
  auto cutAt = [&](const Bits &at, unsigned p) {
    if (p < at.size() && at[p] != fixed)
      slice.cuts |= 1u << at[p];
    if (p > 0 && at[p - 1] != fixed && unsigned(at[p - 1]) + 1 < slice.bits)
      slice.cuts |= 1u << (at[p - 1] + 1);
  };
  auto fields = [&](llvm::ArrayRef<int64_t> shape, const Bits &from) {
    llvm::SmallVector<Bits, 6> result(shape.size());
    unsigned position = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      unsigned width = bitsOf(shape[d]);
      result[d].append(from.begin() + position, from.begin() + position + width);
      position += width;
    }
    return result;
  };
  auto join = [](llvm::ArrayRef<Bits> parts) {
    Bits all;
    for (size_t d = parts.size(); d-- > 0;)
      all.append(parts[d]);
    return all;
  };
  auto cutFields = [&](llvm::ArrayRef<int64_t> shape, const Bits &from,
                       llvm::function_ref<bool(size_t)> which) {
    unsigned position = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      unsigned width = bitsOf(shape[d]);
      if (width && which(d)) {
        cutAt(from, position);
        cutAt(from, position + width);
      }
      position += width;
    }
  };
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(operation))
    return walk(f, slice, reduce.getSrcs()[mlir::cast<mlir::OpResult>(value).getResultNumber()],
                bits);
  if (mlir::isa<tt::ExpandDimsOp, tt::ReshapeOp>(operation))
    return walk(f, slice, operation->getOperand(0), bits);
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(operation)) {
    auto from = shapeOf(broadcast.getSrc().getType()), to = shapeOf(value.getType());
    auto parts = fields(to, bits);
    cutFields(to, bits, [&](size_t d) { return from[d] != to[d]; });
    for (size_t d = 0; d < to.size(); ++d)
      if (from[d] != to[d])
        parts[d].clear();
    return walk(f, slice, broadcast.getSrc(), join(parts));
  }
  if (auto trans = mlir::dyn_cast<tt::TransOp>(operation)) {
    auto shape = shapeOf(value.getType());
    auto parts = fields(shape, bits);
    cutFields(shape, bits, [](size_t) { return true; });
    llvm::SmallVector<Bits, 6> from(parts.size());
    for (auto [to, dimension] : llvm::enumerate(trans.getOrder()))
      from[dimension] = parts[to];
    return walk(f, slice, trans.getSrc(), join(from));
  }
  if (auto joined = mlir::dyn_cast<tt::JoinOp>(operation)) {
    cutAt(bits, 1);
    Bits rest(bits.begin() + 1, bits.end());
    slice.cost += 2;
    walk(f, slice, joined.getLhs(), rest);
    return walk(f, slice, joined.getRhs(), rest);
  }
  if (auto cat = mlir::dyn_cast<tt::CatOp>(operation)) {
    cutAt(bits, bits.size() - 1);
    Bits rest(bits.begin(), bits.end() - 1);
    slice.cost += 2;
    walk(f, slice, cat.getLhs(), rest);
    return walk(f, slice, cat.getRhs(), rest);
  }
  if (auto split = mlir::dyn_cast<tt::SplitOp>(operation)) {
    Bits all = {fixed};
    all.append(bits);
    return walk(f, slice, split.getSrc(), all);
  }
  if (auto gather = mlir::dyn_cast<tt::GatherOp>(operation)) {
    walk(f, slice, gather.getIndices(), bits);
    auto indicesShape = shapeOf(gather.getIndices().getType());
    auto sourceShape = shapeOf(gather.getSrc().getType());
    auto parts = fields(indicesShape, bits);
    cutFields(indicesShape, bits, [](size_t) { return true; });
    for (size_t d = 0; d < sourceShape.size(); ++d) {
      if (d == size_t(gather.getAxis()))
        parts[d].clear();
      while (parts[d].size() < bitsOf(sourceShape[d]))
        parts[d].push_back(fixed);
    }
    slice.cost += 10;
    return walk(f, slice, gather.getSrc(), join(parts));
  }
  mlir::Type element = elementType(value.getType());
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation)) {
    slice.loads.push_back({value, bits, identity});
    slice.widestBytes = std::max(slice.widestBytes, memoryBytes(element));
    slice.cost += 2;
    if (load.getMask())
      slice.masks.push_back({load.getMask(), bits, identity});
  } else {
    if (auto format = floatFormat(element))
      slice.widestBytes = std::max(slice.widestBytes, *format == FloatFormat::f64 ? 8u : 4u);
    if (auto select = mlir::dyn_cast<mlir::arith::SelectOp>(operation))
      if (mlir::isa<mlir::RankedTensorType>(select.getCondition().getType()))
        slice.masks.push_back({select.getCondition(), bits, identity});
    // Index arithmetic and masks mostly stay outside of the innermost loop.
    unsigned own = costOf(operation).inNest;
    if (own == 1 && (element.isInteger(1) || (!floatFormat(element) && f.isAffine(value))))
      own = 0;
    slice.cost += own;
  }
  slice.values.push_back({value, bits, identity});
  for (mlir::Value operand : operation->getOperands())
    walk(f, slice, operand, bits);
}

static void walkRoot(FunctionLowering &f, Slice &slice, const FusionRoot &root) {
  Bits bits = identityBits(slice.bits);
  auto element = [&](mlir::Value value) {
    mlir::Type type = elementType(value.getType());
    unsigned bytes = memoryBytes(type);
    slice.widestBytes = std::max(slice.widestBytes, bytes);
  };
  switch (root.kind) {
  case FusionRoot::Kind::materialise:
    element(root.value);
    if (root.value.getDefiningOp() &&
        (isDeferred(root.value.getDefiningOp()) ||
         mlir::isa<tt::ReduceOp, tt::LoadOp>(root.value.getDefiningOp())) &&
        !root.copy)
      walkDefinition(f, slice, root.value, bits);
    else
      walk(f, slice, root.value, bits);
    break;
  case FusionRoot::Kind::store: {
    auto store = mlir::cast<tt::StoreOp>(root.operation);
    element(store.getValue());
    if (store.getMask())
      slice.masks.push_back({store.getMask(), bits, true});
    for (mlir::Value operand : store->getOperands())
      walk(f, slice, operand, bits);
    break;
  }
  case FusionRoot::Kind::reduce: {
    auto reduce = mlir::cast<tt::ReduceOp>(root.operation);
    slice.scalarOnly |= !FunctionLowering::isVectorisable(reduce.getCombineOp());
    for (mlir::Value source : reduce.getSrcs()) {
      element(source);
      walk(f, slice, source, bits);
    }
    // The region may use scalars from outside of it.
    reduce.getCombineOp().walk([&](mlir::Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        if (operand.getParentRegion() != &reduce.getCombineOp())
          slice.scalars.push_back(operand);
    });
    break;
  }
  }
}

namespace {
mlir::Type nestType(const FusionRoot &root) {
  switch (root.kind) {
  case FusionRoot::Kind::materialise:
    return root.value.getType();
  case FusionRoot::Kind::store:
    return mlir::cast<tt::StoreOp>(root.operation).getPtr().getType();
  case FusionRoot::Kind::reduce:
    return mlir::cast<tt::ReduceOp>(root.operation).getSrcs()[0].getType();
  }
  llvm_unreachable("kind of fusion root");
}
} // namespace

Slice FunctionLowering::sliceOf(llvm::ArrayRef<FusionRoot> roots) {
  Slice slice;
  slice.bits = bitsOf(elementCount(nestType(roots.front())));
  for (const FusionRoot &root : roots)
    walkRoot(*this, slice, root);
  return slice;
}

} // namespace tl::backend::cpu
