// SPDX-License-Identifier: MIT
//
// Blocks of described tensors by TMA. A descriptor becomes a tensor map of 128 bytes: of one that
// is made of parameters and constants the launch makes the map, once for all programs, and the
// kernel has it as a parameter; any other each program writes to global memory. A load starts the
// copy of its box, and where the first value is used the threads wait at a barrier in shared memory
// and read the box into registers; a store goes the other way (analysis/TensorStores.h), and one
// thread waits until the copy has been written, at once or when the store comes again. Elements
// outside of the tensor come as padding and are left out of stores, as TMA does it by itself; an
// axis without elements is described as one of one element, and boxes are moved beyond it.
//
// What the hardware does not check, and stops or writes beside the tensor: the last index of an
// access, the last extent of what is written, base and strides are multiples of 16 bytes.
// RewriteDescriptors leaves only descriptors of which that is proven.
#include "lowering/Descriptors.h"

#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "analysis/TensorStores.h"
#include "dialect/Context.h"
#include "dialect/Hints.h"
#include "dialect/MatrixProducts.h"
#include "dialect/Transfers.h"
#include "layout/NamedLayouts.h"
#include "lowering/Access.h"
#include "lowering/SharedTensors.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// A coordinate beyond an axis of one element, and a multiple of 16 bytes for any element.
constexpr int64_t beyondOne = 16;

/// Bytes of boxes that are on their way at the same time; more would leave too little shared memory
/// for everything else, or for a second program on a multiprocessor.
constexpr uint64_t mostBytesOnTheirWay = 64 * 1024;

/// Whether an operation is in no loop.
bool runsOnce(mlir::Operation *op) {
  for (; !mlir::isa<tt::FuncOp>(op); op = op->getParentOp())
    if (mlir::isa<mlir::LoopLikeOpInterface>(op) || !op->getParentRegion()->hasOneBlock())
      return false;
  return true;
}

/// Accesses by TMA, all of which one thread starts, each after those before it are done.
bool isTensorCopy(mlir::Operation *op) { return mlir::isa<tt::DescriptorAccessOpInterface>(op); }

/// Whether threads may have written what the copy of the descriptor's base is about to read or
/// write.
bool mayFollowWrite(mlir::Operation *op, mlir::Value base) {
  mlir::Value parameter = ownParameterOf(base);
  return anyBefore(op, [&](mlir::Operation *other) {
    return !isTensorCopy(other) && mayWrite(other, parameter);
  });
}

// ---- Tensor maps

/// Base and strides, which the operations count in elements, of a map to be written.
TensorMap startTensorMap(KernelLowering &kernel, mlir::Value base, mlir::ValueRange strides,
                         mlir::Type element) {
  auto &b = kernel.builder;
  TensorMap parts;
  parts.base = kernel.scalar(base);
  Value *bytes = b.getInt64(memoryBytes(element));
  for (mlir::Value stride : llvm::reverse(strides.drop_back()))
    parts.strides.push_back(b.CreateMul(kernel.scalar(stride), bytes));
  return parts;
}

/// One warp writes the map by way of shared memory.
void writeTensorMap(KernelLowering &kernel, Value *map, const TensorMap &parts) {
  auto &b = kernel.builder;
  if (!kernel.target.tensorMaps)
    raise(TL_INTERNAL_ERROR, "a tensor map is made for a target without them");
  Scratch scratch = kernel.shared.acquire(128, 128);
  kernel.emitIf(kernel.warps == 1 ? nullptr : b.CreateICmpEQ(kernel.threads.warp, kernel.i32(0)),
                [&] {
                  kernel.target.tensorMaps->write(b, map, kernel.shared.pointer(scratch.begin),
                                                  kernel.threads.lane, parts);
                });
  kernel.shared.release(scratch);
}

void emitTensorMap(KernelLowering &kernel, ttg::TensorMapOp op) {
  if (!kernel.target.tensorMaps)
    kernel.unsupported(op, "cannot make tensor maps");
  mlir::Type element = mlir::cast<tt::PointerType>(op.getBase().getType()).getPointeeType();
  TensorMap parts = startTensorMap(kernel, op.getBase(), op.getStrides(), element);
  parts.element = tensorElementOf(element, false);
  for (mlir::Value extent : llvm::reverse(op.getShape()))
    parts.extents.push_back(kernel.scalar(extent));
  for (int32_t extent : llvm::reverse(op.getBox()))
    parts.box.push_back(unsigned(extent));
  parts.padWithNan = op.getNan();
  writeTensorMap(kernel, kernel.scalar(op.getMap()), parts);
}

} // namespace

