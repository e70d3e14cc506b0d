// SPDX-License-Identifier: MIT
//
// The loop nest of A group of fusion roots. The digits of the index become loops, the lowest one in
// steps of vectors; the innermost loop is split by its masks into a full, a tested and a dead part.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

Nest FunctionLowering::newNest(unsigned lanes) {
  Nest nest;
  nest.lanes = lanes;
  Level outside;
  outside.setup = outside.tail = builder.GetInsertBlock();
  nest.levels.push_back(std::move(outside));
  return nest;
}

void FunctionLowering::leaveNest(Nest &nest) { builder.SetInsertPoint(nest.levels[0].tail); }

/// A level of straight-line code: what the level around still computes comes after it as well.
static void inNewLevel(FunctionLowering &f, Nest &nest, llvm::function_ref<void()> body) {
  Level level;
  level.setup = level.tail = nest.levels.back().tail;
  nest.levels.push_back(std::move(level));
  body();
  llvm::BasicBlock *tail = nest.levels.back().tail;
  nest.levels.pop_back();
  if (nest.levels.back().setup == nest.levels.back().tail)
    nest.levels.back().setup = tail;
  nest.levels.back().tail = tail;
}

/// Runs `emit` twice, for the case that all masks hold and for the other, each in a nest of its
/// own.
void FunctionLowering::splitByMasks(Nest &nest, Value *inside,
                                    const llvm::DenseSet<mlir::Value> &masks,
                                    llvm::function_ref<void(Nest &)> emit) {
  atTail(nest);
  auto *whole = llvm::BasicBlock::Create(context, "whole", code);
  auto *partial = llvm::BasicBlock::Create(context, "partial", code);
  auto *after = llvm::BasicBlock::Create(context, "after", code);
  builder.CreateCondBr(inside, whole, partial);
  for (bool isWhole : {true, false}) {
    builder.SetInsertPoint(isWhole ? whole : partial);
    Nest part = newNest(nest.lanes);
    part.copies = nest.copies;
    part.producing = nest.producing;
    if (isWhole) {
      part.mode = MaskMode::full;
      part.trueMasks = masks;
    }
    emit(part);
    leaveNest(part);
    builder.CreateBr(after);
  }
  builder.SetInsertPoint(after);
}

/// Runs the body for begin, begin + step … end - 1 in a new level. Few constant steps are unrolled.
void FunctionLowering::emitCounted(Nest &nest, Value *begin, Value *end, int64_t step,
                                   unsigned cost, llvm::function_ref<void(Value *)> body) {
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (first && last) {
    int64_t tripCount = (last->getSExtValue() - first->getSExtValue() + step - 1) / step;
    if (tripCount <= 1 || (tripCount <= 4 && tripCount * cost <= 64)) {
      for (int64_t i = 0; i < tripCount; ++i) {
        inNewLevel(*this, nest, [&] { body(i64(first->getSExtValue() + i * step)); });
      }
      return;
    }
  }
  atTail(nest);
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(context, "loop", code);
  auto *inside = llvm::BasicBlock::Create(context, "body", code);
  auto *exit = llvm::BasicBlock::Create(context, "done", code);
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  auto *variable = builder.CreatePHI(builder.getInt64Ty(), 2, "i");
  variable->addIncoming(begin, before);
  builder.CreateCondBr(builder.CreateICmpSLT(variable, end), inside, exit);
  Level level;
  level.setup = level.tail = inside;
  nest.levels.push_back(std::move(level));
  body(variable);
  atTail(nest);
  Value *next = builder.CreateAdd(variable, i64(step), "next", true, true);
  variable->addIncoming(next, builder.GetInsertBlock());
  builder.CreateBr(header);
  nest.levels.pop_back();
  nest.levels.back().tail = exit;
}

