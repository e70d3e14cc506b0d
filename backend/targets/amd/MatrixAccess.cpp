// SPDX-License-Identifier: MIT
//
// ds_read_b64_tr_b16 and ds_read_b64_tr_b8: rows of LDS become columns of operands on the way to
// the registers of a wave.
#include "support/Error.h"
#include "targets/amd/AmdGpu.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

llvm::SmallVector<Value *> MatrixAccess::load(GpuBuilder &b, Value *row, unsigned,
                                              unsigned transposedBytes) const {
  const bool isHalves = transposedBytes == 2;
  llvm::Type *type = isHalves ? llvm::FixedVectorType::get(b.getInt16Ty(), 4)
                              : llvm::FixedVectorType::get(b.getInt32Ty(), 2);
  llvm::CallInst *made = b.CreateIntrinsic(isHalves ? Intrinsic::amdgcn_ds_read_tr16_b64
                                                    : Intrinsic::amdgcn_ds_read_tr8_b64,
                                           {type}, {row});
  // All lanes take part: it must not move under a condition.
  made->addFnAttr(llvm::Attribute::Convergent);
  return {made};
}

void MatrixAccess::store(GpuBuilder &, Value *, llvm::ArrayRef<Value *>, bool) const {
  raise(TL_INTERNAL_ERROR, "there are no stores to LDS that transpose");
}

} // namespace tl::backend::amd
