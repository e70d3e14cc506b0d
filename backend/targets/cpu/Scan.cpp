// SPDX-License-Identifier: MIT
//
// Operations that go through a tensor in order: scans and histograms. A scan runs along its axis
// one element after another, with the lanes across the other dimensions where there are any.
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

static void emitScan(FunctionLowering &f, tt::ScanOp scan) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  auto shape = shapeOf(scan.getSrcs()[0].getType());
  size_t axis = scan.getAxis();
  unsigned low = 0;
  for (size_t d = axis + 1; d < shape.size(); ++d)
    low += bitsOf(shape[d]);
  unsigned width = bitsOf(shape[axis]);
  unsigned bits = bitsOf(elementCount(scan.getSrcs()[0].getType()));
  f.flush();
  llvm::SmallVector<ScratchBuffer *> from, to;
  for (mlir::Value source : scan.getSrcs())
    from.push_back(f.materialise(source));
  f.flush();
  for (mlir::Value result : scan.getResults()) {
    to.push_back(scratch.allocate(f.bufferBytes(result.getType())));
    f.buffers[result] = to.back();
  }
  // Lanes lie below the axis, where neighbours are neighbours in memory.
  unsigned laneBits = 0;
  mlir::Region &region = scan.getCombineOp();
  if (FunctionLowering::isVectorisable(region)) {
    unsigned widest = 1;
    for (mlir::Value source : scan.getSrcs())
      widest = std::max(widest, memoryBytes(elementType(source.getType())));
    laneBits = std::min(low, bitsOf(std::min(64u, f.features.lanes(std::max(4u, widest)))));
  }
  Nest nest = f.newNest(1u << laneBits);
  auto digit = [&](int64_t extent, Value *base) {
    Digit result;
    result.extent = extent;
    result.base = base;
    result.level = nest.levels.size() - 1;
    return result;
  };
  llvm::SmallVector<llvm::AllocaInst *> carried;
  for (mlir::Value source : scan.getSrcs())
    carried.push_back(f.stackVariable(
        withLanes(registerType(context, elementType(source.getType())), nest.lanes), "running"));
  int64_t outer = int64_t(1) << (bits - low - width), length = shape[axis];
  int64_t inner = int64_t(1) << low;
  f.emitCounted(nest, f.i64(0), f.i64(outer), 1, 100, [&](Value *i) {
    Digit high = digit(outer, i);
    f.emitCounted(nest, f.i64(0), f.i64(inner), nest.lanes, 100, [&](Value *j) {
      Digit rest = digit(inner, j);
      rest.laneBits = laneBits;
      auto element = [&](Value *position, bool first) {
        f.at(nest, nest.levels.size() - 1);
        if (scan.getReverse())
          position = builder.CreateSub(f.i64(length - 1), position);
        Index index;
        if (outer > 1)
          index.digits.push_back(high);
        if (length > 1)
          index.digits.push_back(digit(length, position));
        if (inner > 1)
          index.digits.push_back(rest);
        Values arguments;
        Values values;
        for (auto [source, buffer] : llvm::zip(scan.getSrcs(), from)) {
          Lanes lanes = f.loadBuffer(nest, *buffer, elementType(source.getType()), index);
          values.push_back(f.toVector(nest, lanes));
        }
        f.atTail(nest);
        Values results = values;
        if (!first) {
          for (llvm::AllocaInst *variable : carried)
            arguments.push_back(builder.CreateLoad(variable->getAllocatedType(), variable));
          arguments.append(values);
          results = f.emitScalarRegion(nest, region, arguments);
        }
        for (auto [variable, result] : llvm::zip(carried, results))
          builder.CreateStore(result, variable);
        for (auto [source, buffer, result] : llvm::zip(scan.getSrcs(), to, results))
          f.storeBuffer(nest, *buffer, elementType(source.getType()), index,
                        nest.lanes == 1 ? Lanes::uniform(result) : Lanes::vector(result));
      };
      f.emitCounted(nest, f.i64(0), f.i64(1), 1, 1, [&](Value *zero) { element(zero, true); });
      f.emitCounted(nest, f.i64(1), f.i64(length), 1, 100, [&](Value *k) { element(k, false); });
    });
  });
  f.leaveNest(nest);
  scratch.tick();
}

static void emitHistogram(FunctionLowering &f, tt::HistogramOp histogram) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  f.flush();
  mlir::Type element = elementType(histogram.getType());
  int64_t bins = elementCount(histogram.getType());
  ScratchBuffer *buffer = scratch.allocate(f.bufferBytes(histogram.getType()));
  llvm::Type *type = memoryType(context, element);
  scratch.use(*buffer);
  builder.CreateMemSet(buffer->pointer, builder.getInt8(0), f.bufferBytes(histogram.getType()),
                       llvm::MaybeAlign(64));
  f.forEachElement(histogram.getSrc().getType(), [&](Nest &nest, const Index &index) {
    Value *value = f.evaluate(nest, histogram.getSrc(), index).value;
    Value *mask =
        histogram.getMask() ? f.evaluate(nest, histogram.getMask(), index).value : nullptr;
    f.atTail(nest);
    // Negative numbers are large ones here, so one comparison finds all that have no bin.
    // Bytes hold numbers of bins up to 255.
    Value *bin = builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
    Value *counted = builder.CreateICmpULT(bin, f.i64(bins));
    if (mask)
      counted = builder.CreateAnd(counted, mask);
    Value *address =
        builder.CreateGEP(type, buffer->pointer, builder.CreateSelect(counted, bin, f.i64(0)));
    Value *count = builder.CreateLoad(type, address);
    builder.CreateStore(builder.CreateAdd(count, builder.CreateZExt(counted, type)), address);
  });
  f.buffers[histogram.getResult()] = buffer;
  scratch.tick();
}

void addScans(EmitterTable &table) {
  table.add<emitScan>();
  table.add<emitHistogram>();
}

} // namespace tl::backend::cpu
