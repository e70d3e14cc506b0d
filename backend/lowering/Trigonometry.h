// SPDX-License-Identifier: MIT
//
// sin, cos and tan of f32 for GPUs, which have no C library for large arguments and little f64.
// Operands are scalars.
#pragma once

#include "arithmetic/MathBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tl::backend {

llvm::Value *emitSinCos(MathBuilder &m, llvm::Value *x, bool cosine);
/// `reciprocal`: 1 / y.
llvm::Value *emitTan(MathBuilder &m, llvm::Value *x,
                     llvm::function_ref<llvm::Value *(llvm::Value *)> reciprocal);

} // namespace tl::backend
