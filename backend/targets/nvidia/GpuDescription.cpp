// SPDX-License-Identifier: MIT
#include "targets/nvidia/GpuDescription.h"

#include "mlir/IR/Builders.h"

namespace tl::backend::nvidia {

namespace {

constexpr unsigned lanes = 32;
constexpr unsigned accessBytes = 16; // ld.global.v4.b32
constexpr unsigned sectorBytes = 32; // of the L2 cache

/// The instructions of an architecture, the best first. All have mma.sync of these shapes; sm_90a
/// has wgmma, of which these are the narrowest.
mlir::ArrayAttr matrixInstructions(mlir::MLIRContext &context, const Architecture &architecture) {
  mlir::Builder b(&context);
  mlir::Type f32 = b.getF32Type(), f64 = b.getF64Type();
  auto mma = [&](llvm::ArrayRef<int64_t> shape, mlir::Type element, mlir::Type sum) {
    return ttg::MatrixInstructionAttr::get(&context, "mma", b.getDenseI64ArrayAttr(shape), element,
                                           sum);
  };
  llvm::SmallVector<mlir::Attribute> all;
  auto wgmma = [&](int64_t k, mlir::Type element, mlir::Type sum) {
    all.push_back(ttg::MatrixInstructionAttr::get(
        &context, "wgmma", b.getDenseI64ArrayAttr({64, 8, k}), element, sum));
  };
  if (architecture.hasWarpGroupProducts()) {
    wgmma(16, b.getF16Type(), f32);
    wgmma(16, b.getBF16Type(), f32);
    wgmma(8, b.getTF32Type(), f32);
    wgmma(32, b.getI8Type(), b.getI32Type());
    wgmma(32, mlir::Float8E4M3FNType::get(&context), f32);
    wgmma(32, mlir::Float8E5M2Type::get(&context), f32);
  }
  for (int64_t half : {1, 2}) // that long along k
    all.append({mma({16, 8, 16 / half}, b.getF16Type(), f32),
                mma({16, 8, 16 / half}, b.getBF16Type(), f32),
                mma({16, 8, 8 / half}, b.getTF32Type(), f32),
                mma({16, 8, 32 / half}, b.getI8Type(), b.getI32Type())});
  all.push_back(mma({8, 8, 4}, f64, f64));
  return b.getArrayAttr(all);
}

} // namespace

void describeGpu(mlir::ModuleOp module, const Architecture &architecture,
                 const CompileOptions &options) {
  mlir::MLIRContext &context = *module.getContext();
  context.getOrLoadDialect<ttg::TTGDialect>();
  module->setAttr(ttg::gpuName,
                  ttg::GpuAttr::get(&context, unsigned(options.numWarps), lanes, accessBytes,
                                    sectorBytes, unsigned(architecture.maxSharedBytes()),
                                    matrixInstructions(context, architecture),
                                    unsigned(options.maxRegisters)));
}

} // namespace tl::backend::nvidia
