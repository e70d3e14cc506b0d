// SPDX-License-Identifier: MIT
#include "passes/LaneCopies.h"

#include "analysis/AxesInMemory.h"
#include "dialect/SharedMemoryUse.h"
#include "layout/Queries.h"
#include "passes/GpuPasses.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

unsigned laneCopyBytes(tt::LoadOp load, const AxisInfoAnalysis &axes) {
  if (load.getIsVolatile() || !isa<RankedTensorType>(load.getType()))
    return 0;
  const int64_t width =
      axes.vectorWidth(load.getPtr(), load.getMask(), axesInMemory(load.getPtr(), axes)[0]);
  const auto bytes =
      unsigned(std::min<int64_t>(widestLaneCopy, width * tt::memoryBytes(load.getType())));
  return hasLaneCopies(load->getParentOfType<ModuleOp>(), bytes) ? bytes : 0;
}

bool isCopiedInLaneOrder(tt::LoadOp load, MemDescType type, const AxisInfoAnalysis &axes) {
  const unsigned bytes = laneCopyBytes(load, axes);
  return bytes && isInLaneOrder(layoutOf(load.getType()), type.getLayout().getMap(),
                                bytes / tt::memoryBytes(load.getType()));
}

} // namespace tl::ttg
