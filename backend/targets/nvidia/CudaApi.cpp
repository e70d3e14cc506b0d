// SPDX-License-Identifier: MIT
#include "targets/nvidia/CudaApi.h"

#include <type_traits>

namespace tl::backend::nvidia {

namespace {

// The names that CUDA's driver has for the functions of the table: X(member, symbol).
#define TL_CUDA_NAMES(X)                                                                           \
  X(init, "cuInit")                                                                                \
  X(errorName, "cuGetErrorName")                                                                   \
  X(errorString, "cuGetErrorString")                                                               \
  X(deviceCount, "cuDeviceGetCount")                                                               \
  X(deviceGet, "cuDeviceGet")                                                                      \
  X(deviceName, "cuDeviceGetName")                                                                 \
  X(deviceAttribute, "cuDeviceGetAttribute")                                                       \
  X(deviceMemory, "cuDeviceTotalMem_v2")                                                           \
  X(retainContext, "cuDevicePrimaryCtxRetain")                                                     \
  X(getContext, "cuCtxGetCurrent")                                                                 \
  X(setContext, "cuCtxSetCurrent")                                                                 \
  X(canAccessPeer, "cuDeviceCanAccessPeer")                                                        \
  X(enablePeerAccess, "cuCtxEnablePeerAccess")                                                     \
  X(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode")                                      \
  X(loadModule, "cuModuleLoadData")                                                                \
  X(unloadModule, "cuModuleUnload")                                                                \
  X(moduleFunction, "cuModuleGetFunction")                                                         \
  X(functionAttribute, "cuFuncGetAttribute")                                                       \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor")                                      \
  X(launch, "cuLaunchKernel")                                                                      \
  X(allocate, "cuMemAlloc_v2")                                                                     \
  X(free, "cuMemFree_v2")                                                                          \
  X(allocateAsync, "cuMemAllocAsync")                                                              \
  X(freeAsync, "cuMemFreeAsync")                                                                   \
  X(memoryInfo, "cuMemGetInfo_v2")                                                                 \
  X(allocateHost, "cuMemHostAlloc")                                                                \
  X(freeHost, "cuMemFreeHost")                                                                     \
  X(copyToDevice, "cuMemcpyHtoDAsync_v2")                                                          \
  X(copyFromDevice, "cuMemcpyDtoHAsync_v2")                                                        \
  X(copyOnDevice, "cuMemcpyAsync")                                                                 \
  X(copyFromPeer, "cuMemcpyPeerAsync")                                                             \
  X(fill, "cuMemsetD8Async")                                                                       \
  X(pointerAttribute, "cuPointerGetAttribute")                                                     \
  X(createStream, "cuStreamCreate")                                                                \
  X(streamContext, "cuStreamGetCtx")                                                               \
  X(destroyStream, "cuStreamDestroy_v2")                                                           \
  X(synchronizeStream, "cuStreamSynchronize")                                                      \
  X(streamWait, "cuStreamWaitEvent")                                                               \
  X(streamIsCapturing, "cuStreamIsCapturing")                                                      \
  X(createEvent, "cuEventCreate")                                                                  \
  X(destroyEvent, "cuEventDestroy_v2")                                                             \
  X(recordEvent, "cuEventRecord")                                                                  \
  X(synchronizeEvent, "cuEventSynchronize")                                                        \
  X(elapsed, "cuEventElapsedTime")

struct Loading {
  CudaApi api;
  std::string why; // it is missing; empty if it is there

  Loading() {
    const gpu::DriverLibrary driver = {"TL_LIBCUDA",
                                       {"libcuda.so.1"},
                                       "cuInit",
                                       "the library of a CUDA driver",
                                       "libcuda.so.1, a part of the NVIDIA driver, was not found"};
    void *library = driver.open(why);
    if (!library)
      return;
    const auto find = [&](auto &function, const char *symbol) {
      function =
          reinterpret_cast<std::decay_t<decltype(function)>>(gpu::findSymbol(library, symbol));
      if (!function && why.empty())
        why = std::string("the NVIDIA driver is too old: it has no ") + symbol +
              ", which came with CUDA 11.8";
    };
#define TL_FIND(member, symbol, ...) find(api.member, symbol);
    TL_CUDA_NAMES(TL_FIND)
    TL_CUDA_FUNCTIONS(TL_FIND)
#undef TL_FIND
    api.encodeTensorMap = reinterpret_cast<decltype(api.encodeTensorMap)>(
        gpu::findSymbol(library, "cuTensorMapEncodeTiled"));
    if (why.empty())
      api.start(why, "the NVIDIA driver");
  }
};

} // namespace

const CudaApi *CudaApi::find(std::string *why) {
  // Never destroyed: devices may be used while the process ends.
  static const Loading &loading = *new Loading;
  if (why)
    *why = loading.why;
  return loading.why.empty() ? &loading.api : nullptr;
}

} // namespace tl::backend::nvidia
