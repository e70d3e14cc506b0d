// SPDX-License-Identifier: MIT
//
// TMA. It sees memory through a proxy of its own, so what threads have written must be fenced
// before it looks.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

namespace tl::backend::nvidia {

using llvm::Value;

namespace {

/// "{$2, $3}", and the constraints of `count` registers.
std::string coordinateList(unsigned first, size_t count, std::string &constraints) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) {
    text += (i ? ", $" : "$") + std::to_string(first + i);
    constraints += ",r";
  }
  return text + "}";
}

} // namespace

void TensorCopies::markMap(llvm::Argument &parameter) const {
  llvm::LLVMContext &context = parameter.getContext();
  auto *bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 128);
  parameter.addAttr(llvm::Attribute::getWithByValType(context, bytes));
  parameter.addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
  parameter.addAttr(llvm::Attribute::get(context, "nvvm.grid_constant"));
}

/// Without a state space the fence waits for all of the thread's accesses, as far as the second
/// cache.
void TensorCopies::order(GpuBuilder &b, bool global) const {
  emitPtx(b, b.getVoidTy(), global ? "fence.proxy.async;" : "fence.proxy.async.shared::cta;", "",
          {}, true);
}

void TensorCopies::load(GpuBuilder &b, Value *shared, Value *map,
                        llvm::ArrayRef<Value *> coordinates, Value *barrier) const {
  llvm::SmallVector<Value *> operands = {sharedAddress(b, shared), map, sharedAddress(b, barrier)};
  operands.append(coordinates.begin(), coordinates.end());
  std::string constraints = "r,l,r";
  std::string at = coordinateList(3, coordinates.size(), constraints);
  emitPtx(b, b.getVoidTy(),
          "cp.async.bulk.tensor." + std::to_string(coordinates.size()) +
              "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, " + at + "], [$2];",
          constraints, operands, true);
}

void TensorCopies::store(GpuBuilder &b, Value *map, llvm::ArrayRef<Value *> coordinates,
                         Value *shared, std::optional<tt::DescriptorReduceKind> kind) const {
  llvm::SmallVector<Value *> operands = {map, sharedAddress(b, shared)};
  operands.append(coordinates.begin(), coordinates.end());
  std::string constraints = "l,r";
  std::string at = coordinateList(2, coordinates.size(), constraints);
  std::string text = kind ? "cp.reduce.async.bulk.tensor." : "cp.async.bulk.tensor.";
  text += std::to_string(coordinates.size()) + "d.global.shared::cta.";
  if (kind)
    text += tt::stringifyDescriptorReduceKind(*kind).str() + ".tile.";
  emitPtx(b, b.getVoidTy(),
          text + "bulk_group [$0, " + at + "], [$1];\n\tcp.async.bulk.commit_group;", constraints,
          operands, true);
}

void TensorCopies::waitForStores(GpuBuilder &b, unsigned groups, bool onlyRead) const {
  emitPtx(b, b.getVoidTy(),
          std::string("cp.async.bulk.wait_group") + (onlyRead ? ".read " : " ") +
              std::to_string(groups) + ";",
          "", {}, true);
}

/// TMA writes past the first cache: what lies there is dropped.
void TensorCopies::acceptStores(GpuBuilder &b) const {
  emitPtx(b, b.getVoidTy(), "fence.proxy.async;\n\tfence.acq_rel.gpu;", "", {}, true);
}

void TensorCopies::prefetchMap(GpuBuilder &b, Value *map) const {
  emitPtx(b, b.getVoidTy(), "prefetch.tensormap [$0];", "l", {map}, true);
}

} // namespace tl::backend::nvidia
