// SPDX-License-Identifier: MIT
//
// Registers of one layout from those of another, by the cheapest way there is: other names for the
// same registers, shuffles within the warp, or shared memory through the swizzle that suits both
// sides.
#pragma once

#include "lowering/KernelLowering.h"

namespace tl::backend {

/// The registers in layout `to` of a tensor that `registers` hold in layout `from`.
Values convert(KernelLowering &kernel, llvm::ArrayRef<llvm::Value *> registers,
               const LinearLayout &from, const LinearLayout &to, mlir::Type element);
/// Those of a value of TTGIR, in layout `to`.
Values convert(KernelLowering &kernel, mlir::Value value, const LinearLayout &to);

/// A value of any type through `shuffleWord`, which moves i32 between lanes: wider values travel in
/// parts, narrower ones are extended.
llvm::Value *shuffle(KernelLowering &kernel, llvm::Value *value,
                     llvm::function_ref<llvm::Value *(llvm::Value *)> shuffleWord);

} // namespace tl::backend
