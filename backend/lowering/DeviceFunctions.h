// SPDX-License-Identifier: MIT
//
// The functions that code for GPUs calls and that are ours: those of arithmetic/plain, which the
// library has as bitcode for each vendor, and those that backend/arithmetic emits. They are called
// by the names of the C library (erfcf), of CUDA's library (__nv_erfcf) or ours (tl_erfcxf). Next:
// targets/<t> for what only the vendor's own library has.
#pragma once

#include "lowering/GpuInterfaces.h"

#include "llvm/IR/Module.h"

namespace tl::backend {

/// Thrown for a function that the module calls and nobody has.
struct UnresolvedFunction {
  std::string symbol; // as the module calls it
  std::string reason; // in a few words; empty: there is none to tell
};

/// Links what the module needs of a library. All of it is the module's alone afterwards.
void linkLibrary(llvm::Module &module, std::unique_ptr<llvm::Module> library);

/// Resolves what the module calls and does not define, as far as it is ours; the rest. `bitcode` is
/// arithmetic/plain for the vendor. `others`: functions of the vendor's run-time, which stay.
llvm::SmallVector<llvm::Function *> resolveOurFunctions(llvm::Module &module,
                                                        llvm::StringRef bitcode,
                                                        const GpuArithmetic &arithmetic,
                                                        llvm::ArrayRef<llvm::StringRef> others);

} // namespace tl::backend