void DescriptorLowering::listMaps(KernelLowering &kernel) {
  HiddenParameters &hidden = kernel.hidden;
  kernel.function.walk([&](tt::MakeTensorDescOp op) {
    std::optional<TensorMapRecipe> recipe = tensorMapRecipeOf(op);
    if (!recipe || hidden.tensorMaps.size() == mostTensorMaps) {
      hidden.globalBytes += 128;
      return;
    }
    givenMaps[op] = unsigned(hidden.tensorMaps.size());
    hidden.tensorMaps.push_back(std::move(*recipe));
  });
}

void DescriptorLowering::enter(KernelLowering &kernel, unsigned first) {
  firstMap = first;
  for (unsigned i = 0; i < kernel.hidden.tensorMaps.size(); ++i)
    kernel.target.tensorCopies->markMap(*kernel.code->getArg(firstMap + i));
}

/// Memory from which TMA stores a block, or a part of it. The hardware's swizzle counts from
/// multiples of 1024 bytes.
static Scratch acquirePlace(KernelLowering &kernel, mlir::Operation *op, const StorePath &path) {
  auto access = mlir::cast<tt::DescriptorAccessOpInterface>(op);
  auto made = access.getDesc().getDefiningOp<tt::MakeTensorDescOp>();
  return kernel.shared.acquire(path.placeBytes, swizzleBytesOf(made) ? 1024 : 128, false,
                               /*written=*/false);
}

void DescriptorLowering::keepPlaces(KernelLowering &kernel) {
  kernel.function.walk([&](tt::DescriptorAccessOpInterface op) {
    if (!op.getStoredValue())
      return;
    const StorePath path = storePathOf(op);
    if (!path.goesOn)
      return;
    for (unsigned i = 0; i < path.places; ++i)
      places[op].push_back(acquirePlace(kernel, op, path));
    lasting.insert(lasting.end(), places[op].begin(), places[op].end());
  });
}

/// Until all but the last `pending` copies that this thread has started have been read or, if not
/// `onlyRead`, written.
static void waitForStores(KernelLowering &kernel, unsigned pending, bool onlyRead) {
  kernel.emitIf(kernel.threads.isFirstThread(), [&] {
    kernel.target.tensorCopies->waitForStores(kernel.builder, pending, onlyRead);
  });
}

void DescriptorLowering::leave(KernelLowering &kernel) {
  if (!places.empty())
    waitForStores(kernel, 0, true);
  for (Scratch scratch : lasting)
    kernel.shared.reads(scratch);
}

// ---- Boxes

void DescriptorLowering::makeDescriptor(KernelLowering &kernel, tt::MakeTensorDescOp op) {
  auto &b = kernel.builder;
  tt::TensorDescType type = op.getType();
  Values extents;
  Descriptor descriptor;
  descriptor.base = op.getBase();
  for (mlir::Value shape : llvm::reverse(op.getShape())) {
    Value *extent = kernel.scalar(shape);
    descriptor.isEmpty.push_back(b.CreateICmpSLT(extent, kernel.i32(1)));
    extents.push_back(b.CreateSelect(descriptor.isEmpty.back(), kernel.i32(1), extent));
  }
  if (auto given = givenMaps.find(op); given != givenMaps.end()) {
    descriptor.map = kernel.code->getArg(firstMap + given->second);
    kernel.emitIf(kernel.threads.isFirstThread(),
                  [&] { kernel.target.tensorCopies->prefetchMap(b, descriptor.map); });
  } else {
    mlir::Type element = type.getSignlessBlockType().getElementType();
    TensorMap parts = startTensorMap(kernel, op.getBase(), op.getStrides(), element);
    parts.element = tensorElementOf(element, type.getElementType().isUnsignedInteger());
    parts.extents.assign(extents.begin(), extents.end());
    for (uint32_t extent : tensorBoxOf(op))
      parts.box.push_back(extent);
    parts.swizzleBytes = swizzleBytesOf(op);
    parts.padWithNan = op.getPadding() == tt::PaddingOption::PAD_NAN;
    descriptor.map = b.CreateConstGEP1_64(b.getInt8Ty(), kernel.workspace, 128 * writtenMaps++);
    writeTensorMap(kernel, descriptor.map, parts);
  }
  descriptors[op] = std::move(descriptor);
}

