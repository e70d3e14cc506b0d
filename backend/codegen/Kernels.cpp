// SPDX-License-Identifier: MIT
#include "codegen/Kernels.h"

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

void checkElementTypes(tt::FuncOp kernel, const std::string &target) {
  auto check = [&](mlir::Operation *op, mlir::Type type) {
    if (auto descriptor = mlir::dyn_cast<tt::TensorDescType>(type))
      type = descriptor.getElementType();
    type = elementType(type);
    if (auto pointer = mlir::dyn_cast<tt::PointerType>(type))
      type = pointer.getPointeeType();
    auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
    if (!integer || integer.getWidth() == 1 || integer.getWidth() >= 8)
      return;
    std::string text;
    llvm::raw_string_ostream(text) << type;
    throw tt::errorAt(op, "the " + target + " target has no elements of type " + text,
                      TL_UNSUPPORTED);
  };
  for (auto function : kernel->getParentOfType<mlir::ModuleOp>().getOps<tt::FuncOp>()) {
    if (function != kernel && !function.isPrivate())
      continue;
    function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      for (mlir::Region &region : op->getRegions())
        for (mlir::Block &block : region)
          for (mlir::Type type : block.getArgumentTypes())
            check(op, type);
      for (mlir::Type type : op->getResultTypes())
        check(op, type);
    });
  }
}

} // namespace tl::backend
