// SPDX-License-Identifier: MIT
#include "targets/amd/GpuDescription.h"

#include "targets/amd/MatrixProducts.h"

namespace tl::backend::amd {

namespace {

constexpr unsigned accessBytes = 16;

/// The least that a request to the L2 cache brings.
unsigned sectorBytes(const Architecture &architecture) { return architecture.isCdna() ? 64 : 32; }

} // namespace

void describeGpu(mlir::ModuleOp module, const Architecture &architecture, unsigned warps) {
  mlir::MLIRContext &context = *module.getContext();
  context.getOrLoadDialect<ttg::TTGDialect>();
  module->setAttr(ttg::gpuName, ttg::GpuAttr::get(&context, warps, architecture.lanes(),
                                                  accessBytes, sectorBytes(architecture),
                                                  unsigned(architecture.maxSharedBytes()),
                                                  matrixInstructions(context, architecture)));
}

} // namespace tl::backend::amd
