// SPDX-License-Identifier: MIT
//
// Thread-block clusters, and TMA to several blocks of one. Inline PTX, as for what they are forms
// of: SharedBarriers.cpp, TensorCopies.cpp.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;

Value *Clusters::block(GpuBuilder &b) const {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {});
}

/// In the form that does not take the lanes of a warp for together: producers come to it after
/// waits in which some of them may have gone on. The fence is for barriers that the thread has
/// made.
void Clusters::barrier(GpuBuilder &b) const {
  emitPtx(b, b.getVoidTy(),
          "fence.mbarrier_init.release.cluster;\n"
          "\tbarrier.cluster.arrive.release;\n"
          "\tbarrier.cluster.wait.acquire;",
          "", {}, true, /*convergent=*/true);
}

/// With a release to the whole cluster ptxas waits for all of a thread's accesses of any memory.
/// None needs it: what the arrival lets others overwrite has been read, and nothing was written for
/// them.
void Clusters::arrive(GpuBuilder &b, Value *barrier, Value *block) const {
  emitPtx(b, b.getVoidTy(),
          "{\n\t.reg .b32 remote;\n"
          "\tmapa.shared::cluster.u32 remote, $0, $1;\n"
          "\tmbarrier.arrive.shared::cluster.b64 _, [remote];\n\t}",
          "r,r", {sharedAddress(b, barrier), block}, true);
}

void Clusters::load(GpuBuilder &b, Value *shared, Value *map, llvm::ArrayRef<Value *> coordinates,
                    Value *barrier, unsigned blocks) const {
  Value *all = b.getInt16(uint16_t((1u << blocks) - 1));
  emitBoxLoad(b, ".multicast::cluster", {sharedAddress(b, shared), map, sharedAddress(b, barrier)},
              coordinates, all);
}

} // namespace tl::backend::nvidia
