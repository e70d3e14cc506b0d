// SPDX-License-Identifier: MIT
//
// Opening a CUDA device. Loading and launching are in Launch.cpp.
#include "targets/nvidia/Driver.h"

namespace tl::backend::nvidia {

namespace {

constexpr gpu::VendorWords cudaWords = {"cuda",
                                        "cudaMalloc, cudaMallocManaged or cudaHostAlloc",
                                        "cudaHostGetDevicePointer",
                                        "cudaStreamCreate",
                                        "CUDA_LAUNCH_BLOCKING",
                                        "compute-sanitizer",
                                        "multiprocessors",
                                        /*hasContexts=*/true};

const CudaApi &driver() {
  std::string why;
  if (const CudaApi *api = CudaApi::find(&why))
    return *api;
  throw Error(TL_RUNTIME_ERROR, why).onDevice("cuda");
}

int attribute(const CudaApi &api, int which, int gpu) {
  int value = 0;
  api.deviceAttribute(&value, which, gpu);
  return value;
}

} // namespace

int CudaDevice::count() {
  int count = 0;
  if (const CudaApi *api = CudaApi::find())
    api->deviceCount(&count);
  return count;
}

std::string CudaDevice::architecture(int ordinal) {
  const CudaApi &api = driver();
  int gpu = 0;
  api.deviceGet(&gpu, ordinal);
  int major = attribute(api, cuda::computeMajor, gpu);
  int minor = attribute(api, cuda::computeMinor, gpu);
  // From 9.0 on the feature set of the very architecture has instructions that no other has.
  return "sm_" + std::to_string(major * 10 + minor) + (major >= 9 ? "a" : "");
}

CudaDevice::CudaDevice(int ordinal, std::unique_ptr<Target> target)
    : GpuDevice(driver(), cudaWords, ordinal, std::move(target)), cuda(driver()) {
  if (!compiler) {
    throw Error(TL_UNSUPPORTED, label + " is a " + text + " of architecture " +
                                    architecture(ordinal) + ", libtl knows those from sm_80 on")
        .onDevice(label);
  }
  auto number = [&](int which) { return attribute(cuda, which, gpu); };
  gpu::GpuLimits found;
  found.multiprocessors = number(cuda::multiprocessorCount);
  found.maxShared = number(cuda::maxSharedPerBlockOptin);
  found.maxThreads = number(cuda::maxThreadsPerBlock);
  found.maxRegisters = number(cuda::maxRegistersPerBlock);
  found.maxGrid[0] = uint32_t(number(cuda::maxGridX));
  found.maxGrid[1] = uint32_t(number(cuda::maxGridY));
  found.maxGrid[2] = uint32_t(number(cuda::maxGridZ));
  found.readsAllHostMemory = number(cuda::pageableMemoryAccess) != 0;
  found.hasMemoryPools = number(cuda::memoryPoolsSupported) != 0;
  begin(found, 1);
}

bool CudaDevice::runsWholeGrids() const {
  int possible = 0;
  check(cuda.deviceAttribute(&possible, cuda::cooperativeLaunch, gpu),
        "cannot ask for cooperative launches");
  return possible != 0;
}

} // namespace tl::backend::nvidia
