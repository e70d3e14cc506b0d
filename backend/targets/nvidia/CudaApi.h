// SPDX-License-Identifier: MIT
//
// The functions of the CUDA driver that this library calls, found in libcuda.so.1 when they are
// first needed; the environment variable TL_LIBCUDA names another library. There is no CUDA header:
// the few types and numbers are declared here, as the driver's documented binary interface has
// them. Next: Driver.h, the device made of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tl::backend::nvidia {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

/// Results that are distinguished here. Driver.h's failures.
inline constexpr CUresult cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorOutOfMemory = 2,
                          cudaErrorNotInitialized = 3, cudaErrorInvalidContext = 201,
                          cudaErrorUncorrectableMemory = 214, cudaErrorUncorrectableLink = 220,
                          cudaErrorInvalidHandle = 400, cudaErrorNotReady = 600,
                          cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources = 701,
                          cudaErrorLaunchTimeout = 702, cudaErrorPeerAccessAlreadyEnabled = 704,
                          cudaErrorContextIsDestroyed = 709, cudaErrorAssert = 710,
                          cudaErrorHardwareStack = 714, cudaErrorLaunchFailed = 719,
                          cudaErrorCooperativeLaunchTooLarge = 720,
                          cudaErrorCaptureUnsupported = 900, cudaErrorCaptureWrongThread = 908;

/// Numbers of the driver's enumerations.
namespace cuda {
enum DeviceAttribute : int {
  maxThreadsPerBlock = 1,
  maxGridX = 5,
  maxGridY = 6,
  maxGridZ = 7,
  maxRegistersPerBlock = 12,
  multiprocessorCount = 16,
  computeMajor = 75,
  computeMinor = 76,
  pageableMemoryAccess = 88,
  cooperativeLaunch = 95,
  maxSharedPerBlockOptin = 97,
  memoryPoolsSupported = 115
};
enum FunctionAttribute : int {
  functionMaxThreads = 0,
  sharedBytes = 1,
  localBytes = 3,
  numRegs = 4,
  maxDynamicSharedBytes = 8,
  nonPortableClusterAllowed = 14
};
enum PointerAttribute : int { memoryType = 2, devicePointer = 3, isManaged = 8, deviceOrdinal = 9 };
enum MemoryType : unsigned { hostMemory = 1, deviceMemory = 2, unifiedMemory = 4 };
enum StreamCapture : int { captureNone = 0 };
enum CaptureMode : int { captureRelaxed = 2 };
inline constexpr unsigned streamBlocking = 0, streamNonBlocking = 1;
inline constexpr unsigned eventDefault = 0, eventWithoutTiming = 2;
/// Streams up to this number are names ("the thread's default stream"), not addresses.
inline constexpr uintptr_t lastNamedStream = 2;
inline constexpr unsigned hostAllocPortable = 1, hostAllocMapped = 2;

enum LaunchAttributeId : int {
  attributeCooperative = 2,
  attributeClusterDimension = 4,
  attributeProgrammaticSerialization = 6
};
struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char size[64];
    int cooperative;
    int programmaticSerialization;
    struct {
      unsigned x, y, z;
    } cluster;
  };
};
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  CUstream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);
} // namespace cuda

