// SPDX-License-Identifier: MIT
//
// cp.async, by LLVM's intrinsics. Copies of whole lines pass by the first cache.
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

bool AsyncCopies::canCopy(unsigned bytes) const { return bytes == 4 || bytes == 8 || bytes == 16; }

void AsyncCopies::copy(GpuBuilder &b, Value *shared, const GlobalAccess &access) const {
  unsigned bytes = access.elementBytes * access.elements;
  Value *global = b.CreateAddrSpaceCast(access.pointer, b.getPtrTy(1));
  if (!access.predicate) {
    b.CreateIntrinsic(bytes == 16  ? Intrinsic::nvvm_cp_async_cg_shared_global_16
                      : bytes == 8 ? Intrinsic::nvvm_cp_async_ca_shared_global_8
                                   : Intrinsic::nvvm_cp_async_ca_shared_global_4,
                      {shared, global});
    return;
  }
  // What is not read is filled with zeros.
  Value *read = b.CreateSelect(access.predicate, b.getInt32(bytes), b.getInt32(0));
  b.CreateIntrinsic(bytes == 16  ? Intrinsic::nvvm_cp_async_cg_shared_global_16_s
                    : bytes == 8 ? Intrinsic::nvvm_cp_async_ca_shared_global_8_s
                                 : Intrinsic::nvvm_cp_async_ca_shared_global_4_s,
                    {shared, global, read});
}

void AsyncCopies::commit(GpuBuilder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_cp_async_commit_group, {});
}

void AsyncCopies::wait(GpuBuilder &b, unsigned groups) const {
  b.CreateIntrinsic(Intrinsic::nvvm_cp_async_wait_group, {b.getInt32(groups)});
}

void AsyncCopies::arrive(GpuBuilder &b, Value *barrier) const {
  // The barrier's count has room for these arrivals: it is not raised by them.
  b.CreateIntrinsic(Intrinsic::nvvm_cp_async_mbarrier_arrive_noinc_shared, {barrier});
}

} // namespace tl::backend::nvidia