NestPlan FunctionLowering::planNest(llvm::ArrayRef<FusionRoot> roots, bool small) {
  NestPlan plan;
  plan.roots.assign(roots.begin(), roots.end());
  plan.small = small;
  // Values of other fusion roots of the group that were stored before are read like any buffer.
  plan.slice = sliceOf(roots);
  unsigned bits = plan.slice.bits;
  uint32_t cuts = plan.slice.cuts;
  unsigned widest = std::min(8u, plan.slice.widestBytes);
  unsigned laneBits = bitsOf(std::min(64u, features.lanes(widest)));
  for (const FusionRoot &root : roots)
    if (auto reduce = mlir::dyn_cast_or_null<tt::ReduceOp>(root.operation)) {
      auto shape = shapeOf(reduce.getSrcs()[0].getType());
      unsigned low = 0;
      for (size_t d = reduce.getAxis() + 1; d < shape.size(); ++d)
        low += bitsOf(shape[d]);
      unsigned width = bitsOf(shape[reduce.getAxis()]);
      if (low == 0)
        plan.reducedBits = width;
      cuts |= 1u << low;
      if (low + width < bits)
        cuts |= 1u << (low + width);
    }
  laneBits = std::min(laneBits, bits);
  if (plan.reducedBits)
    laneBits = std::min(laneBits, plan.reducedBits);
  if (plan.slice.scalarOnly)
    laneBits = 0;
  plan.partials = fixedPartials(roots);
  if (plan.partials)
    laneBits = std::min(laneBits, bitsOf(plan.partials));
  plan.lanes = 1u << laneBits;
  // Boundaries of the digits, lowest first.
  llvm::SmallVector<unsigned> boundaries = {0};
  for (unsigned b = 1; b < bits; ++b)
    if (cuts >> b & 1)
      boundaries.push_back(b);
  boundaries.push_back(bits);
  for (size_t d = bits ? boundaries.size() - 1 : 0; d-- > 0;)
    plan.lowBit.push_back(boundaries[d]);
  if (!small && !plan.slice.scalarOnly) {
    unsigned cost = plan.slice.cost;
    plan.unroll = cost <= 12 ? 4 : cost <= 50 ? 2 : 1;
    for (const FusionRoot &root : roots)
      if (root.kind == FusionRoot::Kind::reduce &&
          !identity(mlir::cast<tt::ReduceOp>(root.operation)))
        plan.unroll = 1;
  }
  if (plan.partials)
    plan.unroll = plan.partials / plan.lanes;
  plan.accumulators.resize(roots.size());
  if (!small)
    for (auto [root, accumulators] : llvm::zip(plan.roots, plan.accumulators))
      if ((accumulators.fast = isFastExtremum(roots, root)))
        fast.insert(root.operation);
  return plan;
}

/// The digits of the plan at their start, with the lanes spread over the lowest ones.
static void layDigits(Nest &nest, NestPlan &plan, Value *zero) {
  unsigned laneBits = bitsOf(nest.lanes);
  unsigned high = plan.slice.bits;
  for (auto [d, low] : llvm::enumerate(plan.lowBit)) {
    Digit digit;
    digit.extent = int64_t(1) << (high - low);
    digit.base = zero;
    if (low < laneBits) {
      digit.laneShift = low;
      digit.laneBits = std::min(laneBits, high) - low;
    }
    if (high > laneBits)
      plan.loops.push_back(d);
    nest.digits.push_back(digit);
    high = low;
  }
}

static void emitRows(FunctionLowering &f, Nest &nest, NestPlan &plan, unsigned depth);
static void emitInnermost(FunctionLowering &f, Nest &nest, NestPlan &plan, unsigned depth);

