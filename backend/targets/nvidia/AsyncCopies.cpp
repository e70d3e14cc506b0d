// SPDX-License-Identifier: MIT
//
// cp.async.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

namespace tl::backend::nvidia {

using llvm::Value;

bool AsyncCopies::canCopy(unsigned bytes) const { return bytes == 4 || bytes == 8 || bytes == 16; }

void AsyncCopies::copy(GpuBuilder &b, Value *shared, const GlobalAccess &access) const {
  unsigned bytes = access.elementBytes * access.elements;
  // Whole lines pass by the first cache.
  std::string text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
                     ".shared.global [$0], [$1], " + std::to_string(bytes);
  llvm::SmallVector<Value *> operands = {sharedAddress(b, shared), access.pointer};
  std::string constraints = "r,l";
  if (access.predicate) {
    operands.push_back(b.CreateSelect(access.predicate, b.getInt32(bytes), b.getInt32(0)));
    constraints += ",r";
    text += ", $2";
  }
  emitPtx(b, b.getVoidTy(), text + ";", constraints, operands, true);
}

void AsyncCopies::commit(GpuBuilder &b) const {
  emitPtx(b, b.getVoidTy(), "cp.async.commit_group;", "", {}, true);
}

void AsyncCopies::wait(GpuBuilder &b, unsigned groups) const {
  emitPtx(b, b.getVoidTy(), "cp.async.wait_group " + std::to_string(groups) + ";", "", {}, true);
}

} // namespace tl::backend::nvidia
