// SPDX-License-Identifier: MIT
#include "dialect/Transfers.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#define GET_OP_CLASSES
#include "dialect/Transfers.cpp.inc"

using namespace mlir;

namespace tl::ttg {

void TTGDialect::registerTransferOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Transfers.cpp.inc"
      >();
}

bool isPointerTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<tt::PointerType>(tensor.getElementType());
}

bool areZeros(Value other) {
  return !other || matchPattern(other, m_PosZeroFloat()) || matchPattern(other, m_Zero());
}

namespace {

LogicalResult verifyBarrier(Operation *op, Type type) {
  auto memory = cast<MemDescType>(type);
  if (memory.getShape() != ArrayRef<int64_t>{1} || !memory.getElementType().isInteger(64))
    return op->emitOpError() << "needs a barrier of type memdesc<1xi64>, found " << type;
  return success();
}

LogicalResult verifyPositive(Operation *op, StringRef name, int64_t value, int64_t limit) {
  if (value < 1 || value > limit)
    return op->emitOpError() << name << " must be between 1 and " << limit << ", found " << value;
  return success();
}

LogicalResult verifyWaiting(Operation *op, int64_t number) {
  if (number < 0)
    return op->emitOpError() << "cannot leave " << number << " copies going on";
  return success();
}

/// What TMA can move in one go.
LogicalResult verifyBox(Operation *op, MemDescType memory, size_t coordinates) {
  ArrayRef<int64_t> box = memory.getShape();
  if (box.empty() || box.size() > 5 || coordinates != box.size())
    return op->emitOpError() << "moves boxes of 1 to 5 axes with one coordinate each, found "
                             << box.size() << " axes and " << coordinates << " coordinates";
  unsigned bits = tt::getElementBits(memory.getElementType());
  if (bits < 8)
    return op->emitOpError() << "moves elements of at least 8 bits, found "
                             << memory.getElementType();
  for (int64_t extent : box)
    if (extent > 256)
      return op->emitOpError() << "moves at most 256 elements along an axis, found " << extent;
  if (box.back() * bits / 8 % 16)
    return op->emitOpError() << "moves rows of multiples of 16 bytes, found "
                             << box.back() * bits / 8;
  return success();
}

} // namespace

LogicalResult AsyncCopyOp::verify() {
  auto pointers = cast<RankedTensorType>(getSrc().getType());
  MemDescType memory = getDst().getType();
  if (!isa_and_present<LayoutAttr>(pointers.getEncoding()))
    return emitOpError() << "needs pointers with a layout, found " << pointers;
  Type element = cast<tt::PointerType>(pointers.getElementType()).getPointeeType();
  if (pointers.getShape() != memory.getShape() || element != memory.getElementType())
    return emitOpError() << "copies to shared memory of the same shape and element type, found "
                         << pointers << " and " << memory;
  auto like = [&](Value value, Type wanted) {
    auto type = value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
    return !type || (type.getShape() == pointers.getShape() && type.getElementType() == wanted &&
                     type.getEncoding() == pointers.getEncoding());
  };
  if (!like(getMask(), IntegerType::get(getContext(), 1)))
    return emitOpError() << "needs a mask of i1 that is laid out as the pointers";
  if (!like(getOther(), element))
    return emitOpError() << "needs other elements that are laid out as the pointers";
  return success();
}

LogicalResult AsyncWaitOp::verify() { return verifyWaiting(*this, int32_t(getNum())); }
LogicalResult TmaStoreWaitOp::verify() { return verifyWaiting(*this, int32_t(getNum())); }

LogicalResult InitBarrierOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier().getType())))
    return failure();
  return verifyPositive(*this, "the count of arrivals", int32_t(getCount()), (1 << 20) - 1);
}
LogicalResult AsyncCopyArriveOp::verify() { return verifyBarrier(*this, getBarrier().getType()); }
LogicalResult InvalBarrierOp::verify() { return verifyBarrier(*this, getBarrier().getType()); }
LogicalResult WaitBarrierOp::verify() { return verifyBarrier(*this, getBarrier().getType()); }
LogicalResult BarrierExpectOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier().getType())))
    return failure();
  return verifyPositive(*this, "the number of bytes", int32_t(getBytes()), (1 << 20) - 1);
}
LogicalResult ArriveBarrierOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier().getType())))
    return failure();
  return verifyPositive(*this, "the count of arrivals", int32_t(getCount()), (1 << 20) - 1);
}

LogicalResult TensorMapOp::verify() {
  size_t rank = getBox().size();
  if (rank < 1 || rank > 5 || getShape().size() != rank || getStrides().size() != rank)
    return emitOpError() << "describes 1 to 5 axes, with an extent, a stride and a box extent each";
  for (int32_t extent : getBox())
    if (extent < 1 || extent > 256)
      return emitOpError() << "needs boxes of 1 to 256 elements along an axis, found " << extent;
  unsigned bits = tt::getElementBits(cast<tt::PointerType>(getBase().getType()).getPointeeType());
  if (bits < 8 || getBox().back() * int64_t(bits) / 8 % 16)
    return emitOpError() << "needs boxes whose rows are multiples of 16 bytes";
  return success();
}

LogicalResult TmaLoadOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier().getType())))
    return failure();
  return verifyBox(*this, getDst().getType(), getCoordinates().size());
}
LogicalResult AsyncDescriptorLoadOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier().getType())))
    return failure();
  auto type = dyn_cast<tt::TensorDescType>(getDesc().getType());
  ArrayRef<int64_t> memory = getDst().getType().getShape();
  if (!type || getIndices().size() != type.getShape().size() ||
      memory.size() > type.getShape().size() ||
      type.getShape().take_back(memory.size()) != memory ||
      llvm::any_of(type.getShape().drop_back(memory.size()),
                   [](int64_t extent) { return extent != 1; }))
    return emitOpError() << "needs a descriptor with one index for each axis, and memory of its "
                            "block's shape, found "
                         << getDesc().getType() << " and " << getDst().getType();
  return success();
}
LogicalResult TmaStoreOp::verify() {
  return verifyBox(*this, getSrc().getType(), getCoordinates().size());
}
LogicalResult TmaReduceOp::verify() {
  if (getKind() == tt::DescriptorReduceKind::INC || getKind() == tt::DescriptorReduceKind::DEC)
    return emitOpError() << "combines by add, min, max, and, or, xor";
  return verifyBox(*this, getSrc().getType(), getCoordinates().size());
}

} // namespace tl::ttg