void FunctionLowering::emitNest(llvm::ArrayRef<FusionRoot> roots, const Copies &copies,
                                bool small) {
  auto first = mlir::dyn_cast_or_null<tt::ReduceOp>(roots.front().operation);
  if (first && !reducesInnermost(first))
    return emitColumns(roots, copies);
  NestPlan plan = planNest(roots, small);
  Nest nest = newNest(plan.lanes);
  nest.copies = copies;
  for (const FusionRoot &root : roots)
    if (root.storesValue())
      nest.producing.insert(root.value);
  layDigits(nest, plan, i64(0));

  llvm::DenseSet<mlir::Value> masks;
  if (!small && plan.loops.size() > 1)
    if (Value *inside = allTrue(nest, plan.slice, masks)) {
      // The whole tile is inside: no masks at all.
      splitByMasks(nest, inside, masks, [&](Nest &inner) {
        NestPlan part = plan;
        part.loops.clear();
        layDigits(inner, part, i64(0));
        if (inner.mode != MaskMode::full && !part.partials)
          part.unroll = 1;
        emitRows(*this, inner, part, 0);
      });
      return;
    }
  emitRows(*this, nest, plan, 0);
  leaveNest(nest);
}

/// Emits the loops from `depth` on. Reductions begin and end around the loops over their axis.
static void emitRows(FunctionLowering &f, Nest &nest, NestPlan &plan, unsigned depth) {
  auto lowBitAbove = [&](unsigned d) { return d == 0 ? plan.slice.bits : plan.lowBit[d - 1]; };
  unsigned inside = depth < plan.loops.size() ? lowBitAbove(plan.loops[depth]) : 0;
  unsigned around = depth == 0 ? plan.slice.bits + 1 : plan.lowBit[plan.loops[depth - 1]];
  // The axis lies in the loops from here on, and not in the loop around.
  bool reducing = plan.reducedBits && inside <= plan.reducedBits && around >= plan.reducedBits &&
                  (depth == 0 || lowBitAbove(plan.loops[depth - 1]) > plan.reducedBits);
  if (reducing)
    for (auto [root, accumulators] : llvm::zip(plan.roots, plan.accumulators))
      if (root.kind == FusionRoot::Kind::reduce)
        f.beginReduce(nest, root, accumulators, plan.unroll);
  // The last loop is the innermost one, unless the lanes alone hold the axis that is reduced.
  bool outer =
      depth + 1 < plan.loops.size() || (depth < plan.loops.size() && plan.reducedBits &&
                                        plan.lowBit[plan.loops[depth]] >= plan.reducedBits);
  if (outer) {
    unsigned d = plan.loops[depth];
    f.emitCounted(nest, f.i64(0), f.i64(nest.digits[d].extent), 1, plan.slice.cost * 16,
                  [&](Value *i) {
                    nest.digits[d].base = i;
                    nest.digits[d].level = nest.levels.size() - 1;
                    emitRows(f, nest, plan, depth + 1);
                  });
    nest.digits[d].base = f.i64(0);
    nest.digits[d].level = 0;
  } else {
    emitInnermost(f, nest, plan, depth);
  }
  if (reducing)
    for (auto [root, accumulators] : llvm::zip(plan.roots, plan.accumulators))
      if (root.kind == FusionRoot::Kind::reduce) {
        Index index;
        for (unsigned d = 0; d < nest.digits.size(); ++d)
          if (plan.lowBit[d] >= plan.reducedBits)
            index.digits.push_back(nest.digits[d]);
        f.endReduce(nest, root, accumulators, index);
      }
}

