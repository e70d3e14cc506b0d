// SPDX-License-Identifier: MIT
//
// ldmatrix and, since sm_90, stmatrix, by LLVM's intrinsics.
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// All lanes take part: it must not move under a condition.
llvm::CallInst *byAllLanes(llvm::CallInst *call) {
  call->addFnAttr(llvm::Attribute::Convergent);
  return call;
}

} // namespace

llvm::SmallVector<Value *> MatrixAccess::load(GpuBuilder &b, Value *row, unsigned tiles,
                                              bool transposed) const {
  Intrinsic::ID id = transposed
                         ? (tiles == 4   ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                            : tiles == 2 ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                                         : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16)
                         : (tiles == 4   ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16
                            : tiles == 2 ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16
                                         : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16);
  Value *all = byAllLanes(b.CreateIntrinsic(id, {row->getType()}, {row}));
  llvm::SmallVector<Value *> words;
  for (unsigned tile = 0; tile < tiles; ++tile)
    words.push_back(tiles == 1 ? all : b.CreateExtractValue(all, tile));
  return words;
}

bool MatrixAccess::canStore() const { return architecture.number >= 90; }

void MatrixAccess::store(GpuBuilder &b, Value *row, llvm::ArrayRef<Value *> words,
                         bool transposed) const {
  size_t tiles = words.size();
  Intrinsic::ID id = transposed
                         ? (tiles == 4   ? Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x4_trans_b16
                            : tiles == 2 ? Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x2_trans_b16
                                         : Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x1_trans_b16)
                         : (tiles == 4   ? Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x4_b16
                            : tiles == 2 ? Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x2_b16
                                         : Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x1_b16);
  llvm::SmallVector<Value *> operands = {row};
  operands.append(words.begin(), words.end());
  byAllLanes(b.CreateIntrinsic(id, {row->getType()}, operands));
}

} // namespace tl::backend::nvidia
