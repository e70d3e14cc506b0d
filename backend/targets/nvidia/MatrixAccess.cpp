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

/// LLVM's name for "ldmatrix" or "stmatrix" of one, two or four tiles.
Intrinsic::ID intrinsicFor(const char *name, size_t tiles, bool transposed) {
  return Intrinsic::lookupIntrinsicID(std::string("llvm.nvvm.") + name + ".sync.aligned.m8n8.x" +
                                      std::to_string(tiles) + (transposed ? ".trans.b16" : ".b16"));
}

} // namespace

llvm::SmallVector<Value *> MatrixAccess::load(GpuBuilder &b, Value *row, unsigned tiles,
                                              unsigned transposedBytes) const {
  Intrinsic::ID id = intrinsicFor("ldmatrix", tiles, transposedBytes != 0);
  Value *all = byAllLanes(b.CreateIntrinsic(id, {row->getType()}, {row}));
  llvm::SmallVector<Value *> words;
  for (unsigned tile = 0; tile < tiles; ++tile)
    words.push_back(tiles == 1 ? all : b.CreateExtractValue(all, tile));
  return words;
}

bool MatrixAccess::canStore() const { return architecture.number >= 90; }

void MatrixAccess::store(GpuBuilder &b, Value *row, llvm::ArrayRef<Value *> words,
                         bool transposed) const {
  Intrinsic::ID id = intrinsicFor("stmatrix", words.size(), transposed);
  llvm::SmallVector<Value *> operands = {row};
  operands.append(words.begin(), words.end());
  byAllLanes(b.CreateIntrinsic(id, {row->getType()}, operands));
}

} // namespace tl::backend::nvidia
