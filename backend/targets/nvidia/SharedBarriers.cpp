// SPDX-License-Identifier: MIT
//
// mbarrier.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

void SharedBarriers::init(GpuBuilder &b, Value *barrier, unsigned count) const {
  b.CreateIntrinsic(Intrinsic::nvvm_mbarrier_init_shared, {barrier, b.getInt32(count)});
}

void SharedBarriers::publish(GpuBuilder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_fence_proxy_async_shared_cta, {});
}

void SharedBarriers::invalidate(GpuBuilder &b, Value *barrier) const {
  b.CreateIntrinsic(Intrinsic::nvvm_mbarrier_inval_shared, {barrier});
}

void SharedBarriers::expect(GpuBuilder &b, Value *barrier, unsigned bytes) const {
  b.CreateIntrinsic(Intrinsic::nvvm_mbarrier_arrive_expect_tx_scope_cta_space_cta,
                    {barrier, b.getInt32(bytes)});
}

void SharedBarriers::arrive(GpuBuilder &b, Value *barrier, unsigned count) const {
  b.CreateIntrinsic(Intrinsic::nvvm_mbarrier_arrive_scope_cta_space_cta,
                    {barrier, b.getInt32(count)});
}

/// Inline PTX: a loop of LLVM's blocks would cut the code while it is being planned where threads
/// wait.
void SharedBarriers::wait(GpuBuilder &b, Value *barrier, Value *phase) const {
  emitPtx(b, b.getVoidTy(),
          "{\n\t.reg .pred done;\n"
          "wait:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
          "\t@!done bra wait;\n\t}",
          "r,r", {sharedAddress(b, barrier), phase}, true, /*convergent=*/true);
}

} // namespace tl::backend::nvidia
