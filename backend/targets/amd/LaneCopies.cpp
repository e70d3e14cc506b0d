// SPDX-License-Identifier: MIT
//
// Loads from global memory to LDS. A wave gives one address in LDS (M0); lane l writes after the
// lanes before it. They count, like all that accesses global memory, in vmcnt, which goes down in
// the order in which they were started: whatever else was started since makes a wait only longer.
//
// LLVM would have every read of LDS wait for all of them, of other buffers, too, and so every fence
// for the threads of a program. It does not where reads have scopes of memory apart, and where the
// fences of barriers are those of a wave, beside which the barrier waits for what is on its way to
// LDS otherwise (orderCopies). Then only the waits here count.
#include "targets/amd/LaneCopies.h"

#include "targets/amd/AmdGpu.h"
#include "targets/amd/Predicates.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

bool LaneCopies::canCopy(unsigned bytes) const {
  return llvm::is_contained(architecture.laneCopies(), int32_t(bytes));
}

void LaneCopies::copy(GpuBuilder &b, Value *shared, const GlobalAccess &access) const {
  emitUnder(b, access.predicate, {shared, access.pointer}, nullptr, [&]() -> Value * {
    Value *pointer = b.CreateAddrSpaceCast(access.pointer, b.getPtrTy(1));
    return b.CreateIntrinsic(Intrinsic::amdgcn_global_load_lds, {},
                             {pointer, shared, b.getInt32(access.elementBytes * access.elements),
                              b.getInt32(0), b.getInt32(0)});
  });
}

namespace {

constexpr unsigned mostCounted = 63, mostInLds = 15;

/// Waits until no more loads, and no more accesses of LDS, are on their way: counters whose bits
/// are all set are not waited for.
void waitFor(GpuBuilder &b, unsigned loads, unsigned accessesOfLds) {
  constexpr unsigned exports = 7;
  b.CreateIntrinsic(
      Intrinsic::amdgcn_s_waitcnt, {},
      {b.getInt32((loads & 15) | (loads >> 4) << 14 | exports << 4 | accessesOfLds << 8)});
}

} // namespace

void LaneCopies::wait(GpuBuilder &b, unsigned copies) const {
  waitFor(b, std::min(copies, mostCounted), mostInLds);
}

namespace {

/// Of a wave instead of a program, if it is a fence of that order.
void narrow(llvm::Instruction *instruction, llvm::AtomicOrdering order) {
  auto *fence = llvm::dyn_cast_or_null<llvm::FenceInst>(instruction);
  if (!fence)
    return;
  llvm::LLVMContext &context = fence->getContext();
  if (fence->getOrdering() == order &&
      fence->getSyncScopeID() == context.getOrInsertSyncScopeID("workgroup"))
    fence->setSyncScopeID(context.getOrInsertSyncScopeID("wavefront"));
}

} // namespace

void orderCopies(llvm::Module &module) {
  llvm::Function *copy =
      Intrinsic::getDeclarationIfExists(&module, Intrinsic::amdgcn_global_load_lds);
  if (!copy || copy->use_empty())
    return;
  llvm::MDBuilder make(module.getContext());
  llvm::MDNode *domain = make.createAnonymousAliasScopeDomain("lds");
  auto scope = [&](llvm::StringRef name) {
    return llvm::MDNode::get(module.getContext(), {make.createAnonymousAliasScope(domain, name)});
  };
  llvm::MDNode *copies = scope("copies"), *reads = scope("reads");
  auto mark = [](llvm::Instruction &instruction, llvm::MDNode *own, llvm::MDNode *other) {
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, own);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, other);
  };
  llvm::SmallVector<llvm::CallInst *> barriers;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      const llvm::Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
      if (call && call->getCalledFunction() == copy)
        mark(instruction, copies, reads);
      else if ((load && load->getPointerAddressSpace() == 3) ||
               id == Intrinsic::amdgcn_ds_read_tr16_b64 || id == Intrinsic::amdgcn_ds_read_tr8_b64)
        mark(instruction, reads, copies);
      if (id == Intrinsic::amdgcn_s_barrier)
        barriers.push_back(call);
    }
  for (llvm::CallInst *barrier : barriers) {
    narrow(barrier->getPrevNode(), llvm::AtomicOrdering::Release);
    narrow(barrier->getNextNode(), llvm::AtomicOrdering::Acquire);
    llvm::IRBuilder<> b(barrier);
    waitFor(b, mostCounted, 0);
  }
}

} // namespace tl::backend::amd
