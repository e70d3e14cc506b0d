// SPDX-License-Identifier: MIT
//
// Loading kernels onto a CUDA device and launching them. The common launch, one block a program and
// no hidden parameter but tensor maps, is one call of the driver (with maps, one more and one for
// each) and no lock, allocation or look-up by name.
#include "targets/nvidia/Driver.h"
#include "targets/nvidia/TensorMaps.h"

namespace tl::backend::nvidia {

using gpu::GpuStream;
using gpu::Result;

namespace {

/// What kernels may use of shared memory without asking.
constexpr int64_t sharedWithoutAsking = 48 * 1024;

} // namespace

class CudaKernel final : public gpu::GpuKernel {
public:
  CudaKernel(const CudaApi &cuda, gpu::NativeContext context, const NvidiaKernel &code)
      : GpuKernel(cuda, context, code), own(code), mapped(!code.hidden.tensorMaps.empty()) {}

  const NvidiaKernel &own;
  const bool mapped; // has tensor maps
};

// ---- Loading

std::unique_ptr<LoadedKernel> CudaDevice::load(const CompiledKernel &compiled) {
  auto &code = dynamic_cast<const NvidiaKernel &>(compiled);
  checkBlock(code);
  Entered entered(*this);
  if (code.hidden.gridBarrier && !runsWholeGrids())
    refuseGridBarrier();
  gpu::RelaxedCapture relaxed(cuda);
  auto kernel = std::make_unique<CudaKernel>(cuda, context, code);
  loadInto(*kernel, code.cubin.empty() ? code.ptx.c_str() : code.cubin.data(),
           unsigned(code.sharedBytes));
  if (code.sharedBytes > sharedWithoutAsking)
    check(cuda.setFunctionAttribute(kernel->function, cuda::maxDynamicSharedBytes,
                                    int(code.sharedBytes)),
          "cannot reserve shared memory");
  if (code.numCtas > 8)
    check(cuda.setFunctionAttribute(kernel->function, cuda::nonPortableClusterAllowed, 1),
          "cannot allow a cluster of this size");
  countResidentBlocks(*kernel);
  kernel->plain = kernel->plain && !code.waitsForLaunch;
  if (kernel->mapped && !cuda.encodeTensorMap) {
    throw Error(TL_UNSUPPORTED, "kernel " + code.name +
                                    " needs cuTensorMapEncodeTiled, which the NVIDIA "
                                    "driver has from CUDA 12.0 on")
        .withHelp("install a newer driver, or set TL_TMA=0");
  }
  return kernel;
}

// ---- Launching

void CudaDevice::launch(LoadedKernel &loaded, Stream &stream, Grid grid, void *const *arguments) {
  auto &kernel = static_cast<CudaKernel &>(loaded);
  auto &queue = static_cast<GpuStream &>(stream);
  checkPointers(kernel, arguments);
  if (!kernel.plain)
    return launchSpecial(kernel, queue, grid, arguments);
  Result result = kernel.mapped ? launchWithTensorMaps(kernel, queue, grid, arguments)
                                : launchPlain(kernel, queue, grid, arguments);
  if (result != gpu::success) [[unlikely]]
    failLaunch(result, kernel, grid);
  queue.noteLaunch(kernel.name);
}

Result CudaDevice::launchWithTensorMaps(CudaKernel &kernel, GpuStream &queue, Grid grid,
                                        void *const *arguments) {
  const NvidiaKernel &code = kernel.own;
  if (CudaApi::isLostByFork()) [[unlikely]]
    return gpu::errorNotInitialized;
  // Maps are made for the GPU whose context is current.
  gpu::CurrentContext current(cuda, context);
  if (current.result != gpu::success) [[unlikely]]
    return current.result;
  TensorMaps maps(cuda, code, arguments, label);
  static thread_local std::vector<void *> all; // keeps its memory from launch to launch
  all.assign(arguments, arguments + code.parameters.size());
  maps.appendTo(all);
  return launchPlain(kernel, queue, grid, all.data());
}

void CudaDevice::launchSpecial(CudaKernel &kernel, GpuStream &queue, Grid grid,
                               void *const *arguments) {
  const NvidiaKernel &code = kernel.own;
  checkGrid(kernel, grid);
  checkResidence(kernel, grid);
  Entered entered(*this);
  TensorMaps maps(cuda, code, arguments, label);
  gpu::HiddenArguments hidden(*this, kernel, queue, grid, arguments);
  maps.appendTo(hidden.all);
  cuda::LaunchAttribute attributes[3] = {};
  unsigned count = 0;
  if (code.numCtas > 1) {
    attributes[count].id = cuda::attributeClusterDimension;
    attributes[count++].cluster = {code.numCtas, 1, 1};
  }
  if (code.hidden.gridBarrier) {
    attributes[count].id = cuda::attributeCooperative;
    attributes[count++].cooperative = 1;
  }
  // A cooperative launch begins with all its programs. Graphs have such edges from CUDA 12.3 on.
  constexpr int edgesInGraphs = 12030;
  int version = 0;
  if (code.waitsForLaunch && !code.hidden.gridBarrier &&
      (!hidden.captured ||
       (cuda.driverVersion(&version) == gpu::success && version >= edgesInGraphs))) {
    attributes[count].id = cuda::attributeProgrammaticSerialization;
    attributes[count++].programmaticSerialization = 1;
  }
  cuda::LaunchConfig config = {
      grid.x * code.numCtas, grid.y,       grid.z,     kernel.threads, 1, 1,
      kernel.sharedBytes,    queue.native, attributes, count};
  if (Result result = cuda.launchEx(&config, kernel.function, hidden.all.data(), nullptr))
    failLaunch(result, kernel, grid);
  queue.noteLaunch(kernel.name);
}

} // namespace tl::backend::nvidia
