// SPDX-License-Identifier: MIT
#include "targets/amd/GpuDescription.h"

#include "dialect/SharedMemoryUse.h"
#include "targets/amd/MatrixProducts.h"

#include "mlir/IR/Builders.h"

namespace tl::backend::amd {

namespace {

constexpr unsigned accessBytes = 16;

/// The least that a request to the L2 cache brings.
unsigned sectorBytes(const Architecture &architecture) { return architecture.isCdna() ? 64 : 32; }

} // namespace

void describeGpu(mlir::ModuleOp module, const Architecture &architecture,
                 const CompileOptions &options) {
  mlir::MLIRContext &context = *module.getContext();
  context.getOrLoadDialect<ttg::TTGDialect>();
  module->setAttr(
      ttg::gpuName,
      ttg::GpuAttr::get(&context, unsigned(options.numWarps), architecture.lanes(), accessBytes,
                        sectorBytes(architecture), unsigned(architecture.maxSharedBytes()),
                        matrixInstructions(context, architecture), unsigned(options.maxRegisters)));
  mlir::Builder b(&context);
  module->setAttr(ttg::loadsInRegistersName, b.getUnitAttr());
  if (const auto sizes = architecture.laneCopies(); !sizes.empty())
    module->setAttr(ttg::laneCopiesName,
                    b.getDenseI32ArrayAttr(llvm::ArrayRef(sizes.data(), sizes.size())));
  if (architecture.hasTransposingReads())
    module->setAttr(ttg::columnReadsName, b.getUnitAttr());
  module->setAttr(ttg::banksName, b.getI32IntegerAttr(int32_t(architecture.sharedBanks())));
}

} // namespace tl::backend::amd