/// From the last axis to the first. An axis without elements is described as one of one element.
Values DescriptorLowering::coordinates(KernelLowering &kernel, const Descriptor &descriptor,
                                       mlir::ValueRange indices) const {
  Values coordinates;
  for (mlir::Value index : llvm::reverse(indices))
    coordinates.push_back(kernel.builder.CreateSelect(descriptor.isEmpty[coordinates.size()],
                                                      kernel.i32(beyondOne), kernel.scalar(index)));
  return coordinates;
}

/// Starts the copy. It is waited for where a value of the box is first used, so that the copies of
/// neighbouring loads run side by side.
void DescriptorLowering::load(KernelLowering &kernel, tt::DescriptorLoadOp op) {
  auto &b = kernel.builder;
  const Descriptor &descriptor = descriptors.find(op.getDesc())->second;
  uint64_t bytes = memoryBytes(op.getType().getElementType());
  for (int64_t extent : mlir::cast<tt::TensorDescType>(op.getDesc().getType()).getShape())
    bytes *= uint64_t(extent);
  uint64_t onTheirWay = bytes;
  for (const Box &box : boxes)
    onTheirWay += box.memory.end - box.memory.begin;
  if (onTheirWay > mostBytesOnTheirWay)
    finishBoxes(kernel);
  Scratch memory = kernel.shared.acquire(bytes, 128, false, /*written=*/false);
  Scratch arrival = kernel.shared.acquire(8, 16, false, /*written=*/false);
  Values coordinates = this->coordinates(kernel, descriptor, op.getIndices());
  // What the threads have written to global memory, and where the box will lie, comes before.
  kernel.target.tensorCopies->order(b, mayFollowWrite(op, descriptor.base));
  orderBuffer(kernel, descriptor.base, false);
  kernel.shared.mark(SharedEventKind::Start, memory);
  // The thread that makes the barrier starts the copy; the others come to it while that runs.
  kernel.shared.writes(arrival);
  kernel.emitIf(kernel.threads.isFirstThread(), [&] {
    kernel.target.sharedBarriers->init(b, kernel.shared.pointer(arrival.begin), 1);
    kernel.target.sharedBarriers->expect(b, kernel.shared.pointer(arrival.begin), unsigned(bytes));
    kernel.target.tensorCopies->load(b, kernel.shared.pointer(memory.begin), descriptor.map,
                                     coordinates, kernel.shared.pointer(arrival.begin));
  });
  boxes.push_back({op, memory, arrival});
}

/// A box is as wide as a pattern of the swizzle; those side by side lie one after the other.
void DescriptorLowering::copy(KernelLowering &kernel, ttg::AsyncDescriptorLoadOp op) {
  auto &b = kernel.builder;
  auto described = op.getDesc().getDefiningOp<tt::MakeTensorDescOp>();
  if (!described)
    kernel.unsupported(op, "copies only blocks of descriptors that the kernel makes");
  const Descriptor &descriptor = descriptors.find(op.getDesc())->second;
  LocalTensor memory = kernel.locals->tensors.lookup(op.getDst());
  LocalTensor barrier = kernel.locals->tensors.lookup(op.getBarrier());
  auto type = mlir::cast<ttg::MemDescType>(op.getDst().getType());
  std::vector<uint32_t> box = tensorBoxOf(described);
  const int64_t width = box[0], rowElements = type.getShape().back();
  const Shape shape(type.getShape().begin(), type.getShape().end());
  if (shape.size() != 2 ||
      type.getLayout().getMap() != hardwareSwizzledShared(shape, {1, 0},
                                                          memoryBytes(type.getElementType()) * 8,
                                                          swizzleBytesOf(described)))
    kernel.unsupported(op, "copies blocks only to memory with the swizzle of the descriptor");
  uint64_t bytes = memoryBytes(type.getElementType());
  for (uint32_t extent : box)
    bytes *= extent;
  Values coordinates = this->coordinates(kernel, descriptor, op.getIndices());
  // Of several blocks each has a part of the rows, which one box has as well.
  const unsigned blocks = tt::blocksOf(op, tt::multicastName);
  Value *moved = memory.moved;
  if (blocks > 1) {
    if (!kernel.target.clusters)
      kernel.unsupported(op, "has no clusters of blocks");
    Value *rank = kernel.target.clusters->block(b);
    coordinates[1] = b.CreateAdd(coordinates[1], b.CreateMul(rank, kernel.i32(box[1])));
    Value *part = b.CreateMul(rank, kernel.i32(int64_t(bytes)));
    moved = moved ? b.CreateAdd(moved, part) : part;
    bytes *= blocks;
  }
  if (mayFollowWrite(op, descriptor.base))
    kernel.target.tensorCopies->order(b, true);
  orderBuffer(kernel, descriptor.base, false);
  kernel.shared.reads(barrier.scratch);
  kernel.emitIf(kernel.threads.isFirstThread(), [&] {
    Value *arrival = kernel.shared.pointer(barrier.scratch.begin, barrier.moved);
    Value *first = coordinates[0];
    for (int64_t at = 0; at < rowElements; at += width) {
      coordinates[0] = b.CreateAdd(first, kernel.i32(at));
      uint64_t to = memory.scratch.begin + uint64_t(at / width) * bytes;
      if (blocks > 1)
        kernel.target.clusters->load(b, kernel.shared.pointer(to, moved), descriptor.map,
                                     coordinates, arrival, blocks);
      else
        kernel.target.tensorCopies->load(b, kernel.shared.pointer(to, moved), descriptor.map,
                                         coordinates, arrival);
    }
  });
}

