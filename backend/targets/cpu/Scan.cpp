// SPDX-License-Identifier: MIT
//
// Operations that go through a tensor in order: scans, histograms, and regions of scalars with
// their own control flow. A scan runs along its axis one element after another, with the lanes
// across the other dimensions where there are any.
#include "targets/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

void FunctionLowering::emitScan(tt::ScanOp scan) {
  auto shape = shapeOf(scan.getSrcs()[0].getType());
  size_t axis = scan.getAxis();
  unsigned low = 0;
  for (size_t d = axis + 1; d < shape.size(); ++d)
    low += bitsOf(shape[d]);
  unsigned width = bitsOf(shape[axis]);
  unsigned bits = bitsOf(elementCount(scan.getSrcs()[0].getType()));
  flush();
  llvm::SmallVector<Slot *> from, to;
  for (mlir::Value source : scan.getSrcs())
    from.push_back(materialise(source));
  flush();
  for (mlir::Value result : scan.getResults()) {
    to.push_back(scratch.allocate(slotBytes(result.getType())));
    slots[result] = to.back();
  }
  // Lanes lie below the axis, where neighbours are neighbours in memory.
  unsigned laneBits = 0;
  mlir::Region &region = scan.getCombineOp();
  if (isVectorisable(region)) {
    unsigned widest = 1;
    for (mlir::Value source : scan.getSrcs())
      widest = std::max(widest, memoryBytes(elementType(source.getType())));
    laneBits = std::min(low, bitsOf(std::min(64u, features.lanes(std::max(4u, widest)))));
  }
  Nest nest = newNest(1u << laneBits);
  auto digit = [&](int64_t extent, Value *base) {
    Digit result;
    result.extent = extent;
    result.base = base;
    result.level = nest.levels.size() - 1;
    return result;
  };
  llvm::SmallVector<llvm::AllocaInst *> carried;
  for (mlir::Value source : scan.getSrcs())
    carried.push_back(stackVariable(
        withLanes(registerType(context, elementType(source.getType())), nest.lanes), "running"));
  int64_t outer = int64_t(1) << (bits - low - width), length = shape[axis];
  int64_t inner = int64_t(1) << low;
  emitCounted(nest, i64(0), i64(outer), 1, 100, [&](Value *i) {
    Digit high = digit(outer, i);
    emitCounted(nest, i64(0), i64(inner), nest.lanes, 100, [&](Value *j) {
      Digit rest = digit(inner, j);
      rest.laneBits = laneBits;
      auto element = [&](Value *position, bool first) {
        at(nest, nest.levels.size() - 1);
        if (scan.getReverse())
          position = builder.CreateSub(i64(length - 1), position);
        Index index;
        if (outer > 1)
          index.digits.push_back(high);
        if (length > 1)
          index.digits.push_back(digit(length, position));
        if (inner > 1)
          index.digits.push_back(rest);
        Values arguments;
        Values values;
        for (auto [source, slot] : llvm::zip(scan.getSrcs(), from)) {
          Lanes lanes = evaluateSlot(nest, *slot, elementType(source.getType()), index);
          values.push_back(toVector(nest, lanes));
        }
        atTail(nest);
        Values results = values;
        if (!first) {
          for (llvm::AllocaInst *variable : carried)
            arguments.push_back(builder.CreateLoad(variable->getAllocatedType(), variable));
          arguments.append(values);
          results = emitScalarRegion(nest, region, arguments);
        }
        for (auto [variable, result] : llvm::zip(carried, results))
          builder.CreateStore(result, variable);
        for (auto [source, slot, result] : llvm::zip(scan.getSrcs(), to, results))
          storeSlot(nest, *slot, elementType(source.getType()), index,
                    nest.lanes == 1 ? Lanes::uniform(result) : Lanes::vector(result));
      };
      emitCounted(nest, i64(0), i64(1), 1, 1, [&](Value *zero) { element(zero, true); });
      emitCounted(nest, i64(1), i64(length), 1, 100, [&](Value *k) { element(k, false); });
    });
  });
  leaveNest(nest);
  scratch.tick();
}

void FunctionLowering::emitHistogram(tt::HistogramOp histogram) {
  flush();
  mlir::Type element = elementType(histogram.getType());
  int64_t bins = elementCount(histogram.getType());
  Slot *slot = scratch.allocate(slotBytes(histogram.getType()));
  llvm::Type *type = memoryType(context, element);
  scratch.use(*slot);
  builder.CreateMemSet(slot->pointer, builder.getInt8(0), slotBytes(histogram.getType()),
                       llvm::MaybeAlign(64));
  forEachElement(histogram.getSrc().getType(), [&](Nest &nest, const Index &index) {
    Value *value = evaluate(nest, histogram.getSrc(), index).value;
    Value *mask = histogram.getMask() ? evaluate(nest, histogram.getMask(), index).value : nullptr;
    atTail(nest);
    // Negative numbers are large ones here, so one comparison finds all that have no bin.
    // Bytes hold numbers of bins up to 255.
    Value *bin = builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
    Value *counted = builder.CreateICmpULT(bin, i64(bins));
    if (mask)
      counted = builder.CreateAnd(counted, mask);
    Value *address =
        builder.CreateGEP(type, slot->pointer, builder.CreateSelect(counted, bin, i64(0)));
    Value *count = builder.CreateLoad(type, address);
    builder.CreateStore(builder.CreateAdd(count, builder.CreateZExt(counted, type)), address);
  });
  slots[histogram.getResult()] = slot;
  scratch.tick();
}

void FunctionLowering::emitMap(tt::MapElementwiseOp map) {
  flush();
  llvm::SmallVector<Slot *> to;
  for (mlir::Value result : map.getResult()) {
    to.push_back(scratch.allocate(slotBytes(result.getType())));
    slots[result] = to.back();
  }
  int64_t pack = map.getPack();
  mlir::Type type = map.getSrcs()[0].getType();
  int64_t count = elementCount(type);
  Nest nest = newNest(1);
  emitCounted(nest, i64(0), i64(count / pack), 1, 100, [&](Value *i) {
    auto indexOf = [&](int64_t k) {
      Index index;
      unsigned level = nest.levels.size() - 1;
      if (count > pack) {
        Digit digit;
        digit.extent = count / pack;
        digit.base = i;
        digit.level = level;
        index.digits.push_back(digit);
      }
      if (pack > 1) {
        Digit digit;
        digit.extent = pack;
        digit.base = i64(k);
        index.digits.push_back(digit);
      }
      return index;
    };
    // All elements of the pack of the first operand, then those of the second.
    Values arguments;
    for (mlir::Value source : map.getSrcs())
      for (int64_t k = 0; k < pack; ++k)
        arguments.push_back(evaluate(nest, source, indexOf(k)).value);
    atTail(nest);
    Values results = emitScalarRegion(nest, map.getScalarOp(), arguments);
    for (auto [r, result] : llvm::enumerate(map.getResult()))
      for (int64_t k = 0; k < pack; ++k)
        storeSlot(nest, *to[r], elementType(result.getType()), indexOf(k),
                  Lanes::uniform(results[r * pack + k]));
  });
  leaveNest(nest);
  scratch.tick();
}

} // namespace tl::backend::cpu
