// SPDX-License-Identifier: MIT
#include "analysis/TensorStores.h"

#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "dialect/GpuTarget.h"
#include "dialect/Hints.h"
#include "dialect/MatrixProducts.h"
#include "dialect/ProducerWarps.h"
#include "dialect/Transfers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tl::backend {

namespace {

/// What the stores of a kernel may keep for themselves. Sums keep their whole blocks.
constexpr uint64_t mostBytesOfStores = 64 * 1024;

tt::MakeTensorDescOp descriptorOf(Operation *op) {
  return cast<tt::DescriptorAccessOpInterface>(op).getDesc().getDefiningOp<tt::MakeTensorDescOp>();
}

uint64_t bytesOf(RankedTensorType type) {
  return uint64_t(type.getNumElements()) * tt::memoryBytes(type);
}

/// Whether a store finds no memory that is free again when it comes.
bool needsOwnMemory(Operation *op) {
  const bool multiplies = op->getParentOfType<tt::FuncOp>()
                              ->walk([](Operation *other) {
                                return isa<ttg::WarpGroupDotOp, tt::DotOp>(other)
                                           ? WalkResult::interrupt()
                                           : WalkResult::advance();
                              })
                              .wasInterrupted();
  return !multiplies ||
         isAmongLastingRings(op, ttg::gpuOf(op->getParentOfType<ModuleOp>()).getWarps());
}

bool goesOn(Operation *op) {
  return isAloneInLoop(op) && (isa<tt::DescriptorReduceOp>(op) || needsOwnMemory(op));
}

unsigned countStoresThatGoOn(Operation *op) {
  unsigned count = 0;
  op->getParentOfType<tt::FuncOp>().walk(
      [&](tt::DescriptorStoreOp store) { count += goesOn(store); });
  return count;
}

/// The parts of a block of several boxes that pass through two places of `bytes` together. Half of
/// that is enough if boxes are small: rings of buffers need the memory more.
std::optional<StorePath> dividedPath(RankedTensorType type, tt::MakeTensorDescOp made,
                                     uint64_t bytes) {
  const uint64_t columns = uint64_t(type.getShape().back()), box = tensorBoxOf(made)[0],
                 columnBytes = bytesOf(type) / columns;
  uint64_t width = columns / 2;
  while (width > box && 2 * width * columnBytes > bytes / 2)
    width /= 2;
  if (width < box || 2 * width * columnBytes > bytes)
    return std::nullopt;
  std::optional<ColumnParts> parts = columnParts(ttg::layoutOf(type), unsigned(width));
  if (!parts)
    return std::nullopt;
  return StorePath{/*goesOn=*/true, std::move(parts), /*places=*/2, width * columnBytes};
}

} // namespace

StorePath storePathOf(Operation *op) {
  Value stored = cast<tt::DescriptorAccessOpInterface>(op).getStoredValue();
  auto type = cast<RankedTensorType>(stored.getType());
  StorePath whole;
  whole.placeBytes = bytesOf(type);
  whole.goesOn = goesOn(op);
  if (!whole.goesOn || isa<tt::DescriptorReduceOp>(op))
    return whole;
  const uint64_t bytes = mostBytesOfStores / countStoresThatGoOn(op);
  if (whole.placeBytes <= bytes)
    return whole;
  if (std::optional<StorePath> divided = dividedPath(type, descriptorOf(op), bytes))
    return *divided;
  whole.goesOn = false;
  return whole;
}

bool isAloneInLoop(Operation *op) {
  tt::MakeTensorDescOp made = descriptorOf(op);
  return made && comesAgain(op) &&
         !anyAfter(op, [&](Operation *other) { return mayMeet(op, other, made.getBase()); });
}

bool isAmongLastingRings(Operation *op, unsigned warps) {
  if (!ttg::mayHaveProducers(warps))
    return false;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (tt::isSet(loop, tt::flattenName) || tt::isSet(loop, tt::warpSpecializeName))
      return true;
  return false;
}

bool mayMeet(Operation *op, Operation *other, Value base) {
  const bool isGlobal = !isa<ttg::TTGDialect>(other->getDialect()) ||
                        isa<ttg::AsyncDescriptorLoadOp, ttg::AsyncCopyOp>(other);
  return other != op && isGlobal && accessesMemory(other) && mayTouch(other, ownParameterOf(base));
}

bool comesAgain(Operation *op) {
  return anyAfter(op, [&](Operation *other) { return other == op; });
}

} // namespace tl::backend
