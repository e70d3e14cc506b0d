// SPDX-License-Identifier: MIT
//
// Matrix products. The accumulator is updated in place in its slot; an operand that is a plain load
// of affine addresses is read where it lies, any other one is computed into scratch first, which is
// the packing that a fast product wants anyway.
#include "targets/cpu/Dot.h"
#include "targets/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
DotElement dotElement(mlir::Operation *operation, mlir::Type element) {
  if (auto format = floatFormat(element))
    return DotElement(*format);
  if (element.isInteger(8))
    return DotElement::i8;
  if (element.isInteger(32))
    return DotElement::i32;
  unsupported(operation, "the cpu target multiplies no matrices of this element type");
}
static_assert(unsigned(DotElement::f8E4M3FN) == unsigned(FloatFormat::f8E4M3FN) &&
              unsigned(DotElement::f64) == unsigned(FloatFormat::f64));
} // namespace

/// Where an operand lies: in global memory if it can be read there, else in scratch.
DotOperand FunctionLowering::dotOperand(mlir::Value value, Slot *&slot) {
  auto shape = shapeOf(value.getType());
  size_t rank = shape.size();
  unsigned bytes = memoryBytes(elementType(value.getType()));
  // The operand may be a transposed view of what is loaded or stored.
  llvm::SmallVector<int64_t> permutation;
  for (size_t d = 0; d < rank; ++d)
    permutation.push_back(d);
  mlir::Value root = value;
  while (!slots.contains(root)) {
    auto trans = root.getDefiningOp<tt::TransOp>();
    if (!trans)
      break;
    llvm::SmallVector<int64_t> next;
    for (int64_t d : permutation)
      next.push_back(trans.getOrder()[d]);
    permutation = next;
    root = trans.getSrc();
  }
  DotOperand operand;
  llvm::SmallVector<Value *> strides(rank);
  auto load = root.getDefiningOp<tt::LoadOp>();
  if (load && !slots.contains(root) && !load.getMask() && !load.getIsVolatile() &&
      load->getBlock() == block && isAffine(load.getPtr())) {
    AffineForm form = affine(load.getPtr());
    operand.pointer = form.base;
    for (size_t d = 0; d < rank; ++d) {
      Value *stride = form.strides[permutation[d]];
      strides[d] = stride ? builder.CreateExactSDiv(stride, i64(bytes)) : i64(0);
    }
  } else {
    slot = materialise(root);
    flush();
    operand.pointer = slot->pointer;
    auto rootShape = shapeOf(root.getType());
    llvm::SmallVector<int64_t> dense(rank, 1);
    for (size_t d = rank - 1; d-- > 0;)
      dense[d] = dense[d + 1] * rootShape[d + 1];
    for (size_t d = 0; d < rank; ++d)
      strides[d] = i64(dense[permutation[d]]);
  }
  operand.rowStride = strides[rank - 2];
  operand.columnStride = strides[rank - 1];
  operand.batchStride = rank == 3 ? strides[0] : nullptr;
  return operand;
}

/// The accumulator in a slot that may be overwritten; it becomes the slot of the result.
Slot *FunctionLowering::dotAccumulator(mlir::Operation *operation, mlir::Value initial,
                                       mlir::Value result) {
  unsigned before = current;
  current = order.lookup(operation) + 1;
  Slot *slot = nullptr;
  if (auto known = slots.find(initial); known != slots.end()) {
    bool shared = llvm::any_of(
        slots, [&](auto &entry) { return entry.second == known->second && isWanted(entry.first); });
    if (known->second->address && initial.getParentBlock() == block && !shared)
      slot = known->second;
  }
  current = before;
  if (!slot) {
    bool owned = !slots.contains(initial) && initial.getParentBlock() == block &&
                 initial.hasOneUse() && !initial.getDefiningOp<mlir::arith::ConstantOp>();
    slot = owned ? slotInPlace(initial) : nullptr;
    if (!slot)
      slot = scratch.allocate(slotBytes(initial.getType()));
    Sink sink;
    sink.value = initial;
    sink.slot = slot;
    sink.copy = true;
    addSink(sink);
  }
  flush();
  scratch.use(*slot);
  slots[result] = slot;
  return slot;
}

void FunctionLowering::emitProduct(const DotSpec &spec, const DotOperand &a, const DotOperand &b,
                                   Slot *c) {
  DotOperand accumulator;
  accumulator.pointer = c->pointer;
  accumulator.rowStride = i64(spec.n);
  accumulator.columnStride = i64(1);
  accumulator.batchStride = i64(spec.m * spec.n);
  Value *workspace = llvm::ConstantPointerNull::get(builder.getPtrTy());
  if (uint64_t bytes = dotWorkspaceBytes(spec, a, b, features)) {
    Slot *slot = scratch.allocate(bytes);
    scratch.use(*slot);
    workspace = slot->pointer;
  }
  emitDot(builder, spec, a, b, accumulator, workspace, features);
  scratch.tick();
}

void FunctionLowering::emitDotOperation(tt::DotOp dot) {
  auto aShape = shapeOf(dot.getA().getType()), bShape = shapeOf(dot.getB().getType());
  size_t rank = aShape.size();
  DotSpec spec;
  spec.batch = rank == 3 ? aShape[0] : 1;
  spec.m = aShape[rank - 2];
  spec.k = aShape[rank - 1];
  spec.n = bShape[rank - 1];
  spec.a = dotElement(dot, elementType(dot.getA().getType()));
  spec.b = dotElement(dot, elementType(dot.getB().getType()));
  spec.c = dotElement(dot, elementType(dot.getC().getType()));
  Slot *aSlot = nullptr, *bSlot = nullptr;
  DotOperand a = dotOperand(dot.getA(), aSlot);
  DotOperand b = dotOperand(dot.getB(), bSlot);
  Slot *c = dotAccumulator(dot, dot.getC(), dot.getD());
  // The operands must outlive what was computed since.
  for (Slot *slot : {aSlot, bSlot})
    if (slot)
      scratch.use(*slot);
  emitProduct(spec, a, b, c);
}

} // namespace tl::backend::cpu
