// SPDX-License-Identifier: MIT
#include "dialect/ProducerWarps.h"

#include "dialect/Dialect.h"
#include "dialect/GpuTarget.h"
#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/ProducerWarps.cpp.inc"

using namespace mlir;

namespace tl::ttg {

namespace {
constexpr unsigned registers = 65536; // of a multiprocessor
}

unsigned registersOfTwoPrograms(GpuAttr gpu) {
  return registers / (2 * gpu.getWarps() * gpu.getLanes());
}

std::optional<ProducerRegisters> registersBesideProducers(unsigned warps) {
  constexpr unsigned lanes = 32, producers = 24;
  constexpr unsigned step = 8; // in which threads get and give back
  if (warps != 8 && warps != 16)
    return {};
  const unsigned all = warps + producerWarps;
  const unsigned atFirst = registers / (all * lanes) / step * step;
  const unsigned others = (all * atFirst - producerWarps * producers) / warps / step * step;
  return ProducerRegisters{atFirst, producers, others};
}

LogicalResult ProducerWarpsOp::verify() {
  for (int32_t count : {int32_t(getRegisters()), int32_t(getOthers())})
    if (count < 24 || count > 256 || count % 8)
      return emitOpError() << "gives a thread a multiple of 8 registers, from 24 to 256, found "
                           << count;
  // A text without a target is looked at once it has one.
  auto module = (*this)->getParentOfType<ModuleOp>();
  if (auto gpu = module ? module->getAttrOfType<GpuAttr>(gpuName) : GpuAttr()) {
    const auto most = registersBesideProducers(gpu.getWarps());
    if (!most)
      return emitOpError("stands in a program of 8 or 16 warps");
    if (producerWarps * getRegisters() + gpu.getWarps() * getOthers() >
        (producerWarps + gpu.getWarps()) * most->atFirst)
      return emitOpError() << "gives " << getRegisters() << " and " << getOthers()
                           << " registers, more than the threads begin with";
  }
  if (!isa<tt::FuncOp>((*this)->getParentOp()))
    return emitOpError("stands in a kernel, outside of loops and branches");
  return success();
}

} // namespace tl::ttg
