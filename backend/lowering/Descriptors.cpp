// SPDX-License-Identifier: MIT
//
// Blocks of described tensors by the copy unit. A descriptor becomes a tensor map of 128 bytes: of
// one that is made of parameters and constants the launch makes the map, once for all programs, and
// the kernel has it as a parameter; any other each program writes to global memory. A load asks the
// unit for its box, and where the first value is used the threads wait at a barrier in shared
// memory and read the box into registers; a store goes the other way, and one thread waits until
// the unit has written. Elements outside of the tensor come as padding and are left out of stores,
// as the unit does it by itself; an axis without elements is described as one of one element, and
// boxes are moved behind it.
//
// What the hardware does not check, and stops or writes beside the tensor: the last index of an
// access, the last extent of what is written, base and strides are multiples of 16 bytes.
// RewriteDescriptors leaves only descriptors of which that is proven.
#include "lowering/GpuLowering.h"

#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "dialect/Transfers.h"
#include "layout/NamedLayouts.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// A coordinate behind an axis of one element, and a multiple of 16 bytes for any element.
constexpr int64_t behindOne = 16;

/// Bytes of boxes that are under way at the same time; more would leave too little shared memory
/// for everything else, or for a second program on the GPU.
constexpr uint64_t mostBytesUnderWay = 64 * 1024;

/// Whether an operation is in no loop.
bool runsOnce(mlir::Operation *op) {
  for (; !mlir::isa<tt::FuncOp>(op); op = op->getParentOp())
    if (mlir::isa<mlir::LoopLikeOpInterface>(op) || !op->getParentRegion()->hasOneBlock())
      return false;
  return true;
}

/// Accesses by the copy unit, all of which one thread starts, each after those before it are done.
bool isBoxCopy(mlir::Operation *op) {
  return mlir::isa<tt::DescriptorLoadOp, tt::DescriptorStoreOp, tt::DescriptorReduceOp>(op);
}

/// Whether threads may have written what the copy unit is about to read or write.
bool mayFollowWrite(mlir::Operation *op) {
  return anyBefore(op,
                   [](mlir::Operation *other) { return !isBoxCopy(other) && writesMemory(other); });
}

} // namespace

/// Which maps the launch makes, and how much memory the others need.
void GpuLowering::listTensorMaps() {
  function.walk([&](tt::MakeTensorDescOp op) {
    std::optional<TensorMapRecipe> recipe = tensorMapRecipeOf(op);
    if (!recipe || hidden.tensorMaps.size() == mostTensorMaps) {
      hidden.globalBytes += 128;
      return;
    }
    givenMaps[op] = unsigned(hidden.tensorMaps.size());
    hidden.tensorMaps.push_back(std::move(*recipe));
  });
}

/// Base and strides, which the operations count in elements, of a map to be written.
TensorMap GpuLowering::startTensorMap(mlir::Value base, mlir::ValueRange strides,
                                      mlir::Type element) {
  TensorMap parts;
  parts.base = scalar(base);
  Value *bytes = builder.getInt64(memoryBytes(element));
  for (mlir::Value stride : llvm::reverse(strides.drop_back()))
    parts.strides.push_back(builder.CreateMul(scalar(stride), bytes));
  return parts;
}

/// One warp writes the map by way of shared memory.
void GpuLowering::writeTensorMap(Value *map, const TensorMap &parts) {
  if (!target.hasTensorMaps())
    llvm::report_fatal_error("a tensor map is made for a target without them");
  Scratch scratch = acquire(128, 128);
  emitIf(options.numWarps == 1 ? nullptr : builder.CreateICmpEQ(warp, i32(0)),
         [&] { target.tensorMap(builder, map, sharedPointer(scratch.begin), lane, parts); });
  release(scratch);
}

void GpuLowering::emitTensorMap(ttg::TensorMapOp op) {
  if (!target.hasTensorMaps())
    unsupported(op, "cannot make tensor maps");
  mlir::Type element = mlir::cast<tt::PointerType>(op.getBase().getType()).getPointeeType();
  TensorMap parts = startTensorMap(op.getBase(), op.getStrides(), element);
  parts.element = tensorElementOf(element, false);
  for (mlir::Value extent : llvm::reverse(op.getShape()))
    parts.extents.push_back(scalar(extent));
  for (int32_t extent : llvm::reverse(op.getBox()))
    parts.box.push_back(unsigned(extent));
  parts.padWithNan = op.getNan();
  writeTensorMap(scalar(op.getMap()), parts);
}

