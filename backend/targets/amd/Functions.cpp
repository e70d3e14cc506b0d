// SPDX-License-Identifier: MIT
#include "targets/amd/Functions.h"

#include "arithmetic/plain/AmdFunctions.h"
#include "lowering/DeviceFunctions.h"
#include "targets/amd/PrintBuffer.h"

namespace tl::backend::amd {

std::optional<std::string> defineFunctions(llvm::Module &module, const GpuArithmetic &arithmetic) {
  definePrintBuffer(module);
  auto unknown =
      resolveOurFunctions(module, llvm::StringRef(amdFunctions, amdFunctionsSize), arithmetic, {});
  if (unknown.empty())
    return std::nullopt;
  return unknown.front()->getName().str();
}

} // namespace tl::backend::amd
