// SPDX-License-Identifier: MIT
#include "dialect/GpuTarget.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tl::ttg {

LogicalResult MatrixInstructionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                            StringRef family, DenseI64ArrayAttr shape, Type, Type) {
  if (!llvm::is_contained({"mma", "wgmma", "mfma", "scaled_mfma", "wmma1", "wmma2"}, family))
    return emitError() << "family is \"" << family
                       << "\", expected \"mma\", \"wgmma\", \"mfma\", \"scaled_mfma\", "
                          "\"wmma1\" or \"wmma2\"";
  ArrayRef<int64_t> extents = shape.asArrayRef();
  if (extents.size() != 3 ||
      !llvm::all_of(extents, [](int64_t n) { return n > 0 && llvm::isPowerOf2_64(n); }))
    return emitError() << "shape is m, n and k, three powers of two";
  return success();
}

unsigned MatrixInstructionAttr::getOperandBits() const {
  return getElement().isTF32() ? 32 : getElement().getIntOrFloatBitWidth();
}

LogicalResult GpuAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned warps,
                              unsigned lanes, unsigned accessBytes, unsigned sectorBytes, unsigned,
                              ArrayAttr instructions, unsigned) {
  if (warps > 32 || !llvm::isPowerOf2_32(warps))
    return emitError() << "warps is " << warps << ", expected a power of two from 1 to 32";
  if (lanes != 32 && lanes != 64)
    return emitError() << "lanes is " << lanes << ", expected 32 or 64";
  for (auto [name, bytes] : {std::pair<const char *, unsigned>("access_bytes", accessBytes),
                             std::pair<const char *, unsigned>("sector_bytes", sectorBytes)})
    if (!llvm::isPowerOf2_32(bytes))
      return emitError() << name << " is " << bytes << ", expected a power of two";
  for (Attribute instruction : instructions)
    if (!isa<MatrixInstructionAttr>(instruction))
      return emitError() << "matrix_instructions lists #ttg.matrix_instruction, found "
                         << instruction;
  return success();
}

GpuAttr gpuOf(ModuleOp module) {
  auto gpu = module->getAttrOfType<GpuAttr>(gpuName);
  if (!gpu)
    module.emitError() << "the module does not say by " << gpuName << " what it is compiled for";
  return gpu;
}

LayoutAttr anchorOf(Operation *op) {
  return dyn_cast_or_null<LayoutAttr>(op->getDiscardableAttr(anchorName));
}

LayoutAttr operandAnchorOf(Operation *op, unsigned index) {
  auto anchors = dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(operandAnchorsName));
  return anchors && index < anchors.size() ? dyn_cast<LayoutAttr>(anchors[index]) : LayoutAttr();
}

MatrixInstructionAttr instructionOf(Operation *op) {
  return dyn_cast_or_null<MatrixInstructionAttr>(op->getDiscardableAttr(instructionName));
}

} // namespace tl::ttg