void GpuLowering::emitMakeDescriptor(tt::MakeTensorDescOp op) {
  tt::TensorDescType type = op.getType();
  Values extents;
  Descriptor descriptor;
  descriptor.base = op.getBase();
  for (mlir::Value shape : llvm::reverse(op.getShape())) {
    Value *extent = scalar(shape);
    descriptor.isEmpty.push_back(builder.CreateICmpSLT(extent, i32(1)));
    extents.push_back(builder.CreateSelect(descriptor.isEmpty.back(), i32(1), extent));
  }
  if (auto given = givenMaps.find(op); given != givenMaps.end()) {
    descriptor.map = code->getArg(firstMap + given->second);
    emitIf(isFirstThread(), [&] { target.prefetchTensorMap(builder, descriptor.map); });
  } else {
    mlir::Type element = type.getSignlessBlockType().getElementType();
    TensorMap parts = startTensorMap(op.getBase(), op.getStrides(), element);
    parts.element = tensorElementOf(element, type.getElementType().isUnsignedInteger());
    parts.extents.assign(extents.begin(), extents.end());
    for (int64_t extent : llvm::reverse(type.getShape()))
      parts.box.push_back(unsigned(extent));
    parts.padWithNan = op.getPadding() == tt::PaddingOption::PAD_NAN;
    descriptor.map =
        builder.CreateConstGEP1_64(builder.getInt8Ty(), workspace, 128 * writtenMaps++);
    writeTensorMap(descriptor.map, parts);
  }
  descriptors[op] = std::move(descriptor);
}

/// From the last axis to the first. An axis without elements is described as one of one element.
GpuLowering::Values GpuLowering::boxCoordinates(mlir::Value descriptor, mlir::ValueRange indices) {
  const Values &isEmpty = descriptors.find(descriptor)->second.isEmpty;
  Values coordinates;
  for (mlir::Value index : llvm::reverse(indices))
    coordinates.push_back(
        builder.CreateSelect(isEmpty[coordinates.size()], i32(behindOne), scalar(index)));
  return coordinates;
}

/// Starts the copy. It is waited for where a value of the box is first used, so that the copies of
/// neighbouring loads run side by side.
void GpuLowering::emitDescriptorLoad(tt::DescriptorLoadOp op) {
  const Descriptor &descriptor = descriptors.find(op.getDesc())->second;
  uint64_t bytes = memoryBytes(op.getType().getElementType());
  for (int64_t extent : mlir::cast<tt::TensorDescType>(op.getDesc().getType()).getShape())
    bytes *= uint64_t(extent);
  uint64_t underWay = bytes;
  for (const BoxUnderWay &load : boxesUnderWay)
    underWay += load.box.end - load.box.begin;
  if (underWay > mostBytesUnderWay)
    finishBoxes();
  Scratch box = acquire(bytes, 128, false, /*written=*/false);
  Scratch arrival = acquire(8, 16, false, /*written=*/false);
  Values coordinates = boxCoordinates(op.getDesc(), op.getIndices());
  // What the threads have written to global memory, and where the box will lie, comes before.
  target.orderTensorCopies(builder, mayFollowWrite(op));
  orderAccess(descriptor.base, false);
  mark(accessOf(SharedEventKind::Start, box.begin, box.end, false));
  // The thread that makes the barrier starts the copy; the others meet it there while that runs.
  writes(arrival);
  emitIf(isFirstThread(), [&] {
    target.barrierInit(builder, sharedPointer(arrival.begin), 1);
    target.barrierExpect(builder, sharedPointer(arrival.begin), unsigned(bytes));
    target.tensorLoad(builder, sharedPointer(box.begin), descriptor.map, coordinates,
                      sharedPointer(arrival.begin));
  });
  boxesUnderWay.push_back({op, box, arrival});
}

