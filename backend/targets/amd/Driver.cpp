// SPDX-License-Identifier: MIT
#include "targets/amd/Driver.h"

#include "targets/amd/AmdKernel.h"

namespace tl::backend::amd {

using gpu::GpuKernel;
using gpu::GpuStream;
using gpu::Result;

namespace {

constexpr gpu::VendorWords hipWords = {"hip",
                                       "hipMalloc, hipMallocManaged or hipHostMalloc",
                                       "hipHostGetDevicePointer",
                                       "hipStreamCreate",
                                       "HIP_LAUNCH_BLOCKING",
                                       "rocgdb",
                                       "compute units",
                                       /*hasContexts=*/false};

const HipApi &driver() {
  std::string why;
  if (const HipApi *api = HipApi::find(&why))
    return *api;
  throw Error(TL_RUNTIME_ERROR, why).onDevice("hip");
}

} // namespace

// ---- GPUs

int HipDevice::count() {
  int count = 0;
  if (const HipApi *api = HipApi::find(); api && api->deviceCount(&count) != gpu::success)
    api->forgetFailure();
  return count;
}

std::string HipDevice::missing() {
  std::string why;
  if (!HipApi::find(&why))
    return "hip: " + why;
  return count() == 0 ? "hip: HIP finds no GPU" : "";
}

std::string HipDevice::architecture(int ordinal) { return driver().architecture(ordinal); }

HipDevice::HipDevice(int ordinal, std::unique_ptr<Target> target)
    : GpuDevice(driver(), hipWords, ordinal, std::move(target)), hip(driver()) {
  if (!compiler) {
    throw Error(TL_UNSUPPORTED, label + " is a " + text + " of architecture " +
                                    architecture(ordinal) + ", which libtl does not know")
        .withHelp("those that it knows are among the targets that tlc devices lists")
        .onDevice(label);
  }
  auto number = [&](int which) {
    int value = 0;
    hip.deviceAttribute(&value, which, gpu);
    return value;
  };
  gpu::GpuLimits found;
  found.multiprocessors = number(hip::multiprocessorCount);
  found.maxShared = number(hip::maxSharedPerBlock);
  found.maxThreads = number(hip::maxThreadsPerBlock);
  found.maxRegisters = number(hip::maxRegistersPerBlock);
  found.maxGrid[0] = uint32_t(number(hip::maxGridX));
  found.maxGrid[1] = uint32_t(number(hip::maxGridY));
  found.maxGrid[2] = uint32_t(number(hip::maxGridZ));
  found.maxThreadsAlong = UINT32_MAX; // packets of the queue have 32 bits for them
  found.readsAllHostMemory = number(hip::pageableMemoryAccess) != 0;
  found.hasMemoryPools = number(hip::memoryPoolsSupported) != 0;
  // HIP before ROCm 7 does not refuse launches into a stream of a GPU that is not current, and
  // promises nothing: with several GPUs the right one is made current before each launch.
  begin(found, count());
}

bool HipDevice::runsWholeGrids() const {
  int possible = 0;
  check(hip.deviceAttribute(&possible, hip::cooperativeLaunch, gpu),
        "cannot ask for cooperative launches");
  return possible != 0 && hip.launchCooperative;
}

// ---- Kernels

std::unique_ptr<LoadedKernel> HipDevice::load(const CompiledKernel &compiled) {
  auto &code = dynamic_cast<const AmdKernel &>(compiled);
  checkBlock(code);
  Entered entered(*this);
  if (code.hidden.gridBarrier && !runsWholeGrids())
    refuseGridBarrier();
  gpu::RelaxedCapture relaxed(hip);
  auto kernel = std::make_unique<GpuKernel>(hip, context, code);
  loadInto(*kernel, code.hsaco.data(), /*sharedBytes=*/0);
  countResidentBlocks(*kernel);
  return kernel;
}

void HipDevice::launch(LoadedKernel &loaded, Stream &stream, Grid grid, void *const *arguments) {
  auto &kernel = static_cast<GpuKernel &>(loaded);
  auto &queue = static_cast<GpuStream &>(stream);
  checkPointers(kernel, arguments);
  if (!kernel.plain)
    return launchSpecial(kernel, queue, grid, arguments);
  if (uint64_t(grid.x) * kernel.threads > limits.maxThreadsAlong) [[unlikely]]
    checkGrid(kernel, grid);
  const Result result = launchPlain(kernel, queue, grid, arguments);
  if (result != gpu::success) [[unlikely]]
    failLaunch(result, kernel, grid);
  queue.noteLaunch(kernel.name);
}

void HipDevice::launchSpecial(GpuKernel &kernel, GpuStream &queue, Grid grid,
                              void *const *arguments) {
  checkGrid(kernel, grid);
  checkResidence(kernel, grid);
  Entered entered(*this);
  gpu::HiddenArguments hidden(*this, kernel, queue, grid, arguments);
  const Result result =
      kernel.code.hidden.gridBarrier
          ? hip.launchCooperative(kernel.function, grid.x, grid.y, grid.z, kernel.threads, 1, 1,
                                  kernel.sharedBytes, queue.native, hidden.all.data())
          : hip.launch(kernel.function, grid.x, grid.y, grid.z, kernel.threads, 1, 1,
                       kernel.sharedBytes, queue.native, hidden.all.data(), nullptr);
  if (result != gpu::success)
    failLaunch(result, kernel, grid);
  queue.noteLaunch(kernel.name);
}

} // namespace tl::backend::amd
