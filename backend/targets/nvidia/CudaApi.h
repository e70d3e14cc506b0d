// SPDX-License-Identifier: MIT
//
// The functions of the CUDA driver that this library calls, found in libcuda.so.1 when they are
// first needed; the environment variable TL_LIBCUDA names another library. There is no CUDA header:
// what CUDA alone has is declared here, as the driver's documented binary interface has it, and the
// rest in targets/gpu/GpuApi.h. Next: Driver.h, the device made of them.
#pragma once

#include "targets/gpu/GpuApi.h"

namespace tl::backend::nvidia {

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
enum FunctionAttribute : int { maxDynamicSharedBytes = 8, nonPortableClusterAllowed = 14 };

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
  gpu::NativeStream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);
} // namespace cuda

/// What CUDA alone has: X(member, symbol, parameter types).
#define TL_CUDA_FUNCTIONS(X)                                                                       \
  X(driverVersion, "cuDriverGetVersion", (int *))                                                  \
  X(setFunctionAttribute, "cuFuncSetAttribute", (gpu::NativeFunction, int attribute, int value))   \
  X(launchEx, "cuLaunchKernelEx",                                                                  \
    (const cuda::LaunchConfig *, gpu::NativeFunction, void **arguments, void **extra))

struct CudaApi : gpu::GpuApi {
#define TL_MEMBER(member, symbol, parameters) gpu::Result(*member) parameters = nullptr;
  TL_CUDA_FUNCTIONS(TL_MEMBER)
#undef TL_MEMBER

  /// cuTensorMapEncodeTiled: map, element, rank, base, extents, strides, box, element strides,
  /// interleaving, swizzle, promotion, fill. Null before CUDA 12.
  gpu::Result (*encodeTensorMap)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                                 const uint32_t *, const uint32_t *, int, int, int, int) = nullptr;

  /// The driver of this process, or null; then `why` is one sentence on what is missing.
  static const CudaApi *find(std::string *why = nullptr);
};

} // namespace tl::backend::nvidia