void GpuLowering::finishBoxes() {
  for (const BoxUnderWay &load : std::exchange(boxesUnderWay, {}))
    finishBox(load);
}

void GpuLowering::finishBox(const BoxUnderWay &load) {
  tt::DescriptorLoadOp op = load.op;
  reads(load.arrival);
  target.barrierWait(builder, sharedPointer(load.arrival.begin), i32(0));
  SharedEvent arrived{SharedEventKind::Arrive};
  arrived.buffer = unsigned(load.box.begin >> 32);
  mark(arrived);
  reads(load.box);
  // The tensor may lack leading axes of the block; rows lie the same.
  Shape tensor(op.getType().getShape().begin(), op.getType().getShape().end());
  set(op, loadShared(ttg::layoutOf(op.getType()),
                     rowMajorShared(tensor, lastAxisFirst(unsigned(tensor.size()))), load.box.begin,
                     op.getType().getElementType()));
  release(load.box);
  if (runsOnce(op)) {
    // Nothing else ever lies where the barrier is.
    lasting.push_back(load.arrival);
    return;
  }
  // It may be used for something else once all have seen the phase end.
  writes(load.arrival);
  emitIf(isFirstThread(),
         [&] { target.barrierInvalidate(builder, sharedPointer(load.arrival.begin)); });
}

/// Whether boxes must have arrived before an operation: it uses one, or may write where they are
/// read, or contains others.
bool GpuLowering::needsBoxes(mlir::Operation *op) {
  if (boxesUnderWay.empty())
    return false;
  if (op->getNumRegions() != 0 || (accessesMemory(op) && !mlir::isa<tt::DescriptorLoadOp>(op)))
    return true;
  return llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
    return llvm::any_of(
        boxesUnderWay, [&](const BoxUnderWay &load) { return load.op == operand.getDefiningOp(); });
  });
}

void GpuLowering::emitDescriptorStore(mlir::Operation *op) {
  auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(op);
  auto reduce = mlir::dyn_cast<tt::DescriptorReduceOp>(op);
  mlir::Value described = store ? store.getDesc() : reduce.getDesc();
  mlir::Value source = store ? store.getSrc() : reduce.getSrc();
  mlir::ValueRange indices = store ? store.getIndices() : reduce.getIndices();
  const Descriptor &descriptor = descriptors.find(described)->second;
  auto type = mlir::cast<mlir::RankedTensorType>(source.getType());
  mlir::Type element = type.getElementType();
  Shape tensor(type.getShape().begin(), type.getShape().end());
  Scratch box = acquire(uint64_t(type.getNumElements()) * memoryBytes(element), 128);
  storeShared(get(source), ttg::layoutOf(type),
              rowMajorShared(tensor, lastAxisFirst(unsigned(tensor.size()))), box.begin, element);
  Values coordinates = boxCoordinates(described, indices);
  target.orderTensorCopies(builder, mayFollowWrite(op));
  reads(box);
  // Marked where the write is: a barrier for the box must not count as one behind it.
  orderAccess(descriptor.base, true);
  std::optional<tt::DescriptorReduceKind> kind;
  if (reduce)
    kind = reduce.getKind();
  // At the end of the kernel the writes are waited for in any case.
  bool isLast = !anyAfter(op, accessesMemory);
  emitIf(isFirstThread(), [&] {
    target.tensorStore(builder, descriptor.map, coordinates, sharedPointer(box.begin), kind);
    target.tensorStoreWait(builder, 0, isLast);
  });
  release(box);
  if (anyAfter(op,
               [](mlir::Operation *other) { return !isBoxCopy(other) && accessesMemory(other); })) {
    barrier();
    target.acceptTensorStores(builder);
  }
}

bool GpuLowering::emitDescriptor(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(op)
      .Case([&](ttg::TensorMapOp map) { return emitTensorMap(map), true; })
      .Case([&](tt::MakeTensorDescOp make) { return emitMakeDescriptor(make), true; })
      .Case([&](tt::DescriptorLoadOp load) { return emitDescriptorLoad(load), true; })
      .Case<tt::DescriptorStoreOp, tt::DescriptorReduceOp>(
          [&](mlir::Operation *store) { return emitDescriptorStore(store), true; })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tl::backend