static void emitInnermost(FunctionLowering &f, Nest &nest, NestPlan &plan, unsigned depth) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  if (depth >= plan.loops.size()) { // no loop: one vector holds everything
    return inNewLevel(f, nest, [&] { f.emitPoint(nest, plan, 0); });
  }
  unsigned d = plan.loops[depth];
  Digit &digit = nest.digits[d];
  int64_t extent = digit.extent;
  // How far the lanes reach into this digit.
  int64_t step = int64_t(1) << digit.laneBits;
  bool contiguous = plan.lowBit[d] == 0;
  unsigned unroll = plan.unroll;
  while (unroll > 1 && extent < step * unroll)
    unroll /= 2;
  unsigned outer = nest.levels.size() - 1;

  nest.masks.clear();
  nest.prefixes.clear();
  MaskMode outerMode = nest.mode;
  if (contiguous && digit.laneBits && !plan.small && nest.mode == MaskMode::tested &&
      extent > step) {
    for (const Slice::Use &use : plan.slice.masks) {
      PrefixMask prefix;
      prefix.mask = use.value;
      // The digits of the nest that are the index of the mask, most significant first.
      bool whole = true, innermost = false;
      Index index;
      for (size_t b = use.at.size(); b > 0 && whole;) {
        int8_t top = use.at[b - 1];
        whole = false;
        for (unsigned e = 0; e < nest.digits.size() && top != fixed; ++e) {
          unsigned width = bitsOf(nest.digits[e].extent);
          if (unsigned(top) + 1 != plan.lowBit[e] + width || width > b)
            continue;
          whole = true;
          for (unsigned k = 0; k < width; ++k)
            whole &= use.at[b - width + k] == int8_t(plan.lowBit[e] + k);
          if (!whole)
            break;
          prefix.digits.push_back(e);
          Digit part = nest.digits[e];
          innermost |= e == d;
          index.digits.push_back(part);
          b -= width;
          break;
        }
      }
      if (!whole || !innermost)
        continue;
      if (llvm::any_of(nest.masks, [&](const PrefixMask &known) {
            return known.mask == prefix.mask && known.digits == prefix.digits;
          }))
        continue;
      prefix.prefix = f.prefixCount(nest, use.value, index, extent);
      if (prefix.prefix.least)
        nest.masks.push_back(prefix);
    }
  }

  auto run = [&](Value *begin, Value *end, unsigned vectors, MaskMode mode) {
    nest.mode = mode;
    f.emitCounted(nest, begin, end, step * vectors, plan.slice.cost * vectors, [&](Value *j) {
      for (unsigned u = 0; u < vectors; ++u) {
        f.at(nest, nest.levels.size() - 1);
        digit.base = u ? builder.CreateAdd(j, f.i64(u * step), "", true, true) : j;
        digit.level = nest.levels.size() - 1;
        f.emitPoint(nest, plan, u);
      }
    });
    digit.base = f.i64(0);
    digit.level = 0;
    nest.mode = outerMode;
  };

  // The full part, in a second form for results that are too large for the caches.
  auto runFull = [&](Value *end, MaskMode mode) {
    Value *streaming = extent > step * int64_t(unroll) ? f.shouldStream(nest, plan, d) : nullptr;
    if (!streaming)
      return run(f.i64(0), end, unroll, mode);
    f.atTail(nest);
    auto *stream = llvm::BasicBlock::Create(context, "stream", f.code);
    auto *cached = llvm::BasicBlock::Create(context, "cached", f.code);
    auto *after = llvm::BasicBlock::Create(context, "streamed", f.code);
    builder.CreateCondBr(streaming, stream, cached);
    for (llvm::BasicBlock *block : {stream, cached}) {
      nest.streaming = block == stream;
      nest.levels.back().tail = block;
      run(f.i64(0), end, unroll, mode);
      f.atTail(nest);
      builder.CreateBr(after);
    }
    nest.streaming = false;
    nest.levels.back().tail = after;
  };
  if (nest.masks.empty())
    return runFull(f.i64(extent), outerMode);
  f.at(nest, outer);
  Value *least = nullptr, *most = nullptr;
  for (const PrefixMask &mask : nest.masks) {
    auto fold = [&](Value *&sum, Value *count, llvm::Intrinsic::ID id) {
      sum = sum ? builder.CreateBinaryIntrinsic(id, sum, count) : count;
    };
    fold(least, mask.prefix.least, llvm::Intrinsic::smin);
    fold(most, mask.prefix.most, llvm::Intrinsic::smax);
  }
  Value *fullEnd = builder.CreateAnd(least, f.i64(-(step * int64_t(unroll))), "full");
  const unsigned atEnd = plan.partials ? unroll : 1; // vectors at once
  const int64_t piece = step * int64_t(atEnd);
  Value *deadBegin =
      builder.CreateAnd(builder.CreateAdd(most, f.i64(piece - 1)), f.i64(-piece), "dead");
  runFull(fullEnd, MaskMode::full);
  run(fullEnd, deadBegin, atEnd, MaskMode::tested);
  // Stores whose mask has ended do nothing; everything else wants its elements.
  bool needed = llvm::any_of(plan.roots, [&](const FusionRoot &root) {
    if (root.kind != FusionRoot::Kind::store)
      return true;
    auto store = mlir::cast<tt::StoreOp>(root.operation);
    return llvm::none_of(nest.masks, [&](const PrefixMask &mask) {
      return mask.mask == store.getMask() && mask.digits.size() == nest.digits.size();
    });
  });
  if (needed)
    run(deadBegin, f.i64(extent), atEnd, MaskMode::dead);
  nest.masks.clear();
}