void DescriptorLowering::finishBoxes(KernelLowering &kernel) {
  for (const Box &box : std::exchange(boxes, {}))
    finish(kernel, box);
}

void DescriptorLowering::finish(KernelLowering &kernel, const Box &box) {
  auto &b = kernel.builder;
  tt::DescriptorLoadOp op = box.op;
  kernel.shared.reads(box.arrival);
  kernel.target.sharedBarriers->wait(b, kernel.shared.pointer(box.arrival.begin), kernel.i32(0));
  SharedEvent arrived{SharedEventKind::Arrive};
  arrived.buffer = box.memory.buffer();
  kernel.shared.mark(arrived);
  kernel.shared.reads(box.memory);
  // The tensor may lack leading axes of the block; rows lie the same.
  Shape tensor(op.getType().getShape().begin(), op.getType().getShape().end());
  kernel.set(op, loadShared(kernel, ttg::layoutOf(op.getType()),
                            rowMajorShared(tensor, lastAxisFirst(unsigned(tensor.size()))),
                            box.memory.begin, op.getType().getElementType()));
  kernel.shared.release(box.memory);
  if (runsOnce(op)) {
    // Nothing else ever lies where the barrier is.
    lasting.push_back(box.arrival);
    return;
  }
  // It may be used for something else once all have seen the phase end.
  kernel.shared.writes(box.arrival);
  kernel.emitInFirstThread(kernel.shared.pointer(box.arrival.begin), [&](Value *arrival) {
    kernel.target.sharedBarriers->invalidate(b, arrival);
  });
}

bool DescriptorLowering::needsBoxes(mlir::Operation *op) const {
  if (boxes.empty())
    return false;
  // Operands that multiply-adds read from shared memory have nothing to do with boxes.
  bool apart = mlir::isa<ttg::LocalAllocOp, ttg::LocalDotOp>(op);
  if (op->getNumRegions() != 0 ||
      (accessesMemory(op) && !apart && !mlir::isa<tt::DescriptorLoadOp>(op)))
    return true;
  return llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
    return llvm::any_of(boxes, [&](Box box) { return box.op == operand.getDefiningOp(); });
  });
}

