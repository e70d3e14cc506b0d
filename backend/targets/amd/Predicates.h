// SPDX-License-Identifier: MIT
//
// Instructions of AMD's GPUs have no predicates: what a thread must not do stands in a block of its
// own, which the hardware runs with those lanes off. Blocks one after the other that have the same
// predicate become one, so that a load does not wait for the one before it.
#pragma once

#include "lowering/GpuInterfaces.h"

namespace tl::backend::amd {

/// What `body` computes, where the predicate holds (null: always), and `otherwise` elsewhere. Both
/// may be null if there is no value. `body` makes no blocks; `operands` are what it uses.
llvm::Value *emitUnder(GpuBuilder &b, llvm::Value *predicate,
                       llvm::ArrayRef<llvm::Value *> operands, llvm::Value *otherwise,
                       llvm::function_ref<llvm::Value *()> body);

} // namespace tl::backend::amd
