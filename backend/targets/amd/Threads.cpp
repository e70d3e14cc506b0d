// SPDX-License-Identifier: MIT
//
// Exchanges within a wave stay in registers where the hardware can: within 16 lanes by DPP, which
// names the source lane in the instruction itself.
#include "targets/amd/AmdGpu.h"

#include "support/Error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// The controls of DPP: which lane of its row of 16 a lane reads.
enum Dpp : unsigned {
  rowRotate = 0x120, // + distance
  rowMirror = 0x140,
  rowHalfMirror = 0x141,
  rowXor = 0x160, // + mask; not on CDNA
};

/// Lanes i ^ mask of each four.
unsigned quadXor(unsigned mask) {
  return (0 ^ mask) | (1 ^ mask) << 2 | (2 ^ mask) << 4 | (3 ^ mask) << 6;
}

Value *moveByDpp(GpuBuilder &b, Value *value, unsigned control) {
  return b.CreateIntrinsic(Intrinsic::amdgcn_update_dpp, {b.getInt32Ty()},
                           {llvm::PoisonValue::get(b.getInt32Ty()), value, b.getInt32(control),
                            b.getInt32(0xf), b.getInt32(0xf), b.getTrue()});
}

/// Within 16 lanes, by one or two moves.
Value *xorInRow(GpuBuilder &b, Value *value, unsigned mask, bool hasRowXor) {
  if (mask < 4)
    return moveByDpp(b, value, quadXor(mask));
  if (hasRowXor)
    return moveByDpp(b, value, rowXor + mask);
  // Mirrors are xor by 15 and 7, a rotation by 8 is xor by 8; what is left is within four lanes.
  unsigned first = mask >= 12 ? rowMirror : mask >= 8 ? rowRotate + 8 : rowHalfMirror;
  unsigned rest = mask ^ (mask >= 12 ? 15 : mask >= 8 ? 8 : 7);
  value = moveByDpp(b, value, first);
  return rest ? moveByDpp(b, value, quadXor(rest)) : value;
}

Value *ownLane(GpuBuilder &b, unsigned lanes) {
  Value *lane = b.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {b.getInt32(~0u), b.getInt32(0)});
  return lanes == 64 ? b.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {b.getInt32(~0u), lane})
                     : lane;
}

/// What threads of the scope have written before is what they read after.
template <class Wait> void fenced(GpuBuilder &b, const char *scope, Wait &&wait) {
  llvm::SyncScope::ID id = b.getContext().getOrInsertSyncScopeID(scope);
  b.CreateFence(llvm::AtomicOrdering::Release, id);
  wait();
  b.CreateFence(llvm::AtomicOrdering::Acquire, id);
}

[[noreturn]] void failForGroups() {
  raise(TL_INTERNAL_ERROR, "groups of warps have no barriers of their own on AMD GPUs");
}

} // namespace

void Threads::barrier(GpuBuilder &b) const {
  fenced(b, "workgroup", [&] { b.CreateIntrinsic(Intrinsic::amdgcn_s_barrier, {}); });
}

void Threads::warpBarrier(GpuBuilder &b) const {
  fenced(b, "wavefront", [&] { b.CreateIntrinsic(Intrinsic::amdgcn_wave_barrier, {}); });
}

void Threads::waitAtBarrier(GpuBuilder &, Value *, unsigned) const { failForGroups(); }
void Threads::meetAtBarrier(GpuBuilder &, Value *, unsigned) const { failForGroups(); }
void Threads::arriveAtBarrier(GpuBuilder &, Value *, unsigned) const { failForGroups(); }
void Threads::setRegisters(GpuBuilder &, unsigned, bool) const { failForGroups(); }
Value *Threads::electLane(GpuBuilder &) const { failForGroups(); }

/// Each wave leaves its answer in LDS.
Value *Threads::anyThread(GpuBuilder &b, Value *condition) const {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  unsigned threads = 0;
  function->getFnAttribute("amdgpu-flat-work-group-size")
      .getValueAsString()
      .split(',')
      .second.getAsInteger(10, threads);
  const unsigned lanes = architecture.lanes(), waves = threads / lanes;
  Value *any = b.CreateIsNotNull(ballot(b, condition));
  barrier(b);
  if (waves == 1)
    return any;
  llvm::Type *word = b.getInt32Ty();
  auto *answers = llvm::ArrayType::get(word, waves);
  llvm::Module &module = *function->getParent();
  llvm::GlobalVariable *slots = module.getNamedGlobal("votes");
  if (!slots) {
    slots = new llvm::GlobalVariable(module, answers, false, llvm::GlobalValue::InternalLinkage,
                                     llvm::PoisonValue::get(answers), "votes", nullptr,
                                     llvm::GlobalValue::NotThreadLocal, 3);
    slots->setAlignment(llvm::Align(16));
  }
  Value *thread = b.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, {});
  Value *wave = b.CreateLShr(thread, llvm::Log2_32(lanes));
  b.CreateStore(b.CreateZExt(any, word), b.CreateGEP(word, slots, wave));
  barrier(b);
  Value *all = nullptr;
  for (unsigned i = 0; i < waves; ++i) {
    Value *answer = b.CreateLoad(word, b.CreateConstInBoundsGEP2_32(answers, slots, 0, i));
    all = all ? b.CreateOr(all, answer) : answer;
  }
  return b.CreateICmpNE(all, b.getInt32(0));
}

Value *Threads::ballot(GpuBuilder &b, Value *condition) const {
  return b.CreateIntrinsic(Intrinsic::amdgcn_ballot, {b.getIntNTy(architecture.lanes())},
                           {condition});
}

Value *Threads::uniform(GpuBuilder &b, Value *value) const {
  return b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {b.getInt32Ty()}, {value});
}

Value *Threads::shuffleXor(GpuBuilder &b, Value *value, unsigned mask) const {
  if (mask == 0)
    return value;
  if (mask < 16)
    return xorInRow(b, value, mask, !architecture.isCdna());
  if (!architecture.isCdna()) {
    // Lane i of the other row of 16, by four bits for each i.
    uint64_t lanes = 0;
    for (uint64_t i = 0; i < 16; ++i)
      lanes |= (i ^ (mask & 15)) << 4 * i;
    return b.CreateIntrinsic(Intrinsic::amdgcn_permlanex16, {b.getInt32Ty()},
                             {llvm::PoisonValue::get(b.getInt32Ty()), value,
                              b.getInt32(uint32_t(lanes)), b.getInt32(uint32_t(lanes >> 32)),
                              b.getFalse(), b.getTrue()});
  }
  if (mask < 32) // a xor of the lanes' numbers in each half of the wave
    return b.CreateIntrinsic(Intrinsic::amdgcn_ds_swizzle, {},
                             {value, b.getInt32(mask << 10 | 0x1f)});
  return shuffleIndex(b, value, b.CreateXor(ownLane(b, architecture.lanes()), mask));
}

Value *Threads::shuffleIndex(GpuBuilder &b, Value *value, Value *lane) const {
  return b.CreateIntrinsic(Intrinsic::amdgcn_ds_bpermute, {}, {b.CreateShl(lane, 2), value});
}

} // namespace tl::backend::amd