void DescriptorLowering::store(KernelLowering &kernel, mlir::Operation *op, mlir::Value described,
                               mlir::ValueRange indices, mlir::Value source,
                               std::optional<tt::DescriptorReduceKind> kind) {
  auto &b = kernel.builder;
  const Descriptor &descriptor = descriptors.find(described)->second;
  auto made = described.getDefiningOp<tt::MakeTensorDescOp>();
  auto type = mlir::cast<mlir::RankedTensorType>(source.getType());
  mlir::Type element = type.getElementType();
  Shape tensor(type.getShape().begin(), type.getShape().end());
  const unsigned bytes = memoryBytes(element), swizzle = swizzleBytesOf(made);
  const std::vector<uint32_t> extents = tensorBoxOf(made);
  const uint64_t boxBytes = llvm::accumulate(extents, uint64_t(bytes), std::multiplies<>());
  const StorePath path = storePathOf(op);
  const unsigned parts = path.parts ? unsigned(path.parts->registers.size()) : 1;
  const int64_t columns = tensor.back() / parts;
  Shape part = tensor;
  part.back() = columns;
  const std::vector<unsigned> order = lastAxisFirst(unsigned(tensor.size()));
  const LinearLayout layout = swizzle ? hardwareSwizzledShared(part, order, bytes * 8, swizzle)
                                      : rowMajorShared(part, order);
  const Values registers = kernel.get(source), first = coordinates(kernel, descriptor, indices);
  // Who comes after it to the same memory finds it written. If that is the store itself, in the
  // next iteration of a loop, it waits there; at the end of the kernel writes are waited for in any
  // case.
  const auto comesAfter = [&](mlir::Operation *other) {
    return mayMeet(op, other, descriptor.base);
  };
  const bool isAwaited = anyAfter(op, comesAfter), isRepeated = comesAgain(op);
  std::vector<Scratch> own =
      path.goesOn ? places.find(op)->second : std::vector{acquirePlace(kernel, op, path)};
  for (unsigned number = 0; number < parts; ++number) {
    const Scratch place = own[number % own.size()];
    if (path.goesOn && number == 0) {
      waitForStores(kernel, 0, kind.has_value());
      for (Scratch free : own)
        kernel.shared.reads(free);
    } else if (number >= own.size()) {
      waitForStores(kernel, unsigned(own.size() - 1) * unsigned(columns / extents[0]), true);
      kernel.shared.reads(place);
    }
    kernel.shared.writes(place);
    if (path.parts) {
      Values held;
      for (unsigned reg : path.parts->registers[number])
        held.push_back(registers[reg]);
      storeShared(kernel, held, path.parts->layout, layout, place.begin, element);
    } else {
      storeShared(kernel, registers, ttg::layoutOf(type), layout, place.begin, element);
    }
    kernel.target.tensorCopies->order(b, mayFollowWrite(op, descriptor.base));
    kernel.shared.reads(place);
    // Marked where the write is: a barrier for the place must not count as one after it.
    orderBuffer(kernel, descriptor.base, true);
    kernel.emitInFirstThread(kernel.shared.pointer(place.begin), [&](Value *from) {
      if (isRepeated && !path.goesOn && !isAwaited && !kind)
        kernel.target.tensorCopies->waitForStores(b, 0, false);
      // A box is as wide as a pattern of the swizzle; those side by side lie one after the other.
      Values to = first;
      for (int64_t at = 0; at < columns; at += extents[0]) {
        to[0] = b.CreateAdd(first[0], kernel.i32(number * columns + at));
        Value *box =
            b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), from, uint64_t(at / extents[0]) * boxBytes);
        kernel.target.tensorCopies->store(b, descriptor.map, to, box, kind);
      }
      if (!path.goesOn)
        kernel.target.tensorCopies->waitForStores(b, 0, !isAwaited);
    });
  }
  if (path.goesOn)
    return;
  kernel.shared.release(own.front());
  if (anyAfter(op,
               [&](mlir::Operation *other) { return !isTensorCopy(other) && comesAfter(other); })) {
    kernel.shared.barrier();
    kernel.target.tensorCopies->acceptStores(b);
  }
}

// ---- Operations

static void emitMakeDescriptor(KernelLowering &kernel, tt::MakeTensorDescOp op) {
  kernel.descriptors->makeDescriptor(kernel, op);
}

static void emitDescriptorLoad(KernelLowering &kernel, tt::DescriptorLoadOp op) {
  kernel.descriptors->load(kernel, op);
}

static void emitAsyncLoad(KernelLowering &kernel, ttg::AsyncDescriptorLoadOp op) {
  kernel.descriptors->copy(kernel, op);
}

static void emitDescriptorStore(KernelLowering &kernel, tt::DescriptorStoreOp op) {
  kernel.descriptors->store(kernel, op, op.getDesc(), op.getIndices(), op.getSrc(), std::nullopt);
}

static void emitDescriptorReduce(KernelLowering &kernel, tt::DescriptorReduceOp op) {
  kernel.descriptors->store(kernel, op, op.getDesc(), op.getIndices(), op.getSrc(), op.getKind());
}

void registerDescriptors(OperationTable &table) {
  table.add<emitAsyncLoad>();
  table.add<emitDescriptorLoad>();
  table.add<emitDescriptorReduce>();
  table.add<emitDescriptorStore>();
  table.add<emitMakeDescriptor>();
  table.add<emitTensorMap>();
}

} // namespace tl::backend
