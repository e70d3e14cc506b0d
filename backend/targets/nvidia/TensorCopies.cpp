// SPDX-License-Identifier: MIT
//
// TMA. It sees memory through a proxy of its own, so what threads have written must be fenced
// before it looks.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// LLVM's name for copies of boxes of this number of axes, with no offsets.
Intrinsic::ID storeIntrinsic(size_t rank, std::optional<tt::DescriptorReduceKind> kind) {
  std::string how = kind ? "reduce." + tt::stringifyDescriptorReduceKind(*kind).str() : "s2g";
  return Intrinsic::lookupIntrinsicID("llvm.nvvm.cp.async.bulk.tensor." + how + ".tile." +
                                      std::to_string(rank) + "d");
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
  b.CreateIntrinsic(global ? Intrinsic::nvvm_fence_proxy_async
                           : Intrinsic::nvvm_fence_proxy_async_shared_cta,
                    {});
}

void TensorCopies::load(GpuBuilder &b, Value *shared, Value *map,
                        llvm::ArrayRef<Value *> coordinates, Value *barrier) const {
  emitBoxLoad(b, "", {sharedAddress(b, shared), map, sharedAddress(b, barrier)}, coordinates);
}

void TensorCopies::store(GpuBuilder &b, Value *map, llvm::ArrayRef<Value *> coordinates,
                         Value *shared, std::optional<tt::DescriptorReduceKind> kind) const {
  llvm::SmallVector<Value *> operands = {shared, map};
  operands.append(coordinates.begin(), coordinates.end());
  operands.append({b.getInt64(0), b.getFalse()}); // no hint for the cache
  b.CreateIntrinsic(storeIntrinsic(coordinates.size(), kind), operands);
  b.CreateIntrinsic(Intrinsic::nvvm_cp_async_bulk_commit_group, {});
}

void TensorCopies::waitForStores(GpuBuilder &b, unsigned groups, bool onlyRead) const {
  b.CreateIntrinsic(onlyRead ? Intrinsic::nvvm_cp_async_bulk_wait_group_read
                             : Intrinsic::nvvm_cp_async_bulk_wait_group,
                    {b.getInt32(groups)});
}

/// TMA writes past the first cache: what lies there is dropped.
void TensorCopies::acceptStores(GpuBuilder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_fence_proxy_async, {});
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                b.getContext().getOrInsertSyncScopeID("device"));
}

/// Inline PTX: LLVM takes its intrinsic for a read without a use, which it removes.
void TensorCopies::prefetchMap(GpuBuilder &b, Value *map) const {
  emitPtx(b, b.getVoidTy(), "prefetch.tensormap [$0];", "l", {map}, true);
}

} // namespace tl::backend::nvidia
