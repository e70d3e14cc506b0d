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

bool leavesRegisters(GpuAttr gpu) {
  return gpu.getMaxRegisters() != 0 && gpu.getMaxRegisters() <= registersOfTwoPrograms(gpu);
}

bool mayHaveProducers(unsigned warps) { return warps == 8 || warps == 16; }

std::optional<ProducerRegisters> registersBesideProducers(GpuAttr gpu) {
  constexpr unsigned producers = 24, fewest = 64, most = 240;
  constexpr unsigned step = 8; // in which threads get and give back
  const unsigned warps = gpu.getWarps(), all = warps + producerWarps;
  if (!mayHaveProducers(warps))
    return {};
  unsigned own = registers / gpu.getLanes(); // of all warps
  if (unsigned limit = gpu.getMaxRegisters())
    own = std::min(own, warps * limit);
  const unsigned atFirst = own / all / step * step;
  if (all * atFirst < producerWarps * producers + warps * fewest)
    return {};
  const unsigned others = (all * atFirst - producerWarps * producers) / warps / step * step;
  return ProducerRegisters{atFirst, producers, std::min(others, most)};
}

LogicalResult ProducerWarpsOp::verify() {
  for (int32_t count : {int32_t(getRegisters()), int32_t(getOthers())})
    if (count < 24 || count > 256 || count % 8)
      return emitOpError() << "gives a thread a multiple of 8 registers, from 24 to 256, found "
                           << count;
  // A text without a target is looked at once it has one.
  auto module = (*this)->getParentOfType<ModuleOp>();
  if (auto gpu = module ? module->getAttrOfType<GpuAttr>(gpuName) : GpuAttr()) {
    const auto most = registersBesideProducers(gpu);
    if (!most)
      return emitOpError("stands in a program of 8 or 16 warps with registers enough");
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
