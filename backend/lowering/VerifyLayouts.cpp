// SPDX-License-Identifier: MIT
//
// What the lowering takes for granted of TTGIR. The library's own passes keep to it; a text that
// somebody wrote may not.
#include "lowering/GpuLowering.h"

#include "analysis/LayoutInference.h"
#include "codegen/Kernels.h"
#include "dialect/Context.h"
#include "dialect/Gpu.h"
#include "layout/NamedLayouts.h"

#include "llvm/Support/raw_ostream.h"

namespace tl::backend {

namespace {

std::string shown(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

[[noreturn]] void refuse(mlir::Operation *op, const std::string &message) {
  throw tt::errorAt(op, message, TL_INTERNAL_ERROR);
}

class LayoutVerifier {
public:
  LayoutVerifier(unsigned lanes, unsigned warps)
      : laneBits(llvm::Log2_32(lanes)), warpBits(llvm::Log2_32(warps)) {}

  void verify(mlir::Operation *op) {
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Type type : block.getArgumentTypes()) {
          verify(op, type);
          if (mlir::isa<ttg::MemDescType>(type))
            refuse(op, "shared memory cannot be handed on to another block");
        }
    for (mlir::Type type : op->getResultTypes()) {
      verify(op, type);
      if (mlir::isa<ttg::MemDescType>(type) && !mlir::isa<ttg::TTGDialect>(op->getDialect()))
        refuse(op, "shared memory cannot be the result of '" + op->getName().getStringRef().str() +
                       "'");
    }
    // Registers of the same number are taken together.
    bool together = isElementwise(op) && !mlir::isa<tt::MapElementwiseOp>(op);
    if (!together && !mlir::isa<tt::AccessOpInterface>(op))
      return;
    mlir::Attribute first;
    auto compare = [&](mlir::Type type) {
      auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
      if (!tensor)
        return;
      if (first && tensor.getEncoding() != first)
        refuse(op, "the tensors of '" + op->getName().getStringRef().str() +
                       "' have different layouts, one is " + shown(type));
      first = tensor.getEncoding();
    };
    llvm::for_each(op->getOperandTypes(), compare);
    llvm::for_each(op->getResultTypes(), compare);
  }

private:
  void verify(mlir::Operation *op, mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor)
      return;
    if (mlir::failed(tt::verifyTensorSize(tensor, [&] { return op->emitOpError(); })))
      refuse(op, "a tensor has no layout that could be lowered: " + shown(type));
    auto attribute = mlir::dyn_cast_or_null<ttg::LayoutAttr>(tensor.getEncoding());
    if (!attribute)
      refuse(op, "a tensor has no layout: " + shown(type));
    const LinearLayout &layout = attribute.getMap();
    bool covers = layout.outs().size() == size_t(tensor.getRank());
    for (unsigned axis = 0; covers && axis < unsigned(tensor.getRank()); ++axis)
      covers = int64_t(1) << layout.outBits(dimName(axis)) == tensor.getDimSize(axis);
    if (!covers)
      refuse(op, "a tensor has a layout of another shape: " + shown(type));
    for (auto [name, bits] : {std::pair<const char *, unsigned>("lane", laneBits),
                              std::pair<const char *, unsigned>("warp", warpBits),
                              std::pair<const char *, unsigned>("block", 0)})
      if (layout.inBits(name) != bits)
        refuse(op, "a tensor has a layout for " + std::to_string(1u << layout.inBits(name)) + " " +
                       name + "s, a program has " + std::to_string(1u << bits) + ": " +
                       shown(type));
  }

  unsigned laneBits, warpBits;
};

} // namespace

void verifyLayouts(tt::FuncOp kernel, unsigned lanes, unsigned warps, const std::string &target) {
  if (kernel.isExternal() || kernel.getNumResults() != 0)
    throw tt::errorAt(kernel, "only functions that have a body and no results are kernels");
  (void)parametersOf(kernel, target);
  checkElementTypes(kernel, target);
  LayoutVerifier verifier(lanes, warps);
  kernel.walk([&](mlir::Operation *op) { verifier.verify(op); });
}

} // namespace tl::backend
