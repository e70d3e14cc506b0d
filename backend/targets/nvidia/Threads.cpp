// SPDX-License-Identifier: MIT
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

void Threads::barrier(GpuBuilder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
}

void Threads::warpBarrier(GpuBuilder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {b.getInt32(~0u)});
}

/// Where a lane spins, ptxas lets it yield to the others, which may then go on from the point where
/// they wait for it. ptxas 13.0 nevertheless takes the warp for converged there, in some kernels,
/// and drops a warp barrier of all lanes as needless; then a barrier of the program is passed
/// without the lane. A mask that it cannot compute keeps the warp barrier.
void Threads::reconverge(GpuBuilder &b) const {
  Value *others = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_gt, {});
  Value *rest = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_le, {});
  b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {b.CreateOr(others, rest)});
}

/// Where threads have diverged, there are no uniform registers. If the address of shared memory is
/// needed there, ptxas 13.0 keeps it in a register of each thread everywhere, and with it all that
/// is computed from it, such as the descriptors of wgmma, each of which then has to be moved to
/// uniform registers. The sum is another address, in a register of its own. Convergent: so that it
/// is not computed where the threads have diverged.
Value *Threads::pointerInFirstThread(GpuBuilder &b, Value *pointer, Value *thread) const {
  Value *sum = emitPtx(b, b.getInt32Ty(), "add.u32 $0, $1, $2;", "=r,r,r",
                       {sharedAddress(b, pointer), thread},
                       /*effects=*/false, /*convergent=*/true);
  return b.CreateIntToPtr(sum, pointer->getType());
}

void Threads::waitAtBarrier(GpuBuilder &b, Value *id, unsigned threads) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_count, {id, b.getInt32(threads)});
}

/// "Aligned" promises that all that wait execute one and the same instruction.
void Threads::meetAtBarrier(GpuBuilder &b, Value *id, unsigned threads) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_count, {id, b.getInt32(threads)});
}

void Threads::arriveAtBarrier(GpuBuilder &b, Value *id, unsigned threads) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_arrive_aligned_count, {id, b.getInt32(threads)});
}

void Threads::setRegisters(GpuBuilder &b, unsigned count, bool more) const {
  b.CreateIntrinsic(more ? Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32
                         : Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32,
                    {b.getInt32(count)});
}

Value *Threads::electLane(GpuBuilder &b) const {
  return b.CreateExtractValue(b.CreateIntrinsic(Intrinsic::nvvm_elect_sync, {b.getInt32(~0u)}), 1);
}

Value *Threads::anyThread(GpuBuilder &b, Value *condition) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_red_or_aligned_all,
                           {b.getInt32(0), condition});
}

Value *Threads::ballot(GpuBuilder &b, Value *condition) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, {b.getInt32(~0u), condition});
}

Value *Threads::shuffleXor(GpuBuilder &b, Value *value, unsigned mask) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_bfly_i32,
                           {b.getInt32(~0u), value, b.getInt32(mask), b.getInt32(31)});
}

Value *Threads::shuffleIndex(GpuBuilder &b, Value *value, Value *lane) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32,
                           {b.getInt32(~0u), value, lane, b.getInt32(31)});
}

} // namespace tl::backend::nvidia
