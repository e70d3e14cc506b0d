// SPDX-License-Identifier: MIT
#include "lowering/Kernels.h"

#include "arithmetic/ElementTypes.h"
#include "dialect/Context.h"

#include "llvm/Support/raw_ostream.h"

namespace tl::backend {

std::vector<Parameter> parametersOf(tt::FuncOp kernel, const std::string &target) {
  std::vector<Parameter> parameters;
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments())) {
    mlir::Type type = argument.getType();
    bool known = mlir::isa<tt::PointerType>(type) || floatFormat(type) || type.isInteger(1) ||
                 type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
                 type.isInteger(64);
    Parameter parameter;
    llvm::raw_string_ostream(parameter.type) << type;
    if (!known)
      throw tt::errorAt(kernel,
                        "parameter " + std::to_string(i) + " of kernel '" +
                            kernel.getSymName().str() + "' has type " + parameter.type +
                            ", which the " + target + " target cannot receive",
                        TL_UNSUPPORTED);
    parameter.isPointer = mlir::isa<tt::PointerType>(type);
    parameter.bytes = memoryBytes(type);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

} // namespace tl::backend
