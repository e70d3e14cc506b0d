// SPDX-License-Identifier: MIT
//
// The functions of HIP that this library calls, found in libamdhip64.so when they are first needed;
// the environment variable TL_LIBHIP names another library. There is no HIP header: the few numbers
// that are not CUDA's, too, are declared here, as ROCm has them from 5.2 on, and the rest in
// targets/gpu/GpuApi.h; a test compares all of it with HIP's headers where they are installed. HIP
// has no contexts: a GPU's number stands for one. Next: Driver.h, the device made of them.
#pragma once

#include "targets/gpu/GpuApi.h"

namespace tl::backend::amd {

/// Numbers of HIP's enumerations.
namespace hip {
enum DeviceAttribute : int {
  cooperativeLaunch = 10,
  maxGridX = 29,
  maxGridY = 30,
  maxGridZ = 31,
  maxThreadsPerBlock = 56,
  multiprocessorCount = 63,
  pageableMemoryAccess = 65,
  maxRegistersPerBlock = 71,
  maxSharedPerBlock = 74,
  memoryPoolsSupported = 88
};
/// Of HIP's memory types, which got other numbers with version 6.
enum MemoryTypeBefore6 : unsigned { hostBefore6 = 0, deviceBefore6 = 1 };
enum MemoryType : unsigned { unregistered = 0, host = 1, device = 2 };
/// What hipRuntimeGetVersion says from version 6.0 on.
inline constexpr int version6 = 60000000;
/// Where the name of the architecture lies in what hipGetDeviceProperties fills, in its first
/// layout and in that of version 6, which has a function of its own, and more than either needs.
inline constexpr size_t architectureAt = 396, architectureAtR0600 = 1160, propertiesBytes = 4096;
} // namespace hip

/// The names that HIP has for the functions of the table: X(member, symbol).
#define TL_HIP_NAMES(X)                                                                            \
  X(init, hipInit)                                                                                 \
  X(deviceCount, hipGetDeviceCount)                                                                \
  X(deviceGet, hipDeviceGet)                                                                       \
  X(deviceName, hipDeviceGetName)                                                                  \
  X(deviceAttribute, hipDeviceGetAttribute)                                                        \
  X(deviceMemory, hipDeviceTotalMem)                                                               \
  X(canAccessPeer, hipDeviceCanAccessPeer)                                                         \
  X(exchangeCaptureMode, hipThreadExchangeStreamCaptureMode)                                       \
  X(loadModule, hipModuleLoadData)                                                                 \
  X(unloadModule, hipModuleUnload)                                                                 \
  X(moduleFunction, hipModuleGetFunction)                                                          \
  X(functionAttribute, hipFuncGetAttribute)                                                        \
  X(occupancy, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)                                 \
  X(launch, hipModuleLaunchKernel)                                                                 \
  X(allocate, hipMalloc)                                                                           \
  X(free, hipFree)                                                                                 \
  X(allocateAsync, hipMallocAsync)                                                                 \
  X(freeAsync, hipFreeAsync)                                                                       \
  X(memoryInfo, hipMemGetInfo)                                                                     \
  X(allocateHost, hipHostMalloc)                                                                   \
  X(freeHost, hipHostFree)                                                                         \
  X(copyToDevice, hipMemcpyHtoDAsync)                                                              \
  X(copyFromDevice, hipMemcpyDtoHAsync)                                                            \
  X(copyOnDevice, hipMemcpyDtoDAsync)                                                              \
  X(fill, hipMemsetD8Async)                                                                        \
  X(createStream, hipStreamCreateWithFlags)                                                        \
  X(destroyStream, hipStreamDestroy)                                                               \
  X(synchronizeStream, hipStreamSynchronize)                                                       \
  X(streamWait, hipStreamWaitEvent)                                                                \
  X(streamIsCapturing, hipStreamIsCapturing)                                                       \
  X(createEvent, hipEventCreateWithFlags)                                                          \
  X(destroyEvent, hipEventDestroy)                                                                 \
  X(recordEvent, hipEventRecord)                                                                   \
  X(synchronizeEvent, hipEventSynchronize)                                                         \
  X(elapsed, hipEventElapsedTime)

/// Those that HIP has in another form: X(member, symbol, result, parameter types).
#define TL_HIP_FUNCTIONS(X)                                                                        \
  X(nameOf, hipGetErrorName, const char *, (gpu::Result))                                          \
  X(textOf, hipGetErrorString, const char *, (gpu::Result))                                        \
  X(takeLastError, hipGetLastError, gpu::Result, ())                                               \
  X(runtimeVersion, hipRuntimeGetVersion, gpu::Result, (int *))                                    \
  X(getDevice, hipGetDevice, gpu::Result, (int *))                                                 \
  X(setDevice, hipSetDevice, gpu::Result, (int))                                                   \
  X(enablePeer, hipDeviceEnablePeerAccess, gpu::Result, (int peer, unsigned))                      \
  X(copyPeer, hipMemcpyPeerAsync, gpu::Result,                                                     \
    (void *, int device, const void *, int source, size_t, gpu::NativeStream))                     \
  X(pointer, hipPointerGetAttribute, gpu::Result, (void *, int attribute, gpu::Address))

/// Those that HIP has not always had, and may lack. hipGetDeviceProperties has had two layouts.
#define TL_HIP_LATER_FUNCTIONS(X)                                                                  \
  X(properties, hipGetDeviceProperties, gpu::Result, (void *, int device))                         \
  X(propertiesR0600, hipGetDevicePropertiesR0600, gpu::Result, (void *, int device))               \
  X(streamDevice, hipStreamGetDevice, gpu::Result, (gpu::NativeStream, int *device))               \
  X(launchCooperative, hipModuleLaunchCooperativeKernel, gpu::Result,                              \
    (gpu::NativeFunction, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,         \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, gpu::NativeStream, void **arguments))

struct HipApi : gpu::GpuApi {
#define TL_MEMBER(member, symbol, result, parameters) result(*member) parameters = nullptr;
  TL_HIP_FUNCTIONS(TL_MEMBER)
  TL_HIP_LATER_FUNCTIONS(TL_MEMBER)
#undef TL_MEMBER
  int version = 0; // 60000000 for 6.0.0

  /// The library of this process, or null; then `why` is one sentence on what is missing.
  static const HipApi *find(std::string *why = nullptr);
  /// "gfx942:sramecc+:xnack-" of a GPU; empty if it does not say.
  std::string architecture(int device) const;
};

} // namespace tl::backend::amd