/// One vector of every fusion root: first everything is computed, then everything is written.
void FunctionLowering::emitPoint(Nest &nest, NestPlan &plan, unsigned accumulator) {
  Index index{nest.digits};
  unsigned level = nest.levels.size() - 1;
  struct Computed {
    llvm::SmallVector<Lanes, 3> values;
  };
  llvm::SmallVector<Computed, 4> computed(plan.roots.size());
  for (auto [root, result] : llvm::zip(plan.roots, computed)) {
    switch (root.kind) {
    case FusionRoot::Kind::materialise:
      result.values.push_back(evaluate(nest, root.value, index));
      break;
    case FusionRoot::Kind::store: {
      auto store = mlir::cast<tt::StoreOp>(root.operation);
      Lanes mask;
      if (store.getMask())
        mask = evaluate(nest, store.getMask(), index);
      auto *known =
          mask.value && mask.isUniform() ? llvm::dyn_cast<llvm::ConstantInt>(mask.value) : nullptr;
      if (known && known->isZero()) {
        result.values = {{}, {}, mask};
        break;
      }
      result.values = {pointerAt(nest, store.getPtr(), index),
                       evaluate(nest, store.getValue(), index), mask};
      break;
    }
    case FusionRoot::Kind::reduce:
      for (mlir::Value source : mlir::cast<tt::ReduceOp>(root.operation).getSrcs())
        result.values.push_back(evaluate(nest, source, index));
      break;
    }
  }
  at(nest, level);
  for (auto [root, accumulators, result] : llvm::zip(plan.roots, plan.accumulators, computed)) {
    switch (root.kind) {
    case FusionRoot::Kind::materialise:
      storeBuffer(nest, *root.buffer, elementType(root.value.getType()), index, result.values[0]);
      break;
    case FusionRoot::Kind::store:
      emitStore(nest, mlir::cast<tt::StoreOp>(root.operation), result.values[0], result.values[1],
                result.values[2]);
      break;
    case FusionRoot::Kind::reduce: {
      Value *first = nullptr;
      if (!identity(mlir::cast<tt::ReduceOp>(root.operation))) {
        atTail(nest);
        Value *position = i64(0);
        unsigned low = 0, high = plan.slice.bits;
        reducedField(mlir::cast<tt::ReduceOp>(root.operation), low, high);
        for (unsigned d = 0; d < nest.digits.size(); ++d)
          if (plan.lowBit[d] >= low && plan.lowBit[d] < high)
            position = builder.CreateOr(position, nest.digits[d].base);
        first = builder.CreateICmpULT(position, i64(std::max(1u, plan.partials)));
      }
      accumulate(nest, root, accumulators, result.values, accumulator, first);
      break;
    }
    }
  }
}

} // namespace tl::backend::cpu