/// Every function once: X(member, symbol, parameter types).
#define TL_CUDA_FUNCTIONS(X)                                                                       \
  X(init, "cuInit", (unsigned))                                                                    \
  X(driverVersion, "cuDriverGetVersion", (int *))                                                  \
  X(errorName, "cuGetErrorName", (CUresult, const char **))                                        \
  X(errorString, "cuGetErrorString", (CUresult, const char **))                                    \
  X(deviceCount, "cuDeviceGetCount", (int *))                                                      \
  X(deviceGet, "cuDeviceGet", (CUdevice *, int))                                                   \
  X(deviceName, "cuDeviceGetName", (char *, int, CUdevice))                                        \
  X(deviceAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))                               \
  X(deviceMemory, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                     \
  X(retainContext, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                            \
  X(getContext, "cuCtxGetCurrent", (CUcontext *))                                                  \
  X(setContext, "cuCtxSetCurrent", (CUcontext))                                                    \
  X(canAccessPeer, "cuDeviceCanAccessPeer", (int *, CUdevice, CUdevice))                           \
  X(enablePeerAccess, "cuCtxEnablePeerAccess", (CUcontext, unsigned))                              \
  X(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *))                             \
  X(loadModule, "cuModuleLoadData", (CUmodule *, const void *))                                    \
  X(unloadModule, "cuModuleUnload", (CUmodule))                                                    \
  X(moduleFunction, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))                 \
  X(functionAttribute, "cuFuncGetAttribute", (int *, int, CUfunction))                             \
  X(setFunctionAttribute, "cuFuncSetAttribute", (CUfunction, int, int))                            \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *, CUfunction, int, size_t))    \
  X(launch, "cuLaunchKernel",                                                                      \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,   \
     void **, void **))                                                                            \
  X(launchEx, "cuLaunchKernelEx", (const cuda::LaunchConfig *, CUfunction, void **, void **))      \
  X(allocate, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                            \
  X(free, "cuMemFree_v2", (CUdeviceptr))                                                           \
  X(allocateAsync, "cuMemAllocAsync", (CUdeviceptr *, size_t, CUstream))                           \
  X(freeAsync, "cuMemFreeAsync", (CUdeviceptr, CUstream))                                          \
  X(memoryInfo, "cuMemGetInfo_v2", (size_t *, size_t *))                                           \
  X(allocateHost, "cuMemHostAlloc", (void **, size_t, unsigned))                                   \
  X(freeHost, "cuMemFreeHost", (void *))                                                           \
  X(copyToDevice, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))           \
  X(copyFromDevice, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))               \
  X(copyOnDevice, "cuMemcpyAsync", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                   \
  X(copyFromPeer, "cuMemcpyPeerAsync",                                                             \
    (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))                            \
  X(fill, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                       \
  X(pointerAttribute, "cuPointerGetAttribute", (void *, int, CUdeviceptr))                         \
  X(createStream, "cuStreamCreate", (CUstream *, unsigned))                                        \
  X(streamContext, "cuStreamGetCtx", (CUstream, CUcontext *))                                      \
  X(destroyStream, "cuStreamDestroy_v2", (CUstream))                                               \
  X(synchronizeStream, "cuStreamSynchronize", (CUstream))                                          \
  X(streamWait, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))                                \
  X(streamIsCapturing, "cuStreamIsCapturing", (CUstream, int *))                                   \
  X(createEvent, "cuEventCreate", (CUevent *, unsigned))                                           \
  X(destroyEvent, "cuEventDestroy_v2", (CUevent))                                                  \
  X(recordEvent, "cuEventRecord", (CUevent, CUstream))                                             \
  X(synchronizeEvent, "cuEventSynchronize", (CUevent))                                             \
  X(elapsed, "cuEventElapsedTime", (float *, CUevent, CUevent))

struct CudaApi {
#define TL_MEMBER(member, symbol, parameters) CUresult(*member) parameters = nullptr;
  TL_CUDA_FUNCTIONS(TL_MEMBER)
#undef TL_MEMBER

  /// cuTensorMapEncodeTiled: map, element, rank, base, extents, strides, box, element strides,
  /// interleaving, swizzle, promotion, fill. Null before CUDA 12.
  CUresult (*encodeTensorMap)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                              const uint32_t *, const uint32_t *, int, int, int, int) = nullptr;

  /// The driver of this process, or null; then `why` is one sentence on what is missing.
  static const CudaApi *find(std::string *why = nullptr);
  /// Was this process forked from one that had started the driver? Then no call of it works here.
  static bool isLostByFork() { return lostByFork.load(std::memory_order_relaxed); }
  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(CUresult result) const;

private:
  friend struct Loading;
  static std::atomic<bool> lostByFork;
};

} // namespace tl::backend::nvidia
